// SPDX-License-Identifier: Apache-2.0
#include "reports/render/claims_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ktrial::reports {
namespace {

using ::testing::HasSubstr;

CaseResult deciding(const std::string& claim, const std::string& client, bool holds) {
  CaseResult one;
  one.id = "a/" + claim;
  one.client = client;
  one.version = "1";
  one.decides = {claim};
  CheckResult check;
  check.decides = {claim};
  check.holds = holds;
  one.checks.push_back(check);
  return one;
}

RunResult a_run() {
  RunResult run;
  run.claims = {{"C4", "history", "no packet shows it"}, {"C9", "every entry is dialled", ""}};
  run.cases = {deciding("C9", "java", false), deciding("C9", "go", true),
               deciding("C9", "go", false), deciding("C1", "rust", true)};
  return run;
}

TEST(ClaimsPage, SaysBesideTheClaimWhyItCannotBeObserved) {
  EXPECT_THAT(claims_html(a_run()),
              HasSubstr("history<span class=\"unobservable\">not observable: no packet shows it"));
}

TEST(ClaimsPage, CellsAreBriefAndTheirTitlesWhole) {
  const std::string html = claims_html(a_run());
  EXPECT_THAT(html, HasSubstr("title=\"does not hold\""));
  EXPECT_THAT(html, HasSubstr("<span class=\"word\">no</span>"));
  EXPECT_THAT(html, HasSubstr("title=\"partly, 1 of 2\""));
  EXPECT_THAT(html, HasSubstr("<span class=\"word\">1 of 2</span>"));
}

TEST(ClaimsPage, AClientWithoutACaseOfTheClaimHasACellThatSaysSo) {
  EXPECT_THAT(claims_html(a_run()), HasSubstr("title=\"no case of this run is about it"));
}

}  // namespace
}  // namespace ktrial::reports
