// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/scenario.h"

#include "harness/scenario/read_parts.h"

namespace ktrial::harness {

std::string_view to_string(Level level) {
  switch (level) {
    case Level::kMust:
      return "MUST";
    case Level::kShould:
      return "SHOULD";
    case Level::kInfo:
      return "INFO";
  }
  return "MUST";
}

std::string Scenario::full_id() const { return variant.empty() ? id : id + "/" + variant; }

std::vector<std::string> Scenario::killed_by(std::string_view mutant) const {
  std::vector<std::string> out;
  for (const Mutant& each : mutants) {
    if (each.name != mutant || !covers(each.only, axes)) continue;
    out.insert(out.end(), each.checks.begin(), each.checks.end());
  }
  return out;
}

}  // namespace ktrial::harness
