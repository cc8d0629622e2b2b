// SPDX-License-Identifier: Apache-2.0
#include "harness/verdict/verdict.h"

namespace ktrial::harness {

std::string_view to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::kPass:
      return "pass";
    case Verdict::kNonstrict:
      return "nonstrict";
    case Verdict::kInconclusive:
      return "inconclusive";
    case Verdict::kFail:
      return "fail";
    case Verdict::kError:
      return "error";
    case Verdict::kInfo:
      return "info";
    case Verdict::kNotApplicable:
      return "n/a";
    case Verdict::kUnsupported:
      return "unsupported";
  }
  return "error";
}

bool is_neutral(Verdict verdict) { return verdict >= Verdict::kInfo; }

Verdict worse(Verdict a, Verdict b) {
  if (is_neutral(a)) return is_neutral(b) ? (a == Verdict::kInfo ? a : b) : b;
  if (is_neutral(b)) return a;
  return a < b ? b : a;
}

}  // namespace ktrial::harness
