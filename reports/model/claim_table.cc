// SPDX-License-Identifier: Apache-2.0
#include "reports/model/claim_table.h"

#include <algorithm>
#include <set>

namespace ktrial::reports {

std::string_view to_string(ClaimVerdict verdict) {
  switch (verdict) {
    case ClaimVerdict::kHolds:
      return "holds";
    case ClaimVerdict::kPartly:
      return "partly";
    case ClaimVerdict::kFails:
      return "does not hold";
    case ClaimVerdict::kNotJudged:
      return "not judged";
  }
  return "";
}

ClaimVerdict ClaimCell::verdict() const {
  if (held + failed == 0) return ClaimVerdict::kNotJudged;
  if (failed == 0) return ClaimVerdict::kHolds;
  return held == 0 ? ClaimVerdict::kFails : ClaimVerdict::kPartly;
}

ClaimTable claim_table(const RunResult& run) {
  ClaimTable table;
  std::map<std::string, std::size_t> row_of;
  for (const Claim& claim : run.claims) {
    row_of[claim.id] = table.rows.size();
    table.rows.push_back({claim, {}});
  }
  std::set<std::string> columns;
  for (std::size_t i = 0; i < run.cases.size(); ++i) {
    const CaseResult& one = run.cases[i];
    columns.insert(one.column());
    for (const std::string& claim : one.decides) {
      const auto row = row_of.find(claim);
      if (row != row_of.end()) table.rows[row->second].cells[one.column()].cases.push_back(i);
    }
    for (const CheckResult& check : one.checks) {
      for (const std::string& claim : check.decides) {
        const auto row = row_of.find(claim);
        if (row == row_of.end()) continue;
        ClaimCell& cell = table.rows[row->second].cells[one.column()];
        if (check.holds) ++(*check.holds ? cell.held : cell.failed);
        cell.finding = cell.finding || check.finding;
      }
    }
  }
  table.columns.assign(columns.begin(), columns.end());
  return table;
}

}  // namespace ktrial::reports
