// SPDX-License-Identifier: Apache-2.0
// Check: one primitive or combinator, read from YAML and judged over a log. A check is pure: it
// looks at the log and says what it found, with packets and arithmetic; whether the capture and
// the host were good enough is the verdict's part (harness/verdict).
#pragma once

#include "harness/check/select.h"
#include "harness/scenario/reader.h"
#include "harness/verdict/tolerance.h"
#include "harness/verdict/verdict.h"

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ktrial::harness {

struct JudgeContext {
  const LogView& view;
  const HostRecord& host;
  double time_scale = 1;
  Subject subject{};
};

class Check {
 public:
  Check() = default;
  Check(const Check&) = delete;
  Check& operator=(const Check&) = delete;
  virtual ~Check() = default;

  [[nodiscard]] virtual Outcome judge(const JudgeContext& context) const = 0;
  // The primitive with everything spelt out, on one line.
  [[nodiscard]] virtual std::string expanded() const = 0;
};

using CheckPointer = std::shared_ptr<const Check>;

// A primitive or a combinator, by the key that names it.
struct CheckKind {
  std::string_view key;
  std::string_view asserts;  // one line for lists and documentation
  // `node` is what stands behind the key. Never null; faults go to the reader.
  CheckPointer (*read)(Reader&, const Node& node, bool info);
};
const std::vector<CheckKind>& check_kinds();  // registry.cc

// A map with one check key, or an `each` around the others.
CheckPointer read_check_body(Reader& reader, const Node& node, bool info);
std::vector<std::string> check_keys();

// A check that never was: keeps reading going after a fault.
CheckPointer no_check();

// ---- what primitives share

// Adds the windows of a selection; its unreached mark makes the outcome inconclusive: true.
bool not_reached(const Selection& selection, const LogView& view, Outcome& outcome);
// Evidence of the first few, connections by their first packet.
void add_evidence(const Selection& selection, const LogView& view, Outcome& outcome,
                  std::size_t most = 5);
Evidence connection_evidence(const capture::Connection& conn, const LogView& view);
// "12, 14, 19 and 3 more"
std::string packets_of(const Selection& selection);
// " in [quiet 1.200 s #12, end 4.500 s #45]": windows with times and packets, "" if none.
std::string in_windows(const Selection& selection, const LogView& view);
// What was there instead: "seen there: req Metadata x3, resp Metadata x3".
std::string seen_instead(const Selection& selection, const LogView& view);

// eq, min, max of a number, as count and stat have them.
struct NumberBounds {
  std::optional<double> least, most;

  [[nodiscard]] bool holds(double value) const;
  [[nodiscard]] bool any() const { return least || most; }
  [[nodiscard]] std::string text() const;  // "= 5", ">= 1", "from 2 to 4"
};
NumberBounds read_bounds(MapReader& map);
std::string print_number(double value);

}  // namespace ktrial::harness
