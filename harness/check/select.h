// SPDX-License-Identifier: Apache-2.0
// Applying a selector to a log.
#pragma once

#include "harness/check/log_view.h"
#include "harness/check/selector.h"

#include <optional>
#include <string>
#include <vector>

namespace ktrial::harness {

// What `each` narrows selectors to.
struct Subject {
  const capture::Connection* conn = nullptr;
  std::optional<int> broker;
  const capture::Event* event = nullptr;
};

struct Selection {
  std::vector<const capture::Event*> events;
  std::vector<const capture::Connection*> conns;
  // A mark that the steps never set: nothing can be said about the window.
  std::optional<std::string> unreached;
  std::vector<JudgedWindow> windows;  // resolved; empty: the whole log

  [[nodiscard]] std::size_t size() const { return events.size() + conns.size(); }
};

Selection select(const Selector& selector, const LogView& view, const Subject& subject = {});

struct ResolvedEdge {
  std::optional<Moment> at;              // absent: no such event, or the mark was not reached
  std::optional<std::string> unreached;  // the mark
};
ResolvedEdge resolve(const Edge& edge, const LogView& view);

// When a connection's first and last sign of ending was seen.
std::optional<std::int64_t> first_end_ns(const capture::Connection& conn);
// When the client side was done with it: its own FIN or RST, or the broker's RST.
std::optional<std::int64_t> client_done_ns(const capture::Connection& conn);

}  // namespace ktrial::harness
