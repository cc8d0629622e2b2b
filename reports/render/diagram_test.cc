// SPDX-License-Identifier: Apache-2.0
#include "reports/render/diagram.h"

#include "reports/render/sample_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ktrial::reports {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(Diagram, IsAFileOfItsOwn) {
  const std::string svg = diagram_svg(sample_run().cases[1], {});
  EXPECT_THAT(svg, StartsWith("<svg xmlns=\"http://www.w3.org/2000/svg\""));
  EXPECT_THAT(svg, HasSubstr("prefers-color-scheme:dark"));
  EXPECT_THAT(svg, HasSubstr(".sw-conn{"));
  EXPECT_THAT(svg, HasSubstr("--conn:"));
}

TEST(Diagram, SaysWhichCaseItIs) {
  CaseResult one = sample_run().cases[1];
  one.variant = "first=client";
  EXPECT_THAT(diagram_svg(one, {}),
              HasSubstr(">other@1.0 \u00b7 conn/idle/closed-on-time \u00b7 first=client<"));
}

TEST(Diagram, SaysThatTheClientsClockRanFaster) {
  CaseResult one = sample_run().cases[1];
  EXPECT_THAT(diagram_svg(one, {}), Not(HasSubstr("clock")));
  one.accelerate = 60;
  EXPECT_THAT(diagram_svg(one, {}), HasSubstr("client&#39;s clock \u00d760"));
}

TEST(Diagram, ExplainsOnlyTheColoursInUse) {
  const std::string svg = diagram_svg(sample_run().cases[1], {});
  EXPECT_THAT(svg, HasSubstr(">Metadata<"));
  EXPECT_THAT(svg, Not(HasSubstr("Fetch, ListOffsets")));
  EXPECT_THAT(diagram_svg(sample_run().cases[1], {.from = 2, .until = 3}),
              Not(HasSubstr(">Metadata<")));
}

TEST(Diagram, ExplainsTheBandOfAStallIfThereIsOne) {
  CaseResult one = sample_run().cases[1];
  EXPECT_THAT(diagram_svg(one, {}), Not(HasSubstr("the host stalled")));
  one.moments.push_back({"stall", "a pause", 1, 1.02});
  EXPECT_THAT(diagram_svg(one, {}), HasSubstr("the host stalled"));
}

TEST(Diagram, EscapesHostileNames) {
  CaseResult one = sample_run().cases[1];
  one.client = one.title = one.variant = "<script>&\x01";
  const std::string svg = diagram_svg(one, {});
  EXPECT_THAT(svg, Not(HasSubstr("<script")));
  EXPECT_THAT(svg, Not(HasSubstr("\x01")));
}

}  // namespace
}  // namespace ktrial::reports
