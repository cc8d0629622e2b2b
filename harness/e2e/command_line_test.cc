// SPDX-License-Identifier: Apache-2.0
// A slip in an option, a scenario or a driver: one clear message, exit 2, before anything starts.
#include "harness/e2e/workbench.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

namespace ktrial::harness {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class CommandLine : public ::testing::Test {
 protected:
  void SetUp() override { bench_.scenario("quiet", kQuiet); }
  void expect_usage_error(const std::vector<std::string>& arguments,
                          const std::string& told) const {
    const Outcome outcome = bench_.run(arguments);
    EXPECT_EQ(outcome.code, 2) << outcome.out;
    EXPECT_THAT(outcome.out, HasSubstr(told));
    EXPECT_FALSE(fs::exists(bench_.out())) << "something was started";
  }

  Workbench bench_;
};

TEST_F(CommandLine, UnknownOption) { expect_usage_error({"--frobnicate"}, "--frobnicate"); }

TEST_F(CommandLine, NumberOutOfRange) { expect_usage_error({"-j", "0"}, "-j"); }

TEST_F(CommandLine, ShardThatIsNone) {
  expect_usage_error({"--shard", "3/2", "--client", bench_.driver("good")}, "3/2");
}

TEST_F(CommandLine, GlobThatMatchesNothing) {
  expect_usage_error({"e2e/quit*", "--client", bench_.driver("good")},
                     "no scenario matches 'e2e/quit*'");
}

TEST_F(CommandLine, ClientThatDoesNotExist) {
  expect_usage_error({"--client", "cobol"}, "no client 'cobol'");
}

TEST_F(CommandLine, DriverFileThatDoesNotExist) {
  expect_usage_error({"--client", "./no-such-driver"}, "no-such-driver");
}

TEST_F(CommandLine, DriverFileThatIsNotExecutable) {
  std::ofstream(bench_.home() / "plain") << "text";
  expect_usage_error({"--client", "./plain"}, "not executable");
}

TEST_F(CommandLine, ClusterOptionsThatAreNone) {
  const auto told = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "cluster");
    const Outcome outcome = bench_.ktrial(arguments);
    EXPECT_EQ(outcome.code, 2) << outcome.out;
    return outcome.out;
  };
  EXPECT_THAT(told({"--listen", "0.0.0.0"}), HasSubstr("--advertise an address"));
  EXPECT_THAT(told({"--port", "65534", "--brokers", "3"}), HasSubstr("--port: "));
  EXPECT_THAT(told({"--advertise", "kafka:70000"}), HasSubstr("--advertise: 'kafka:70000'"));
  EXPECT_THAT(told({"--advertise", ":9092"}), HasSubstr("--advertise: ':9092'"));
  EXPECT_THAT(told({"--topic", "t:0"}), HasSubstr("--topic: 't:0'"));
  EXPECT_THAT(told({"--topic", "t", "--topic", "t:2"}), HasSubstr("'t' is there twice"));
  EXPECT_THAT(told({"--control", "loopback"}), HasSubstr("--control: 'loopback'"));
  EXPECT_THAT(told({"--topics", "none.yaml"}), HasSubstr("none.yaml"));
  const std::string file = (bench_.home() / "topics.yaml").string();
  std::ofstream(file) << "good:\nbad:\n  configs: {cleanup.policy: sweep}\n";
  EXPECT_THAT(told({"--topics", file}), HasSubstr("topics.yaml:2:1: Invalid value sweep"));
}

TEST_F(CommandLine, ScenarioWithASlipNamesFileLineAndColumn) {
  std::string text(kQuiet);
  text.replace(text.find("client: close"), 13, "client: clsoe");
  bench_.scenario("quiet", text);
  expect_usage_error({"--client", bench_.driver("good")}, "quiet.yaml:8:13");
}

TEST_F(CommandLine, DriverDescriptionWithASlipNamesFileLineAndColumn) {
  fs::create_directories(bench_.home() / "clients/drivers/odd");
  std::ofstream(bench_.home() / "clients/drivers/odd/driver.yaml")
      << "name: odd\ntitle: Odd\nlanguage: C\nrun: [true]\nversoins: []\n";
  expect_usage_error({}, "driver.yaml:5:1");
}

TEST_F(CommandLine, VerifyOfAFolderThatIsNoRun) {
  const Outcome outcome = bench_.ktrial({"verify", bench_.home().string()});
  EXPECT_EQ(outcome.code, 2) << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr("run.jsonl"));
}

TEST_F(CommandLine, DrawsACaseOfAFinishedRun) {
  bench_.scenario("quiet", kAskOnce);
  ASSERT_EQ(bench_.run({"--client", bench_.driver("good")}).code, 0);
  const auto cases = bench_.lines("case");
  ASSERT_EQ(cases.size(), 1U);
  const std::string id(cases[0].at("id").as_string());
  const fs::path file = bench_.home() / "case.svg";
  EXPECT_EQ(bench_.ktrial({"diagram", bench_.out().string(), id, "-o", file.string()}).code, 0);
  std::string svg;
  std::getline(std::ifstream(file), svg, '\0');
  EXPECT_THAT(svg, HasSubstr("conn#0"));

  const Outcome other = bench_.ktrial({"diagram", bench_.out().string(), "no/such"});
  EXPECT_EQ(other.code, 2) << other.out;
  EXPECT_THAT(other.out, HasSubstr("this run has " + id));
  const Outcome range =
      bench_.ktrial({"diagram", bench_.out().string(), id, "--from", "0", "--until", "0"});
  EXPECT_EQ(range.code, 2) << range.out;
  EXPECT_THAT(range.out, HasSubstr("is not after --from"));
  const Outcome late = bench_.ktrial({"diagram", bench_.out().string(), id, "--from", "1000"});
  EXPECT_EQ(late.code, 2) << late.out;
  EXPECT_THAT(late.out, HasSubstr("the case is over by then"));
}

TEST_F(CommandLine, ListsScenariosWithTheirLevels) {
  const Outcome outcome = bench_.ktrial({"list", "scenarios"});
  EXPECT_EQ(outcome.code, 0) << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr("e2e/quiet"));
  EXPECT_THAT(outcome.out, HasSubstr("1 MUST"));
}

TEST_F(CommandLine, PipedOutputHasNoEscapes) {
  const Outcome outcome = bench_.run({"--client", bench_.driver("good")});
  EXPECT_EQ(outcome.code, 0) << outcome.out;
  EXPECT_EQ(outcome.out.find('\x1b'), std::string::npos);
}

// A driver in the tree that cannot be built costs its own cases only.
TEST_F(CommandLine, FailedBuildOfADriverNamesItsLog) {
  fs::create_directories(bench_.home() / "clients/drivers/broken");
  std::ofstream(bench_.home() / "clients/drivers/broken/driver.yaml")
      << "name: broken\ntitle: Broken\nlanguage: none\nbuild: [sh, -c, \"echo no compiler >&2; "
         "exit 1\"]\nrun: [\"${build}/driver\"]\nversions:\n  - {version: 1.0.0, default: true}\n";
  const Outcome outcome = bench_.run({"--client", "broken", "--client", bench_.driver("good")});
  EXPECT_EQ(outcome.code, 5) << outcome.out;
  const auto cases = bench_.lines("case");
  ASSERT_EQ(cases.size(), 2U);
  EXPECT_EQ(verdict(cases[0]), "error");
  EXPECT_THAT(reason(cases[0]), HasSubstr(".log"));
  EXPECT_EQ(verdict(cases[1]), "pass");
}

}  // namespace
}  // namespace ktrial::harness
