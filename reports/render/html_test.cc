// SPDX-License-Identifier: Apache-2.0
#include "reports/render/html.h"

#include "reports/render/matrix.h"
#include "reports/render/sample_run.h"
#include "reports/render/xml.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ktrial::reports {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(HtmlReport, SaysTheVerdictInWordsAtTheTop) {
  const std::string html = html_report(sample_run());
  EXPECT_THAT(html,
              HasSubstr("<h1>FAILED: 1 failing in other@1.0; 1 inconclusive in slow@4.4.0.</h1>"));
}

TEST(HtmlReport, IsSelfContainedAndNeedsNoScript) {
  const std::string html = html_report(sample_run());
  EXPECT_THAT(html, Not(HasSubstr("<script")));
  EXPECT_THAT(html, Not(HasSubstr("http://")));
  EXPECT_THAT(html, Not(HasSubstr("https://")));
}

TEST(HtmlReport, LinksEachMatrixCellToItsCase) {
  const RunResult run = sample_run();
  const std::string html = html_report(run);
  for (std::size_t i = 0; i < run.cases.size(); ++i) {
    EXPECT_THAT(html, HasSubstr("href=\"#" + case_anchor(run, i) + "\""));
    EXPECT_THAT(html, HasSubstr("id=\"" + case_anchor(run, i) + "\""));
  }
}

TEST(HtmlReport, EscapesHostileNamesEverywhere) {
  RunResult run = sample_run();
  const std::string hostile = "<script>alert('x')</script>\x01\xff\"";
  for (CaseResult& one : run.cases) {
    one.client = one.title = one.reason = one.why = one.id = hostile;
    one.checks[0].sentence = one.checks[0].id = one.checks[0].expanded = hostile;
    for (Lane& lane : one.lanes) lane.roles = {hostile};
    for (Request& request : one.requests) request.api = request.error = hostile;
    for (Call& call : one.calls) call.name = call.detail = hostile;
    for (Moment& moment : one.moments) moment.text = hostile;
  }
  const std::string html = html_report(run);
  EXPECT_THAT(html, Not(HasSubstr("<script")));
  EXPECT_THAT(html, Not(HasSubstr("\x01")));
  EXPECT_THAT(html, Not(HasSubstr("\xff")));
}

TEST(HtmlReport, SaysWhenARunWasCutShort) {
  RunResult run = sample_run();
  run.complete = false;
  EXPECT_THAT(html_report(run), HasSubstr("the run was cut short"));
}

TEST(HtmlReport, GivesTwoCasesOfOneScenarioAndClientDifferentAnchors) {
  RunResult run = sample_run();
  run.cases = {run.cases[0], run.cases[0]};
  EXPECT_NE(case_anchor(run, 0), case_anchor(run, 1));
}

TEST(Escape, KeepsWellFormedUtf8) {
  EXPECT_EQ(escape("caf\u00e9 \u2192 \U0001F600"), "caf\u00e9 \u2192 \U0001F600");
}

TEST(Escape, ReplacesBrokenUtf8) {
  EXPECT_EQ(escape("a\xc3"), "a\uFFFD");                    // cut off
  EXPECT_EQ(escape("\xed\xa0\x80"), "\uFFFD\uFFFD\uFFFD");  // a surrogate
  EXPECT_EQ(escape("\xc0\xaf"), "\uFFFD\uFFFD");            // overlong
}

}  // namespace
}  // namespace ktrial::reports
