// SPDX-License-Identifier: Apache-2.0
#include "harness/host/probes.h"

#include <fmt/format.h>

#include <arpa/inet.h>
#include <pthread.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace ktrial::harness {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kStallTick{5};
constexpr milliseconds kStallWorthTelling{20};
constexpr milliseconds kSampleTick{50};
constexpr int kSamplesPerTable = 10;  // at least one socket table each half second
constexpr std::int64_t kWaitWorthTelling = 1'000'000;

constexpr std::array<std::string_view, 12> kStates{
    "",          "ESTABLISHED", "SYN_SENT",   "SYN_RECV", "FIN_WAIT1", "FIN_WAIT2",
    "TIME_WAIT", "CLOSE",       "CLOSE_WAIT", "LAST_ACK", "LISTEN",    "CLOSING"};

std::int64_t wall_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

// "0100007F:2384" -> "127.0.0.1:9092"; the address is in host byte order. A JVM's IPv4 connections
// are IPv6 sockets with mapped addresses, whose last 32 bits are the same thing.
std::string endpoint(std::string_view hex) {
  constexpr std::string_view kMapped = "0000000000000000FFFF0000";
  if (hex.starts_with(kMapped)) hex.remove_prefix(kMapped.size());
  unsigned address = 0;
  unsigned port = 0;
  if (std::sscanf(std::string(hex).c_str(), "%8X:%4X", &address, &port) != 2) return {};
  in_addr in{address};
  char text[INET_ADDRSTRLEN];
  inet_ntop(AF_INET, &in, text, sizeof text);
  return fmt::format("{}:{}", text, port);
}

}  // namespace

namespace {

using StateCounts = std::array<int, kStates.size()>;

void count_states(const char* path, const std::set<std::string>& brokers, StateCounts& counts) {
  std::ifstream table(path);
  std::string line;
  std::getline(table, line);  // the heading
  while (std::getline(table, line)) {
    std::istringstream words(line);
    std::string slot;
    std::string local;
    std::string remote;
    unsigned state = 0;
    words >> slot >> local >> remote >> std::hex >> state;
    if (state < counts.size() && brokers.contains(endpoint(remote))) ++counts[state];
  }
}

}  // namespace

boost::json::object client_socket_states(const std::set<std::string>& brokers) {
  StateCounts counts{};
  count_states("/proc/net/tcp", brokers, counts);
  count_states("/proc/net/tcp6", brokers, counts);
  boost::json::object states{{"ESTABLISHED", counts[1]}, {"CLOSE_WAIT", counts[8]}};
  for (std::size_t i = 1; i < counts.size(); ++i) {
    if (counts[i] > 0) states[kStates[i]] = counts[i];
  }
  return states;
}

std::optional<std::int64_t> peak_memory_mib(pid_t process) {
  std::ifstream status(fmt::format("/proc/{}/status", process));
  for (std::string line; std::getline(status, line);) {
    std::int64_t kib = 0;
    if (std::sscanf(line.c_str(), "VmHWM: %ld kB", &kib) == 1) return kib / 1024;
  }
  return std::nullopt;
}

Probes::Probes(SendNote send) : send_(std::move(send)) {
  threads_.emplace_back([this] { stall_loop("normal"); });
  threads_.emplace_back([this] { stall_loop("rr"); });
  // Without the right to real-time priority the second probe repeats the first.
  const sched_param priority{1};
  pthread_setschedparam(threads_.back().native_handle(), SCHED_RR, &priority);
  threads_.emplace_back([this] { sample_loop(); });
}

Probes::~Probes() {
  {
    const std::lock_guard lock(stop_mutex_);
    stop_ = true;
  }
  stopping_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Probes::watch(pid_t client, std::set<std::string> brokers) {
  const std::lock_guard lock(table_mutex_);
  brokers_ = std::move(brokers);
  client_ = client;
}

void Probes::stall_loop(const char* name) {
  while (!stop_) {
    const auto before = Clock::now();
    std::this_thread::sleep_for(kStallTick);
    const auto late = Clock::now() - before - kStallTick;
    if (late < kStallWorthTelling) continue;
    const std::int64_t to = wall_ns();
    const auto ms = std::chrono::duration_cast<milliseconds>(late).count();
    send_({{"e", "host.stall"},
           {"probe", name},
           {"from_ns", to - late / std::chrono::nanoseconds(1)},
           {"to_ns", to},
           {"ms", ms}});
  }
}

bool Probes::stopped_within(milliseconds time) {
  std::unique_lock lock(stop_mutex_);
  return stopping_.wait_for(lock, time, [this] { return stop_.load(); });
}

void Probes::sample_loop() {
  int ticks = 0;
  while (!stopped_within(kSampleTick)) {
    if (client_ < 0) continue;
    sample_waits();
    const bool table_is_due = ++ticks % kSamplesPerTable == 0;
    if (table_is_due) sample_memory();
    sample_sockets(table_is_due ? Tell::kAlways : Tell::kChanges);
  }
}

void Probes::sample_now() {
  sample_memory();
  sample_sockets(Tell::kAlways);
}

void Probes::sample_memory() {
  if (const auto peak = peak_memory_mib(client_))
    send_({{"e", "driver.memory"}, {"peak_mib", *peak}});
}

void Probes::sample_sockets(Tell when) {
  std::unique_lock lock(table_mutex_);
  if (brokers_.empty()) return;
  boost::json::object states = client_socket_states(brokers_);
  std::string table = boost::json::serialize(states);
  if (when == Tell::kChanges && table == last_table_) return;
  last_table_ = std::move(table);
  lock.unlock();
  send_({{"e", "socket.table"}, {"states", std::move(states)}});
}

void Probes::sample_waits() {
  std::int64_t largest = 0;
  std::error_code gone;
  for (const auto& task :
       fs::directory_iterator(fmt::format("/proc/{}/task", client_.load()), gone)) {
    std::ifstream file(task.path() / "schedstat");
    std::int64_t ran = 0;
    std::int64_t waited = 0;
    if (!(file >> ran >> waited)) continue;
    std::int64_t& before = waits_[task.path().filename().string()];
    if (before != 0) largest = std::max(largest, waited - before);
    before = waited;
  }
  if (largest >= kWaitWorthTelling)
    send_({{"e", "sched"}, {"wait_ns_max_thread", largest}, {"interval_ms", kSampleTick.count()}});
}

}  // namespace ktrial::harness
