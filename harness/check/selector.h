// SPDX-License-Identifier: Apache-2.0
// Selectors: which events, or which connections, a check or a wait is about. Plain data; reading
// one from YAML is selector_reader.cc, applying it to a log is select.cc.
#pragma once

#include "harness/check/matcher.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ktrial::harness {

struct Selector;

// An edge of a window: a mark, a call's begin or end, or the first or last event of a kind.
struct Edge {
  enum class Kind { kMark, kFirst, kLast, kStart, kEnd, kNow };
  Kind kind = Kind::kEnd;
  std::string mark;
  std::shared_ptr<const Selector> event;

  [[nodiscard]] std::string text() const;
};

struct Window {
  Edge from, to;

  [[nodiscard]] std::string text() const;  // "[quiet, end]"
};

struct FieldTest {
  std::string path;
  Matcher matcher;

  [[nodiscard]] std::string text() const;
};

struct Selector {
  bool conns = false;  // selects connections, not events
  std::string let;     // the name it was given, for texts

  std::vector<std::string> events;  // event types; empty: any
  std::vector<std::string> apis;    // events: of this API; connections: used one of them
  std::vector<int> brokers;
  std::vector<std::string> roles;  // of the (event's) connection
  std::string by;                  // "client" or "broker"; of connections: who closed first
  std::string call, name, client;  // members of notes
  std::vector<std::shared_ptr<const Selector>> in;  // connections selected by one of these
  std::vector<FieldTest> where;
  std::vector<Window> windows;  // in each of them
  std::optional<Edge> after, before;
  // 1 = the first, -1 = the last, 0 = all.
  int nth = 0;
  bool or_last_before = false;  // nothing in the window: the last one before it
  bool anywhere = false;        // not narrowed to the subject of `each`

  // Connections only.
  std::optional<Window> closed_in, opened_in;
  std::optional<Edge> open_at;

  [[nodiscard]] std::string text() const;
};

}  // namespace ktrial::harness
