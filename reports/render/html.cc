// SPDX-License-Identifier: Apache-2.0
#include "reports/render/html.h"

#include "embedded/ktrial_reports.h"
#include "reports/render/case_page.h"
#include "reports/render/claims_page.h"
#include "reports/render/matrix.h"
#include "reports/render/xml.h"

#include <fmt/format.h>

#include <kainjow/mustache.hpp>

namespace ktrial::reports {
namespace {

namespace mustache = kainjow::mustache;

std::string counts_html(const RunResult& run) {
  std::string out;
  for (const auto& [verdict, count] : run.counts()) {
    out += verdict_chip(verdict, fmt::format("{} {}", count, to_string(verdict))) + ' ';
  }
  return out;
}

std::string facts_html(const RunResult& run) {
  std::string out;
  const auto row = [&out](std::string_view name, const std::string& text) {
    if (!text.empty())
      out +=
          fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td></tr>", escape(name), escape(text));
  };
  row("started", run.started);
  row("ktrial", run.ktrial_version);
  std::string arguments;
  for (const std::string& argument : run.arguments) arguments += argument + ' ';
  row("command", arguments);
  const auto each = [&row](const boost::json::object& facts) {
    for (const auto& [name, fact] : facts) {
      row(name, fact.is_string() ? std::string(fact.as_string()) : boost::json::serialize(fact));
    }
  };
  each(run.host);
  each(run.calibration);
  row("folder", run.dir);
  return out;
}

std::string_view tone(const RunResult& run) {
  const auto counts = run.counts();
  if (counts.contains(Verdict::kFail) || counts.contains(Verdict::kError)) return "bad";
  if (counts.contains(Verdict::kInconclusive) || !run.complete || run.cases.empty())
    return "unsure";
  return "good";
}

}  // namespace

std::string html_report(const RunResult& run) {
  std::string cases;
  for (std::size_t i = 0; i < run.cases.size(); ++i) cases += case_html(run, i);
  mustache::mustache form{std::string(kPageMustache)};
  // The templates take everything as it is: what is untrusted is escaped here.
  mustache::data data;
  data.set("css", fmt::format("{}{}{}", kPaletteCss, kReportCss, kSwimlaneCss));
  data.set("sentence", escape(run.sentence()));
  data.set("tone", std::string(tone(run)));
  data.set("counts", counts_html(run));
  data.set("matrix", matrix_html(run));
  data.set("claims", claims_html(run));
  data.set("has_claims", !run.claims.empty());
  data.set("cases", cases);
  data.set("facts", facts_html(run));
  data.set("started", escape(run.started));
  return form.render(data);
}

}  // namespace ktrial::reports
