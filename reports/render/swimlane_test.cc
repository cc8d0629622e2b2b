// SPDX-License-Identifier: Apache-2.0
#include "reports/render/swimlane.h"

#include "reports/render/sample_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ktrial::reports {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Swimlane, IsEmptyForACaseWithoutPacketsOrCalls) {
  EXPECT_EQ(swimlane_svg(sample_run().cases[0]), "");
}

TEST(Swimlane, ShowsWhoClosedAndHow) {
  EXPECT_THAT(swimlane_svg(sample_run().cases[1]), HasSubstr("client FIN"));
}

TEST(Swimlane, RingsARequestThatAFailingCheckCites) {
  CaseResult one = sample_run().cases[1];
  EXPECT_THAT(swimlane_svg(one), HasSubstr("sw-cited"));
  one.checks[0].verdict = Verdict::kPass;
  EXPECT_THAT(swimlane_svg(one), Not(HasSubstr("sw-cited")));
}

TEST(Swimlane, HatchesAnIdleSpan) {
  EXPECT_THAT(swimlane_svg(sample_run().cases[1]), HasSubstr("idle 3.290 s"));
}

TEST(Swimlane, CountsTheLanesItLeavesOut) {
  CaseResult one = sample_run().cases[1];
  const Lane lane = one.lanes[0];
  one.lanes.assign(100, lane);
  EXPECT_THAT(swimlane_svg(one), HasSubstr("and 76 more connections"));
}

}  // namespace
}  // namespace ktrial::reports
