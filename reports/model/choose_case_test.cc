// SPDX-License-Identifier: Apache-2.0
#include "reports/model/choose_case.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ktrial::reports {
namespace {

using ::testing::HasSubstr;

CaseResult a_case(const std::string& id, const std::string& version, const std::string& variant) {
  CaseResult one;
  one.id = id;
  one.client = "java";
  one.version = version;
  one.variant = variant;
  return one;
}

RunResult a_run() {
  RunResult run;
  run.dir = "out";
  run.cases = {a_case("boot", "2.2.2", "answers=prompt"), a_case("boot", "2.2.2", "answers=slow"),
               a_case("boot", "4.4.0", "answers=slow"), a_case("boot", "4.4.0", "answers=slow"),
               a_case("idle", "4.4.0", "")};
  return run;
}

TEST(ChooseCase, AnIdThatIsOneCaseNeedsNothingElse) {
  EXPECT_EQ(choose_case(a_run(), {"idle", "", ""}).value(), 4U);
}

TEST(ChooseCase, ClientAndVariantNarrowItDown) {
  EXPECT_EQ(choose_case(a_run(), {"boot", "java@2.2.2", "answers=slow"}).value(), 1U);
}

TEST(ChooseCase, OfRepetitionsItIsTheFirst) {
  EXPECT_EQ(choose_case(a_run(), {"boot", "java@4.4.0", ""}).value(), 2U);
}

TEST(ChooseCase, AmbiguityNamesTheOptionsThatEndIt) {
  const auto chosen = choose_case(a_run(), {"boot", "java", "answers=slow"});
  ASSERT_FALSE(chosen);
  EXPECT_THAT(chosen.error().to_string(),
              HasSubstr("--client java@2.2.2 --variant 'answers=slow', or --client java@4.4.0"));
}

TEST(ChooseCase, AnUnknownClientIsToldWhichThereAre) {
  const auto chosen = choose_case(a_run(), {"idle", "cobol", ""});
  ASSERT_FALSE(chosen);
  EXPECT_THAT(chosen.error().to_string(), HasSubstr("only --client java@4.4.0"));
}

TEST(ChooseCase, AnUnknownIdIsToldWhichThereAre) {
  const auto chosen = choose_case(a_run(), {"bot", "", ""});
  ASSERT_FALSE(chosen);
  EXPECT_THAT(chosen.error().to_string(), HasSubstr("no case 'bot'; this run has boot, idle"));
}

TEST(PointInTime, IsSecondsOrAMark) {
  CaseResult one = a_case("boot", "1", "");
  one.moments = {{"act", "quiet", 1, 1}, {"mark", "quiet", 2.5, 2.5}};
  EXPECT_EQ(point_in_time(one, "0.25").value(), 0.25);
  EXPECT_EQ(point_in_time(one, "quiet").value(), 2.5);
}

TEST(PointInTime, AnythingElseNamesTheMarks) {
  CaseResult one = a_case("boot", "1", "");
  one.moments = {{"mark", "quiet", 2.5, 2.5}};
  const auto point = point_in_time(one, "1s");
  ASSERT_FALSE(point);
  EXPECT_THAT(point.error().to_string(), HasSubstr("its marks: quiet"));
  EXPECT_FALSE(point_in_time(one, "nan"));
  EXPECT_FALSE(point_in_time(one, "-1"));
}

}  // namespace
}  // namespace ktrial::reports
