// SPDX-License-Identifier: Apache-2.0
#include "reports/render/junit.h"

#include "reports/render/sample_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ktrial::reports {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Junit, CountsFailuresErrorsAndSkips) {
  EXPECT_THAT(
      junit_xml(sample_run()),
      HasSubstr(
          "<testsuites name=\"ktrial\" tests=\"3\" failures=\"1\" errors=\"1\" skipped=\"0\""));
}

TEST(Junit, NamesTheFailingCheckAndItsPackets) {
  const std::string xml = junit_xml(sample_run());
  EXPECT_THAT(
      xml,
      HasSubstr("<failure type=\"closed\" message=\"0 connections closed, at least 1 expected\">"));
  EXPECT_THAT(xml, HasSubstr("packet 7 at 1.250000 s: last payload"));
}

TEST(Junit, AnInconclusiveCaseIsAnErrorNeverAPass) {
  EXPECT_THAT(
      junit_xml(sample_run()),
      HasSubstr("<error type=\"inconclusive\" message=\"host_stall: 310 ms inside the window\">"));
}

TEST(Junit, EscapesHostileText) {
  RunResult run = sample_run();
  run.cases[1].checks[0].sentence = "]]><evil a=\"\x02\">";
  EXPECT_THAT(junit_xml(run), Not(HasSubstr("<evil")));
  EXPECT_THAT(junit_xml(run), Not(HasSubstr("\x02")));
}

}  // namespace
}  // namespace ktrial::reports
