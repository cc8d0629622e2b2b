// SPDX-License-Identifier: Apache-2.0
#include "reports/model/claim_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ktrial::reports {
namespace {

using ::testing::ElementsAre;

CaseResult deciding(const std::string& client, std::optional<bool> holds, bool finding = false) {
  CaseResult one;
  one.id = "a/b";
  one.client = client;
  one.version = "1";
  one.decides = {"C9"};
  CheckResult check;
  check.decides = {"C9"};
  check.holds = holds;
  check.finding = finding;
  one.checks.push_back(check);
  return one;
}

RunResult run_of(std::vector<CaseResult> cases) {
  RunResult run;
  run.claims = {{"C4", "history", "no packet shows it"}, {"C9", "every entry is dialled", ""}};
  run.cases = std::move(cases);
  return run;
}

TEST(ClaimTable, AClaimHoldsForAClientForWhomEveryDecidingCheckHolds) {
  const ClaimTable table =
      claim_table(run_of({deciding("java", true), deciding("java", true), deciding("go", false)}));
  ASSERT_EQ(table.rows.size(), 2U);
  EXPECT_THAT(table.columns, ElementsAre("go@1", "java@1"));
  EXPECT_EQ(table.rows[1].cells.at("java@1").verdict(), ClaimVerdict::kHolds);
  EXPECT_EQ(table.rows[1].cells.at("go@1").verdict(), ClaimVerdict::kFails);
}

TEST(ClaimTable, RepetitionsThatDisagreeMakeItPartly) {
  const ClaimTable table = claim_table(
      run_of({deciding("java", true), deciding("java", false), deciding("java", true)}));
  const ClaimCell& cell = table.rows[1].cells.at("java@1");
  EXPECT_EQ(cell.verdict(), ClaimVerdict::kPartly);
  EXPECT_EQ(cell.held, 2U);
  EXPECT_EQ(cell.failed, 1U);
  EXPECT_THAT(cell.cases, ElementsAre(0U, 1U, 2U));
}

TEST(ClaimTable, ACheckThatCouldNotBeJudgedDecidesNothing) {
  const ClaimTable table = claim_table(run_of({deciding("java", std::nullopt)}));
  EXPECT_EQ(table.rows[1].cells.at("java@1").verdict(), ClaimVerdict::kNotJudged);
}

TEST(ClaimTable, AFindingInOneCaseMarksTheCell) {
  const ClaimTable table =
      claim_table(run_of({deciding("java", true), deciding("java", true, true)}));
  EXPECT_TRUE(table.rows[1].cells.at("java@1").finding);
}

TEST(ClaimTable, ARunWithoutClaimsHasNoRows) {
  RunResult run = run_of({deciding("java", true)});
  run.claims.clear();
  EXPECT_TRUE(claim_table(run).rows.empty());
}

}  // namespace
}  // namespace ktrial::reports
