// SPDX-License-Identifier: Apache-2.0
// Packets in, event log out, one packet at a time: link layer -> flow -> ordered streams -> Kafka
// frames -> events, and the harness's notes beside them. Incremental: the log can be read between
// any two packets; what is in it stays (event_log.h). One thread at a time.
#pragma once

#include "capture/event_log.h"
#include "capture/log_writer.h"
#include "capture/note.h"
#include "capture/packet.h"

#include <cstdint>
#include <memory>

namespace ktrial::capture {

struct AnalyzerOptions {
  // Decode the bodies of requests and responses into the events' fields. Off for load captures:
  // then only Metadata responses are decoded, and only while no layout note names the brokers.
  bool decode_bodies = true;
  std::uint16_t note_port = kNotePort;
  ConversationLimits limits;
  // Per direction: segments waiting behind a hole.
  std::size_t max_held_bytes = std::size_t{4} << 20U;
  // Off: events only go to on_event, so that memory stays flat.
  bool keep_events = true;
  LogWriter::OnEvent on_event;
};

class Analyzer {
 public:
  explicit Analyzer(AnalyzerOptions options = {});
  ~Analyzer();
  Analyzer(const Analyzer&) = delete;
  Analyzer& operator=(const Analyzer&) = delete;

  // `number` counts from 1, as Wireshark does.
  void packet(const PacketView& packet, std::uint64_t number);
  // No more packets: gaps, unanswered requests and the connections' facts become complete.
  void finish();

  [[nodiscard]] const EventLog& log() const;
  // The finished log, moved out.
  [[nodiscard]] EventLog take_log();
  // Events emitted so far: cheap to compare, to see whether there is news.
  [[nodiscard]] std::uint64_t event_count() const;
  // The capture's own drop counter, once it is known.
  void set_dropped(std::uint64_t packets);
  // A fault of the source (a truncated file, a read error), for the log's list of problems.
  void source_problem(std::string_view text);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ktrial::capture
