// SPDX-License-Identifier: Apache-2.0
#include "reports/render/claims_page.h"

#include "reports/model/claim_table.h"
#include "reports/render/matrix.h"
#include "reports/render/xml.h"

#include <fmt/format.h>

#include <algorithm>

namespace ktrial::reports {
namespace {

constexpr std::string_view kNoCase =
    "<td class=\"none\" title=\"no case of this run is about it for this client\">\u00b7</td>";

struct Look {
  std::string_view icon, css;
};

Look look_of(ClaimVerdict verdict) {
  switch (verdict) {
    case ClaimVerdict::kHolds:
      return {"\u2713", "claim-holds"};
    case ClaimVerdict::kPartly:
      return {"\u00bd", "claim-partly"};
    case ClaimVerdict::kFails:
      return {"\u2717", "claim-fails"};
    case ClaimVerdict::kNotJudged:
      return {"\u2013", "claim-none"};
  }
  return {};
}

// The case to look at: one that contradicts the claim if there is one.
std::size_t telling_case(const RunResult& run, const std::string& claim, const ClaimCell& cell) {
  const auto contradicts = [&](std::size_t index) {
    return std::any_of(run.cases[index].checks.begin(), run.cases[index].checks.end(),
                       [&claim](const CheckResult& check) {
                         return check.holds == false &&
                                std::find(check.decides.begin(), check.decides.end(), claim) !=
                                    check.decides.end();
                       });
  };
  const auto found = std::find_if(cell.cases.begin(), cell.cases.end(), contradicts);
  return found == cell.cases.end() ? cell.cases.front() : *found;
}

std::string cell_html(const RunResult& run, const std::string& claim, const ClaimCell& cell) {
  const ClaimVerdict verdict = cell.verdict();
  const Look look = look_of(verdict);
  std::string word(to_string(verdict));
  std::string brief = verdict == ClaimVerdict::kFails ? "no" : word;  // columns are many
  // Not judged because of what the client is: say which.
  const std::size_t told = telling_case(run, claim, cell);
  const Verdict why = run.cases[told].verdict;
  if (verdict == ClaimVerdict::kNotJudged &&
      (why == Verdict::kNotApplicable || why == Verdict::kUnsupported))
    word = brief = to_string(why);
  if (verdict == ClaimVerdict::kPartly) {
    brief = fmt::format("{} of {}", cell.held, cell.held + cell.failed);
    word += ", " + brief;
  }
  return fmt::format(
      "<td><a class=\"cell {}\" href=\"#{}\" title=\"{}{}\"><span aria-hidden=\"true\">{}</span>"
      "<span class=\"word\">{}</span>{}</a></td>",
      look.css, case_anchor(run, told), escape(word), cell.finding ? "; not as expected" : "",
      look.icon, escape(brief), cell.finding ? "<span class=\"finding\">finding</span>" : "");
}

}  // namespace

std::string claims_html(const RunResult& run) {
  const ClaimTable table = claim_table(run);
  if (table.rows.empty()) return {};
  std::string out = "<table class=\"matrix claims\"><thead><tr><th scope=\"col\">Claim</th>";
  for (const std::string& column : table.columns) {
    const std::size_t at = column.find('@');
    out += fmt::format("<th scope=\"col\"><span>{}</span><small>{}</small></th>",
                       escape(column.substr(0, at)), escape(column.substr(at + 1)));
  }
  out += "</tr></thead><tbody>";
  for (const ClaimRow& row : table.rows) {
    out += fmt::format("<tr><th scope=\"row\"><span class=\"id\">{}</span> {}",
                       escape(row.claim.id), escape(row.claim.text));
    // Beside the claim, not across the columns: there it could be scrolled out of sight.
    if (!row.claim.unobservable.empty()) {
      out += fmt::format(
          "<span class=\"unobservable\">not observable: {}</span></th><td "
          "colspan=\"{}\"></td></tr>",
          escape(row.claim.unobservable), table.columns.size());
      continue;
    }
    out += "</th>";
    for (const std::string& column : table.columns) {
      const auto cell = row.cells.find(column);
      out += cell == row.cells.end() ? kNoCase : cell_html(run, row.claim.id, cell->second);
    }
    out += "</tr>";
  }
  return out + "</tbody></table>";
}

}  // namespace ktrial::reports
