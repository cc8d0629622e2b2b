// SPDX-License-Identifier: Apache-2.0
// What the host does to a case, while it runs: stalls seen by two probing threads (normal and
// real-time priority), the run-queue wait of the client's threads, its memory and its socket
// states. Each is told as a note, so that the capture's clock stamps it.
#pragma once

#include <boost/json.hpp>

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace ktrial::harness {

using SendNote = std::function<void(boost::json::object)>;

class Probes {
 public:
  explicit Probes(SendNote send);
  ~Probes();
  Probes(const Probes&) = delete;
  Probes& operator=(const Probes&) = delete;

  // The client's process, once it runs, and the brokers' "host:port"s.
  void watch(pid_t client, std::set<std::string> brokers);
  // Sends the socket table and the client's memory now: at a mark, say.
  void sample_now();

 private:
  void stall_loop(const char* name);
  void sample_loop();
  enum class Tell : std::uint8_t { kAlways, kChanges };
  void sample_sockets(Tell when);
  bool stopped_within(std::chrono::milliseconds time);
  void sample_waits();
  void sample_memory();

  SendNote send_;
  std::mutex stop_mutex_;
  std::condition_variable stopping_;
  std::atomic<bool> stop_ = false;
  std::atomic<pid_t> client_ = -1;
  std::set<std::string> brokers_;
  std::map<std::string, std::int64_t> waits_;  // by thread id
  std::string last_table_;
  std::mutex table_mutex_;
  std::vector<std::thread> threads_;
};

// States of TCP sockets whose remote end is one of `brokers` ("host:port", IPv4), from
// /proc/net/tcp and tcp6: the client's.
boost::json::object client_socket_states(const std::set<std::string>& brokers);

// The most memory that the process has had resident, in MiB, from /proc/PID/status; nothing if it
// has gone.
std::optional<std::int64_t> peak_memory_mib(pid_t process);

}  // namespace ktrial::harness
