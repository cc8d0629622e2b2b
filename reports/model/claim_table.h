// SPDX-License-Identifier: Apache-2.0
// The founding article's claims, and what a run says of each for each client: checks decide them.
#pragma once

#include "reports/model/run_result.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ktrial::reports {

enum class ClaimVerdict : std::uint8_t { kHolds, kPartly, kFails, kNotJudged };

std::string_view to_string(ClaimVerdict verdict);  // "holds", "partly", "does not hold", ...

struct ClaimCell {
  std::size_t held = 0, failed = 0;  // deciding checks, over all cases and repetitions
  std::vector<std::size_t> cases;    // indices in the run of cases that decided, or should have
  bool finding = false;              // a deciding check shows something else than expected

  [[nodiscard]] ClaimVerdict verdict() const;
};

struct ClaimRow {
  Claim claim;
  std::map<std::string, ClaimCell> cells;  // by column
};

struct ClaimTable {
  std::vector<std::string> columns;  // client@version
  std::vector<ClaimRow> rows;        // in the order of the run's claims
};

// No rows if the run decides no claims.
ClaimTable claim_table(const RunResult& run);

}  // namespace ktrial::reports
