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

TEST(Swimlane, ARangeLeavesOutWhatHappensOutsideIt) {
  const CaseResult one = sample_run().cases[1];
  const std::string body = draw_swimlane(one, {.from = 2, .until = 3}).body;
  EXPECT_THAT(body, HasSubstr("conn#0"));  // open before, closed after
  EXPECT_THAT(body, Not(HasSubstr("sw-syn")));
  EXPECT_THAT(body, Not(HasSubstr("client FIN")));
  EXPECT_THAT(body, Not(HasSubstr("sw-req")));
  EXPECT_THAT(body, Not(HasSubstr("driver calls")));
  EXPECT_THAT(body, Not(HasSubstr(">quiet<")));
  EXPECT_THAT(body, HasSubstr(">2.4 s<"));
  EXPECT_THAT(body, Not(HasSubstr(">1 s<")));
}

TEST(Swimlane, ARangeAfterItsEndLeavesOutAConnection) {
  const CaseResult one = sample_run().cases[1];
  EXPECT_THAT(draw_swimlane(one, {.from = 3.6}).body, Not(HasSubstr("conn#0")));
}

TEST(Swimlane, AMarkAtTheRightEdgeIsNamedToItsLeft) {
  CaseResult one = sample_run().cases[1];
  one.moments = {{"mark", "constructed", 3.99, 3.99}};
  EXPECT_THAT(draw_swimlane(one, {}).body, HasSubstr("text-anchor=\"end\">constructed<"));
}

TEST(Swimlane, ACallIsNamedIfTheNextOneLeavesRoom) {
  CaseResult one = sample_run().cases[1];
  one.calls = {{"create", "", 0, 0.2, true},
               {"subscribe", "", 2, 2.001, true},
               {"poll", "", 2.002, 3.9, true}};
  const std::string body = draw_swimlane(one, {}).body;
  EXPECT_THAT(body, HasSubstr(">create<"));
  EXPECT_THAT(body, Not(HasSubstr(">subscribe<")));
  EXPECT_THAT(body, HasSubstr(">poll<"));
}

TEST(Swimlane, ARefusedAttemptIsOverAtOnce) {
  CaseResult one = sample_run().cases[1];
  one.lanes[0].open = one.lanes[0].closed = std::nullopt;
  one.lanes[0].close_kind = "refused";
  EXPECT_THAT(draw_swimlane(one, {}).body, HasSubstr(">refused<"));
  EXPECT_THAT(draw_swimlane(one, {.from = 1}).body, Not(HasSubstr("conn#0")));
}

}  // namespace
}  // namespace ktrial::reports
