// SPDX-License-Identifier: Apache-2.0
#include "harness/e2e/workbench.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ktrial::harness {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(DriverCheck, GoodDriverHoldsEveryRule) {
  const Workbench bench;
  const Outcome outcome = bench.ktrial({"driver-check", bench.driver("good")});
  EXPECT_EQ(outcome.code, 0) << outcome.out;
  EXPECT_THAT(outcome.out, Not(HasSubstr("FAIL")));
}

TEST(DriverCheck, DriverThatLingersIsTold) {
  const Workbench bench;
  const Outcome outcome = bench.ktrial({"driver-check", bench.driver("deaf")});
  EXPECT_EQ(outcome.code, 1) << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr("FAIL  leaves within two seconds"));
}

TEST(DriverCheck, DriverThatTalksNonsenseIsTold) {
  const Workbench bench;
  const Outcome outcome = bench.ktrial({"driver-check", bench.driver("nonsense")});
  EXPECT_EQ(outcome.code, 1) << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr("INFO: this is no JSON"));
}

TEST(DriverCheck, ProgramThatIsNoDriverIsTold) {
  const Workbench bench;
  const Outcome outcome = bench.ktrial({"driver-check", "/bin/true"});
  EXPECT_EQ(outcome.code, 1) << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr("FAIL  says hello"));
}

}  // namespace
}  // namespace ktrial::harness
