// SPDX-License-Identifier: Apache-2.0
#include "reports/model/choose_case.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

namespace ktrial::reports {
namespace {

bool fits(const CaseResult& one, const CaseChoice& choice) {
  return one.id == choice.id &&
         (choice.client.empty() || one.client == choice.client || one.column() == choice.client) &&
         (choice.variant.empty() || one.variant == choice.variant);
}

// "--client java@4.4.0 --variant answers=slow": the options that name this case alone.
std::string options_of(const CaseResult& one) {
  std::string options = "--client " + one.column();
  if (!one.variant.empty()) options += fmt::format(" --variant '{}'", one.variant);
  return options;
}

std::set<std::string> ids_of(const RunResult& run) {
  std::set<std::string> ids;
  for (const CaseResult& one : run.cases) ids.insert(one.id);
  return ids;
}

}  // namespace

Result<std::size_t> choose_case(const RunResult& run, const CaseChoice& choice) {
  std::set<std::string> fitting, others;
  std::size_t first = run.cases.size();
  for (std::size_t i = 0; i < run.cases.size(); ++i) {
    const CaseResult& one = run.cases[i];
    if (one.id == choice.id) others.insert(options_of(one));
    if (!fits(one, choice)) continue;
    fitting.insert(options_of(one));
    first = std::min(first, i);
  }
  if (fitting.size() == 1) return first;
  if (fitting.size() > 1) {
    return fail(Errc::kInvalidArgument,
                fmt::format("'{}' is {} cases; choose by {}", choice.id, fitting.size(),
                            fmt::join(fitting, ", or ")),
                run.dir);
  }
  if (!others.empty()) {
    return fail(Errc::kNotFound,
                fmt::format("'{}' has no such case, only {}", choice.id, fmt::join(others, ", ")),
                run.dir);
  }
  return fail(Errc::kNotFound,
              fmt::format("no case '{}'; this run has {}", choice.id, fmt::join(ids_of(run), ", ")),
              run.dir);
}

Result<double> point_in_time(const CaseResult& one, const std::string& text) {
  double seconds = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, seconds);
  if (error == std::errc{} && stop == end && std::isfinite(seconds) && seconds >= 0) return seconds;
  std::vector<std::string> marks;
  for (const Moment& moment : one.moments) {
    if (moment.kind != "mark") continue;
    if (moment.text == text) return moment.t;
    marks.push_back(moment.text);
  }
  return fail(Errc::kInvalidArgument,
              fmt::format("'{}' is no number of seconds and no mark of this case; its marks: {}",
                          text, marks.empty() ? "none" : fmt::format("{}", fmt::join(marks, ", "))),
              one.id);
}

}  // namespace ktrial::reports
