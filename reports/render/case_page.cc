// SPDX-License-Identifier: Apache-2.0
#include "reports/render/case_page.h"

#include "embedded/ktrial_reports.h"
#include "reports/render/matrix.h"
#include "reports/render/swimlane.h"
#include "reports/render/xml.h"

#include <fmt/format.h>

#include <algorithm>
#include <kainjow/mustache.hpp>
#include <set>
#include <vector>

namespace ktrial::reports {
namespace {

namespace mustache = kainjow::mustache;

constexpr std::size_t kMaxRequests = 60;  // rows shown; the rest is in case.jsonl
constexpr std::size_t kMaxEvidence = 8;

std::string check_detail(const CheckResult& check) {
  std::string out;
  if (!check.requirement.empty())
    out += fmt::format("<p class=\"req\">{}</p>", escape(check.requirement));
  if (!check.arithmetic.empty()) {
    out += "<p class=\"terms\">";
    for (const Quantity& term : check.arithmetic) {
      out += fmt::format("<span class=\"term\"><i>{}</i> {}{}{}</span> ", escape(term.name),
                         escape(term.value), term.unit.empty() ? "" : "\u202f", escape(term.unit));
    }
    out += "</p>";
  }
  if (!check.evidence.empty()) {
    out += "<ul class=\"evidence\">";
    const std::size_t shown = std::min(check.evidence.size(), kMaxEvidence);
    for (std::size_t i = 0; i < shown; ++i) {
      const Evidence& one = check.evidence[i];
      out += fmt::format("<li><b>#{}</b> {:.6f} s{} {}</li>", one.packet, one.t,
                         one.conn < 0 ? "" : fmt::format(" conn#{}", one.conn), escape(one.text));
    }
    if (shown < check.evidence.size())
      out += fmt::format("<li>and {} more</li>", check.evidence.size() - shown);
    out += "</ul>";
  }
  for (const std::string& precondition : check.preconditions)
    out += fmt::format("<p class=\"pre\">{}</p>", escape(precondition));
  if (!check.expanded.empty())
    out += fmt::format("<p class=\"pre\"><code>{}</code></p>", escape(check.expanded));
  if (!check.tshark.empty())
    out += fmt::format("<p class=\"pre\">Wireshark: <code>{}</code></p>", escape(check.tshark));
  return out;
}

std::string checks_html(const CaseResult& one) {
  std::string out;
  for (const CheckResult& check : one.checks) {
    const std::string detail = check_detail(check);
    const bool open = check.verdict == Verdict::kFail || check.verdict == Verdict::kInconclusive ||
                      check.verdict == Verdict::kError;
    std::string claims;
    for (const std::string& claim : check.claims)
      claims += " <span class=\"tag\">" + escape(claim) + "</span>";
    out += fmt::format(
        "<tr><td>{}</td><td class=\"nowrap\">{} "
        "<small>{}</small></td><td><details{}><summary><b>{}</b>{} "
        "{}</summary>{}</details></td></tr>",
        verdict_chip(check.verdict, to_string(check.verdict)), escape(check.level),
        escape(check.basis), open ? " open" : "", escape(check.id), claims, escape(check.sentence),
        detail);
  }
  return out;
}

// The first requests, the last few, and every one that a failing check cites.
std::vector<std::size_t> requests_shown(const CaseResult& one) {
  std::set<std::uint64_t> cited;
  for (const CheckResult& check : one.checks) {
    if (check.verdict != Verdict::kFail) continue;
    for (const Evidence& evidence : check.evidence) cited.insert(evidence.packet);
  }
  std::vector<std::size_t> shown;
  const std::size_t total = one.requests.size();
  for (std::size_t i = 0; i < total; ++i) {
    const bool at_edge = i < kMaxRequests * 2 / 3 || i + kMaxRequests / 3 >= total;
    const Request& request = one.requests[i];
    if (at_edge || cited.contains(request.packet) || cited.contains(request.response_packet))
      shown.push_back(i);
  }
  return shown;
}

std::string requests_html(const CaseResult& one) {
  std::string out;
  std::size_t next = 0;
  for (const std::size_t i : requests_shown(one)) {
    if (i != next)
      out += fmt::format("<tr class=\"gap\"><td colspan=\"8\">{} more, in case.jsonl</td></tr>",
                         i - next);
    next = i + 1;
    const Request& request = one.requests[i];
    out += fmt::format(
        "<tr><td>{:.6f}</td><td>{}</td><td>{}</td><td>{} "
        "<small>v{}</small></td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
        request.t, request.conn, request.broker < 0 ? "" : std::to_string(request.broker),
        escape(request.api), request.version, request.correlation_id, request.bytes,
        request.answered ? fmt::format("{:.2f} ms{}", (*request.answered - request.t) * 1000,
                                       request.error.empty() ? ""
                                                             : " <b class=\"err\">error " +
                                                                   escape(request.error) + "</b>")
                         : "no answer",
        request.packet);
  }
  return out;
}

std::string verdict_sentence(const CaseResult& one) {
  if (!one.reason.empty()) return one.reason;
  const auto worst =
      std::find_if(one.checks.begin(), one.checks.end(),
                   [&one](const CheckResult& check) { return check.verdict == one.verdict; });
  if (one.verdict == Verdict::kPass)
    return fmt::format("All {} checks hold or only inform.", one.checks.size());
  return worst == one.checks.end() ? "" : worst->id + ": " + worst->sentence;
}

}  // namespace

std::string case_html(const RunResult& run, std::size_t index) {
  const CaseResult& one = run.cases[index];
  static const mustache::mustache page{std::string(kCaseMustache)};
  mustache::mustache form = page;
  // The templates take everything as it is: what is untrusted is escaped here.
  mustache::data data;
  data.set("anchor", case_anchor(run, index));
  data.set("id", escape(one.id));
  data.set("title", escape(one.title));
  data.set("why", escape(one.why));
  data.set("column", escape(one.column()));
  data.set("variant", escape(one.variant));
  data.set("chip", verdict_chip(one.verdict, to_string(one.verdict)));
  data.set("sentence", escape(verdict_sentence(one)));
  data.set("accelerated",
           one.accelerate == 1
               ? ""
               : fmt::format("<span class=\"tag\">client's clock \u00d7{}</span>", one.accelerate));
  data.set("seconds", fmt::format("{:.2f}", one.seconds));
  data.set("attempts", one.attempt_count > 1 ? fmt::format("{} attempts", one.attempt_count) : "");
  data.set("checks", checks_html(one));
  data.set("swimlane", swimlane_svg(one));
  data.set("requests", requests_html(one));
  data.set("request_count", std::to_string(one.requests.size()));
  data.set("has_requests", mustache::data{one.requests.empty() ? mustache::data::type::bool_false
                                                               : mustache::data::type::bool_true});
  data.set("dir", escape(one.dir));
  data.set("has_dir", mustache::data{one.dir.empty() ? mustache::data::type::bool_false
                                                     : mustache::data::type::bool_true});
  data.set("source", escape(one.file.empty() ? "" : fmt::format("{}:{}", one.file, one.line)));
  data.set("rerun", escape(fmt::format("./ktrial run '{}' --client {}", one.id, one.column())));
  data.set("verify", escape(fmt::format("./ktrial verify {}", run.dir)));
  data.set("open", one.verdict == Verdict::kFail || one.verdict == Verdict::kError ? " open" : "");
  return form.render(data);
}

}  // namespace ktrial::reports
