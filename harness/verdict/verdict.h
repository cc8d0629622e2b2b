// SPDX-License-Identifier: Apache-2.0
// Verdicts and what a check's result carries. The lattice only worsens: pass < nonstrict <
// inconclusive < fail < error; info, n/a and unsupported are neutral.
#pragma once

#include <boost/json.hpp>

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace ktrial::harness {

enum class Verdict : std::uint8_t {
  kPass,
  kNonstrict,  // a SHOULD that does not hold
  kInconclusive,
  kFail,
  kError,
  kInfo,
  kNotApplicable,
  kUnsupported,
};

std::string_view to_string(Verdict verdict);  // "pass", "n/a", ...
bool is_neutral(Verdict verdict);
// The worse of two; a neutral one yields to any that is not.
Verdict worse(Verdict a, Verdict b);

// A place in the log: stamps order it, packet numbers break ties.
struct Moment {
  std::int64_t at_ns = 0;
  std::uint64_t packet = 0;

  auto operator<=>(const Moment&) const = default;
};

struct Evidence {
  std::uint64_t packet = 0;
  std::int64_t at_ns = 0;
  int conn = -1;
  std::string text;
};

struct Quantity {  // one term of the arithmetic
  std::string name;
  boost::json::value value;
  std::string unit;
};

struct JudgedWindow {
  Moment from, to;
  std::string label;
};

// What a check found, before the preconditions and its level are looked at.
struct Outcome {
  Verdict verdict = Verdict::kPass;
  std::string sentence;
  std::string reason;  // code of an inconclusive one: "not_reached", "host_stall", ...
  std::vector<Evidence> evidence;
  std::vector<Quantity> arithmetic;
  std::vector<JudgedWindow> windows;  // what had to be captured completely
  std::set<int> conns;                // whose streams had to be complete; empty: all
  bool timing = false;                // stalls of the host matter
  // Of an INFO check: what `expect` is compared with.
  boost::json::value measured;
};

}  // namespace ktrial::harness
