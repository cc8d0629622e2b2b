// SPDX-License-Identifier: Apache-2.0
#include "reports/render/junit.h"

#include "reports/render/xml.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <vector>

namespace ktrial::reports {
namespace {

// What a log viewer shows of a case: one line a check, with its first packets.
std::string body_of(const CaseResult& one) {
  std::string out;
  for (const CheckResult& check : one.checks) {
    out += fmt::format("{} {} [{} {}] {}\n", to_string(check.verdict), check.id, check.level,
                       check.basis, check.sentence);
    if (check.verdict != Verdict::kFail && check.verdict != Verdict::kInconclusive) continue;
    for (std::size_t i = 0; i < std::min<std::size_t>(5, check.evidence.size()); ++i) {
      const Evidence& evidence = check.evidence[i];
      out += fmt::format("    packet {} at {:.6f} s: {}\n", evidence.packet, evidence.t,
                         evidence.text);
    }
  }
  return out;
}

std::string outcome(const CaseResult& one) {
  const auto worst =
      std::find_if(one.checks.begin(), one.checks.end(),
                   [&one](const CheckResult& check) { return check.verdict == one.verdict; });
  const std::string check =
      worst == one.checks.end() ? std::string(to_string(one.verdict)) : worst->id;
  const std::string message = !one.reason.empty()         ? one.reason
                              : worst == one.checks.end() ? ""
                                                          : worst->sentence;
  if (!one.known.empty()) return fmt::format("<skipped message=\"{}\"/>", escape(message));
  switch (one.verdict) {
    case Verdict::kFail:
      return fmt::format("<failure type=\"{}\" message=\"{}\">{}</failure>", escape(check),
                         escape(message), escape(body_of(one)));
    case Verdict::kError:
    case Verdict::kInconclusive:
      return fmt::format("<error type=\"{}\" message=\"{}\">{}</error>", to_string(one.verdict),
                         escape(message), escape(body_of(one)));
    case Verdict::kNotApplicable:
    case Verdict::kUnsupported:
      return fmt::format("<skipped message=\"{}: {}\"/>", to_string(one.verdict), escape(message));
    default:
      return fmt::format("<system-out>{}</system-out>", escape(body_of(one)));
  }
}

std::string testcase(const CaseResult& one) {
  return fmt::format(
      "    <testcase name=\"{}\" classname=\"ktrial.{}.{}\" time=\"{:.3f}\" file=\"{}\" "
      "line=\"{}\">"
      "<properties><property name=\"verdict\" value=\"{}\"/><property name=\"attempts\" "
      "value=\"{}\"/></properties>{}</testcase>\n",
      escape(one.id), escape(one.column()), escape(one.id.substr(0, one.id.find('/'))), one.seconds,
      escape(one.file), one.line, to_string(one.verdict), one.attempt_count, outcome(one));
}

struct Totals {
  std::size_t tests = 0, failures = 0, errors = 0, skipped = 0;
  double seconds = 0;

  void add(const CaseResult& one) {
    ++tests;
    seconds += one.seconds;
    failures += one.verdict == Verdict::kFail && one.known.empty();
    errors += one.verdict == Verdict::kError || one.verdict == Verdict::kInconclusive;
    skipped += one.verdict == Verdict::kNotApplicable || one.verdict == Verdict::kUnsupported ||
               !one.known.empty();
  }
  [[nodiscard]] std::string attributes() const {
    return fmt::format("tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{:.3f}\"",
                       tests, failures, errors, skipped, seconds);
  }
};

}  // namespace

std::string junit_xml(const RunResult& run) {
  std::map<std::string, std::pair<Totals, std::string>> suites;
  Totals all;
  for (const CaseResult& one : run.cases) {
    auto& [totals, text] = suites[one.column()];
    totals.add(one);
    all.add(one);
    text += testcase(one);
  }
  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  out += fmt::format("<testsuites name=\"ktrial\" {}>\n", all.attributes());
  for (const auto& [column, suite] : suites) {
    out += fmt::format("  <testsuite name=\"{}\" {}>\n{}  </testsuite>\n", escape(column),
                       suite.first.attributes(), suite.second);
  }
  return out + "</testsuites>\n";
}

}  // namespace ktrial::reports
