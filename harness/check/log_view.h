// SPDX-License-Identifier: Apache-2.0
// LogView: an event log with what checks ask of it: where marks are, fields of events and
// connections by path, who leads a partition when. Cheap to make: everything is looked up when
// asked for.
#pragma once

#include "capture/event_log.h"
#include "harness/check/matcher.h"
#include "harness/verdict/verdict.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ktrial::harness {

inline Moment moment_of(const capture::Event& event) { return {event.at_ns, event.packet}; }

class LogView {
 public:
  explicit LogView(const capture::EventLog& log) : log_(log) {}

  [[nodiscard]] const capture::EventLog& log() const { return log_; }
  [[nodiscard]] const capture::Connection* connection(int id) const;

  // "quiet", "send.begin", "send.2.end", "c2.create.begin", "end_of_case".
  [[nodiscard]] std::optional<Moment> mark(std::string_view name) const;
  [[nodiscard]] Moment start() const;
  [[nodiscard]] Moment end() const;

  // broker, conn, conn.roles, packet, event, then the event's own members, then those of its
  // decoded body; records = how many records a Produce or Fetch carries.
  [[nodiscard]] FieldValue field(const capture::Event& event, std::string_view path) const;
  [[nodiscard]] FieldValue field(const capture::Connection& conn, std::string_view path) const;

  // By the layout note, and the cluster's changes up to that time; -1 if unknown.
  [[nodiscard]] int leader(std::string_view topic, std::int64_t partition, Moment at) const;
  [[nodiscard]] int coordinator(Moment at) const;
  // Of a topic id as Kafka prints it, learnt from Metadata responses; "" if unknown.
  [[nodiscard]] std::string topic_name(std::string_view topic_id) const;

  // Seconds since the first packet, "1.234567".
  [[nodiscard]] std::string seconds(std::int64_t at_ns) const;
  // "req Metadata v12 → broker 1 on conn#3", for evidence.
  [[nodiscard]] std::string describe(const capture::Event& event) const;
  [[nodiscard]] std::string describe(const capture::Connection& conn) const;
  [[nodiscard]] Evidence evidence(const capture::Event& event) const;

 private:
  const capture::EventLog& log_;
};

// True if the event comes from a packet of a connection, false for the harness's notes.
bool from_packet(const capture::Event& event);

}  // namespace ktrial::harness
