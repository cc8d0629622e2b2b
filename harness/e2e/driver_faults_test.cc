// SPDX-License-Identifier: Apache-2.0
// Whatever a driver does, its case is an error that says why, and the other cases go on.
#include "harness/e2e/workbench.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ktrial::harness {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct Fault {
  const char* mode;
  const char* told;  // part of the reason
};

class DriverFaults : public ::testing::TestWithParam<Fault> {};

TEST_P(DriverFaults, MakeTheCaseAnErrorWithTheReason) {
  const Workbench bench;
  bench.scenario("ask-once", kAskOnce);
  const Outcome outcome =
      bench.run({"--client", bench.driver(GetParam().mode), "--client", bench.driver("good")});
  EXPECT_EQ(outcome.code, 5) << outcome.out;
  const auto cases = bench.lines("case");
  ASSERT_EQ(cases.size(), 2U) << outcome.out;
  for (const auto& line : cases) {
    const bool bad = line.at("client") == GetParam().mode;
    EXPECT_EQ(verdict(line), bad ? "error" : "pass") << reason(line);
    if (!bad) continue;
    EXPECT_THAT(reason(line), HasSubstr(GetParam().told));
  }
  EXPECT_TRUE(
      Workbench::eventually([&] { return bench.processes().empty(); }, std::chrono::seconds(2)));
}

INSTANTIATE_TEST_SUITE_P(Modes, DriverFaults,
                         ::testing::Values(Fault{"exit-at-once", "code 4"},
                                           Fault{"crash", "signal 6"}, Fault{"exit", "code 3"},
                                           Fault{"hang", "timeout of 4000 ms"},
                                           Fault{"nonsense", "INFO: this is no JSON"},
                                           Fault{"long-line", "a line of more than"},
                                           Fault{"flood", "flooded"},
                                           Fault{"stderr-flood", "signal 25"}),
                         [](const auto& tested) {
                           std::string name = tested.param.mode;
                           std::erase(name, '-');
                           return name;
                         });

TEST(DriverFault, KeepsTheDriversLastWords) {
  const Workbench bench;
  bench.scenario("ask-once", kAskOnce);
  static_cast<void>(bench.run({"--client", bench.driver("crash")}));
  const auto cases = bench.lines("case");
  ASSERT_EQ(cases.size(), 1U);
  EXPECT_THAT(reason(cases.front()), AllOf(HasSubstr("last output"), HasSubstr("hello")));
}

TEST(Driver, ThatIgnoresTheEndOfItsInputIsKilledAndJudged) {
  const Workbench bench;
  bench.scenario("ask-once", kAskOnce);
  const Outcome outcome = bench.run({"--client", bench.driver("deaf")});
  EXPECT_EQ(outcome.code, 0) << outcome.out;
  EXPECT_TRUE(
      Workbench::eventually([&] { return bench.processes().empty(); }, std::chrono::seconds(2)));
}

TEST(Driver, LeavesNoGrandchildBehind) {
  const Workbench bench;
  bench.scenario("ask-once", kAskOnce);
  const Outcome outcome = bench.run({"--client", bench.driver("grandchild")});
  EXPECT_EQ(outcome.code, 0) << outcome.out;
  EXPECT_TRUE(
      Workbench::eventually([&] { return bench.processes().empty(); }, std::chrono::seconds(2)));
}

TEST(Driver, UnsupportedConfigurationIsNobodysFailure) {
  const Workbench bench;
  std::string text(kAskOnce);
  text.replace(text.find("client.id:"), 10, "no.such.key: 1, client.id:");
  bench.scenario("ask-once", text);
  const Outcome outcome = bench.run({"--client", bench.driver("good")});
  EXPECT_EQ(outcome.code, 77) << outcome.out;
  const auto cases = bench.lines("case");
  ASSERT_EQ(cases.size(), 1U);
  EXPECT_EQ(verdict(cases.front()), "unsupported");
  EXPECT_THAT(reason(cases.front()), HasSubstr("no.such.key"));
}

}  // namespace
}  // namespace ktrial::harness
