// SPDX-License-Identifier: Apache-2.0
#include "clients/reference/mutants.h"

#include <algorithm>
#include <string>

namespace ktrial::client {

Result<Mutants> Mutants::parse(std::string_view list) {
  Mutants mutants;
  while (!list.empty()) {
    const std::size_t comma = list.find(',');
    std::string_view name = list.substr(0, comma);
    list = comma == std::string_view::npos ? std::string_view() : list.substr(comma + 1);
    while (!name.empty() && name.front() == ' ') name.remove_prefix(1);
    while (!name.empty() && name.back() == ' ') name.remove_suffix(1);
    if (name.empty()) continue;
    const auto* found = std::ranges::find(kMutantNames, name);
    if (found == kMutantNames.end()) {
      return fail(Errc::kUnsupported, "mutant " + std::string(name));
    }
    mutants.set_.set(static_cast<std::size_t>(found - kMutantNames.begin()));
  }
  return mutants;
}

}  // namespace ktrial::client
