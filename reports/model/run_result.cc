// SPDX-License-Identifier: Apache-2.0
#include "reports/model/run_result.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

namespace ktrial::reports {
namespace {

constexpr std::array<std::pair<Verdict, std::string_view>, 8> kNames{{
    {Verdict::kPass, "pass"},
    {Verdict::kNonstrict, "nonstrict"},
    {Verdict::kInfo, "info"},
    {Verdict::kNotApplicable, "n/a"},
    {Verdict::kUnsupported, "unsupported"},
    {Verdict::kInconclusive, "inconclusive"},
    {Verdict::kFail, "fail"},
    {Verdict::kError, "error"},
}};

std::string columns_with(const std::vector<CaseResult>& cases, Verdict verdict) {
  std::set<std::string> columns;
  for (const CaseResult& one : cases) {
    if (one.verdict == verdict) columns.insert(one.column());
  }
  return fmt::format("{}", fmt::join(columns, ", "));
}

}  // namespace

std::string_view to_string(Verdict verdict) {
  return std::find_if(kNames.begin(), kNames.end(),
                      [verdict](const auto& entry) { return entry.first == verdict; })
      ->second;
}

std::optional<Verdict> parse_verdict(std::string_view text) {
  for (const auto& [verdict, name] : kNames) {
    if (name == text) return verdict;
  }
  return std::nullopt;
}

std::map<Verdict, std::size_t> RunResult::counts() const {
  std::map<Verdict, std::size_t> counts;
  for (const CaseResult& one : cases) ++counts[one.verdict];
  return counts;
}

std::string RunResult::sentence() const {
  if (cases.empty()) return "No case was run.";
  const auto by_verdict = counts();
  const auto count = [&by_verdict](Verdict verdict) {
    const auto found = by_verdict.find(verdict);
    return found == by_verdict.end() ? std::size_t{0} : found->second;
  };
  const auto part = [&](Verdict verdict, std::string_view what) {
    return fmt::format("{} {} in {}", count(verdict), what, columns_with(cases, verdict));
  };
  std::vector<std::string> parts;
  if (count(Verdict::kFail) > 0) parts.push_back(part(Verdict::kFail, "failing"));
  if (count(Verdict::kError) > 0) parts.push_back(part(Verdict::kError, "in error"));
  if (count(Verdict::kInconclusive) > 0) {
    parts.push_back(part(Verdict::kInconclusive, "inconclusive"));
  }
  if (!complete) parts.emplace_back("the run was cut short");
  if (parts.empty()) {
    return fmt::format("PASSED: {} cases, none failing, none inconclusive.", cases.size());
  }
  const bool failed = count(Verdict::kFail) > 0;
  const bool error = count(Verdict::kError) > 0;
  return fmt::format("{}: {}.",
                     failed  ? "FAILED"
                     : error ? "ERROR"
                             : "INCONCLUSIVE",
                     fmt::join(parts, "; "));
}

}  // namespace ktrial::reports
