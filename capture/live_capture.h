// SPDX-License-Identifier: Apache-2.0
// A live capture: a thread of its own takes packets from libpcap's ring, writes them to a pcapng
// file and feeds them to the analyser. start() returns when packets are being captured (10 to 20
// ms, nearly all of it waiting in the kernel: worth overlapping); stop() first takes what is in the
// ring, then writes the interface statistics (4 ms); the destructor may wait 20 ms for the kernel.
//
// Threads: the event log belongs to the capture thread and is shown to others under a mutex.
#pragma once

#include "capture/analyzer.h"
#include "capture/pcapng_writer.h"
#include "common/result.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace ktrial::capture {

struct LiveOptions {
  // Never empty in effect: without a compiled filter and a snap length the kernel copies whole
  // frames of everything (a quarter of a core and drops).
  std::string filter = "tcp or udp port 9";
  std::uint32_t snaplen = 262144;
  std::uint32_t ring_bytes = std::uint32_t{32} << 20U;
  // The kernel hands a partly filled ring block over after this time: the log lags by so much.
  std::chrono::milliseconds block_timeout{3};
  // Real-time priority for the capture thread, where the rights are there: the ring is emptied in
  // time also on a busy machine. Off where its work would take from what is measured.
  bool raise_priority = true;
  // Notes of our own go here to see that everything before them was captured; empty: no note is
  // sent and stop() waits for silence instead.
  std::string note_address = "127.0.0.1";
  AnalyzerOptions analyzer;
  SectionInfo section;  // empty members are filled in from the machine
};

struct LiveSummary {
  EventLog log;
  InterfaceCounters counters;
  bool complete = true;  // the final note was seen: nothing was left in the ring
};

class LiveCapture {
 public:
  using Predicate = std::function<bool(const EventLog&)>;
  using Deadline = std::chrono::steady_clock::time_point;

  static Result<std::unique_ptr<LiveCapture>> start(const std::string& interface,
                                                    const std::string& pcapng_path,
                                                    const LiveOptions& options = {});
  LiveCapture(const LiveCapture&) = delete;
  LiveCapture& operator=(const LiveCapture&) = delete;
  ~LiveCapture();

  // Runs `look` on the log as far as it is; no packet is analysed meanwhile.
  void with_log(const std::function<void(const EventLog&)>& look) const;
  // Until the predicate holds; false if the deadline, or the capture's end, comes first. The
  // predicate runs again whenever the log has news.
  bool wait_until(const Predicate& predicate, Deadline deadline) const;
  // Waits until every packet that has passed the interface before this call is in the log.
  // False after `patience`.
  bool settle(std::chrono::milliseconds patience = std::chrono::milliseconds(500));
  // Ends the capture. The file is complete afterwards.
  Result<LiveSummary> stop();
  // Makes waiting predicates return false, from any thread.
  void cancel_waits();

 private:
  class Impl;
  explicit LiveCapture(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace ktrial::capture
