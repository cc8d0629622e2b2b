// SPDX-License-Identifier: Apache-2.0
#include "harness/run/case_spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ktrial::harness {
namespace {

using ::testing::HasSubstr;

CaseSpec full_spec() {
  CaseSpec spec;
  spec.scenario_file = "scenarios/a.yaml";
  spec.axes = {{"first", "client"}};
  spec.client = "java";
  spec.version = "4.4.0";
  spec.command = {"java", "-jar", "driver.jar"};
  spec.config = {{"consumer", {{"group.protocol", "classic"}}}};
  spec.profile = {{"connect", {{"value", "eager"}, {"source", "C6"}}}};
  spec.mutants = {"close-at-half"};
  spec.capabilities = {"idle_close"};
  spec.time_scale = 2.5;
  spec.slot = 3;
  spec.sandboxed = false;
  return spec;
}

TEST(CaseSpec, SurvivesItsJson) {
  const auto again = CaseSpec::from_json(full_spec().to_json());
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(again->to_json(), full_spec().to_json());
}

TEST(CaseSpec, TellsTheMemberThatIsMissing) {
  auto json = full_spec().to_json();
  json.erase("axes");
  const auto spec = CaseSpec::from_json(json);
  ASSERT_FALSE(spec.has_value());
  EXPECT_EQ(spec.error().code, Errc::kMalformed);
}

TEST(CaseSpec, WrongTypeIsAnErrorNotACrash) {
  auto json = full_spec().to_json();
  json["command"] = 7;
  EXPECT_FALSE(CaseSpec::from_json(json).has_value());
}

TEST(CaseSpec, CapabilitiesStayOpenUntilTheDriverHasSaidHello) {
  EXPECT_FALSE(full_spec().context(false).capabilities.has_value());
  EXPECT_EQ(full_spec().context(true).capabilities, std::vector<std::string>{"idle_close"});
}

TEST(CaseSpec, MissingFileNamesItself) {
  const auto spec = read_case_spec("/no/such/folder");
  ASSERT_FALSE(spec.has_value());
  EXPECT_THAT(spec.error().where, HasSubstr("case.json"));
}

}  // namespace
}  // namespace ktrial::harness
