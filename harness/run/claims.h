// SPDX-License-Identifier: Apache-2.0
// The founding article's claims (scenarios/claims.yaml): what each says, in our words, and why
// some cannot be seen on the wire. Checks that decide a claim name it (`decides: C9`).
#pragma once

#include "common/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace ktrial::harness {

struct Claim {
  std::string id;  // "C9"
  std::string text;
  std::string unobservable;  // why; empty: it can be observed
};

// An Error names file, line and column.
Result<std::vector<Claim>> read_claims(const std::string& path);

const Claim* find_claim(const std::vector<Claim>& claims, std::string_view id);

}  // namespace ktrial::harness
