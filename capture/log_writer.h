// SPDX-License-Identifier: Apache-2.0
// Appends to an EventLog: keeps events in order of their stamps, bounds the list of problems, and
// hands each event on to a callback where a caller wants a stream instead of a list.
#pragma once

#include "capture/conversation.h"
#include "capture/event_log.h"

#include <cstdint>
#include <functional>
#include <string>

namespace ktrial::capture {

class LogWriter {
 public:
  using OnEvent = std::function<void(const Event&)>;

  LogWriter(OnEvent on_event, bool keep_events)
      : on_event_(std::move(on_event)), keep_events_(keep_events) {}

  // Every packet, before what it causes.
  void packet(const Moment& moment);
  void emit(Event event);
  void problem(const Moment& moment, int conn, std::string_view text);
  // The log gets its last form: sorted, with brokers that became known late.
  void finish();

  Connection& add_connection();
  Connection& connection(int id) { return log_.connections[static_cast<std::size_t>(id)]; }
  EventLog& log() { return log_; }
  [[nodiscard]] const EventLog& log() const { return log_; }
  [[nodiscard]] const Moment& now() const { return now_; }
  // Events so far, also those handed on and not kept.
  [[nodiscard]] std::uint64_t emitted() const { return emitted_; }

 private:
  OnEvent on_event_;
  bool keep_events_;
  EventLog log_;
  Moment now_;
  std::uint64_t emitted_ = 0;
  std::int64_t latest_ns_ = 0;
  bool unsorted_ = false;
};

}  // namespace ktrial::capture
