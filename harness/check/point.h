// SPDX-License-Identifier: Apache-2.0
// Points in time for gap: something of the connection at hand (inside `each`), a mark, an event.
#pragma once

#include "harness/check/check.h"

#include <optional>
#include <string>

namespace ktrial::harness {

struct FoundPoint {
  std::int64_t at_ns = 0;
  Evidence evidence;
};

class Point {
 public:
  static Point read(Reader& reader, const Node& node);

  // The first at or after `from` (events: after), if it is an event of a kind.
  [[nodiscard]] std::optional<FoundPoint> find(const JudgeContext& context,
                                               std::optional<Moment> from, Outcome& outcome) const;
  [[nodiscard]] const std::string& text() const { return text_; }
  // last_payload and the like: only inside each over connections.
  [[nodiscard]] bool of_connection() const { return !word_.empty() && word_ != "it"; }

 private:
  std::string text_;
  std::string word_;  // "last_payload", "it", ...; else the edge
  Edge edge_;
};

}  // namespace ktrial::harness
