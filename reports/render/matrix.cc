// SPDX-License-Identifier: Apache-2.0
#include "reports/render/matrix.h"

#include "reports/render/xml.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

namespace ktrial::reports {
namespace {

std::string_view icon(Verdict verdict) {
  switch (verdict) {
    case Verdict::kPass:
      return "\u2713";
    case Verdict::kNonstrict:
      return "\u223c";
    case Verdict::kInfo:
      return "i";
    case Verdict::kNotApplicable:
      return "\u2013";
    case Verdict::kUnsupported:
      return "\u2205";
    case Verdict::kInconclusive:
      return "?";
    case Verdict::kFail:
      return "\u2717";
    case Verdict::kError:
      return "!";
  }
  return "";
}

std::string css(Verdict verdict) {
  return verdict == Verdict::kNotApplicable ? "na" : std::string(to_string(verdict));
}

std::string area_of(std::string_view id) { return std::string(id.substr(0, id.find('/'))); }

// An id in a narrow column breaks after a slash.
std::string breakable(std::string_view id) {
  std::string out;
  for (const char letter : escape(id)) {
    out += letter;
    if (letter == '/') out += "<wbr>";
  }
  return out;
}

// One variant of a scenario: id "connection/idle/who-closes-first", variant "first=client".
struct Row {
  std::string id, variant, title;
  std::map<std::string, std::vector<std::size_t>> cells;  // column -> case indices
};

std::vector<std::string> columns_of(const RunResult& run) {
  std::set<std::string> columns;
  for (const CaseResult& one : run.cases) columns.insert(one.column());
  return {columns.begin(), columns.end()};
}

std::vector<Row> rows_of(const RunResult& run) {
  std::vector<Row> rows;
  for (std::size_t i = 0; i < run.cases.size(); ++i) {
    const CaseResult& one = run.cases[i];
    auto row = std::find_if(rows.begin(), rows.end(), [&one](const Row& other) {
      return other.id == one.id && other.variant == one.variant;
    });
    if (row == rows.end()) row = rows.insert(rows.end(), Row{one.id, one.variant, one.title, {}});
    row->cells[one.column()].push_back(i);
  }
  return rows;
}

std::string cell_html(const RunResult& run, const std::vector<std::size_t>& indices) {
  std::string out;
  for (const std::size_t index : indices) {
    const CaseResult& one = run.cases[index];
    const std::string word(to_string(one.verdict));
    out += fmt::format(
        "<a class=\"cell v-{}\" href=\"#{}\" title=\"{}{}{}\"><span "
        "aria-hidden=\"true\">{}</span><span class=\"word\">{}</span></a>",
        css(one.verdict), case_anchor(run, index), word, one.reason.empty() ? "" : ": ",
        escape(one.reason), icon(one.verdict), word);
  }
  return out;
}

}  // namespace

std::string verdict_chip(Verdict verdict, std::string_view text) {
  return fmt::format("<span class=\"chip v-{}\"><span aria-hidden=\"true\">{}</span> {}</span>",
                     css(verdict), icon(verdict), escape(text));
}

std::string case_anchor(const RunResult& run, std::size_t index) {
  const CaseResult& one = run.cases[index];
  std::string id = "c_" + anchor(one.id) + "_" + anchor(one.column());
  const auto earlier =
      std::count_if(run.cases.begin(), run.cases.begin() + static_cast<std::ptrdiff_t>(index),
                    [&one](const CaseResult& other) {
                      return other.id == one.id && other.column() == one.column();
                    });
  if (earlier > 0) id += fmt::format("_{}", earlier + 1);
  return id;
}

std::string matrix_html(const RunResult& run) {
  const std::vector<std::string> columns = columns_of(run);
  std::string out = "<table class=\"matrix\"><thead><tr><th scope=\"col\">Scenario</th>";
  for (const std::string& column : columns) {
    const std::size_t at = column.find('@');
    out += fmt::format("<th scope=\"col\"><span>{}</span><small>{}</small></th>",
                       escape(column.substr(0, at)), escape(column.substr(at + 1)));
  }
  out += "</tr></thead><tbody>";
  std::string area;
  for (const Row& row : rows_of(run)) {
    if (area_of(row.id) != area) {
      area = area_of(row.id);
      out += fmt::format(
          "<tr class=\"area\"><th scope=\"rowgroup\" colspan=\"{}\"><span>{}</span></th></tr>",
          columns.size() + 1, escape(area));
    }
    out += fmt::format(
        "<tr><th scope=\"row\"><span class=\"id\">{}{}</span><span class=\"title\">{}</span></th>",
        breakable(row.id),
        row.variant.empty() ? "" : fmt::format(" <b>{}</b>", escape(row.variant)),
        escape(row.title));
    for (const std::string& column : columns) {
      const auto found = row.cells.find(column);
      out +=
          found == row.cells.end() ? "<td></td>" : "<td>" + cell_html(run, found->second) + "</td>";
    }
    out += "</tr>";
  }
  return out + "</tbody></table>";
}

}  // namespace ktrial::reports
