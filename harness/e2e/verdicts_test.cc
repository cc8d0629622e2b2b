// SPDX-License-Identifier: Apache-2.0
// What a run leaves, its exit codes, and that `verify` comes to the same verdicts.
#include "harness/e2e/workbench.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

namespace ktrial::harness {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

TEST(Run, PassesAndLeavesTheCasesFiles) {
  const Workbench bench;
  bench.scenario("ask-once", kAskOnce);
  const Outcome outcome = bench.run({"--client", bench.driver("good")});
  EXPECT_EQ(outcome.code, 0) << outcome.out;
  const auto cases = bench.lines("case");
  ASSERT_EQ(cases.size(), 1U);
  EXPECT_EQ(verdict(cases.front()), "pass");
  const fs::path folder = bench.out() / std::string(cases.front().at("dir").as_string());
  for (const char* file : {"scenario.yaml", "case.json", "case.jsonl", "wire.pcapng",
                           "cluster.jsonl", "driver.stdout", "driver.stderr"}) {
    EXPECT_TRUE(fs::exists(folder / file)) << file;
  }
  EXPECT_TRUE(fs::exists(bench.out() / "report.html"));
  EXPECT_TRUE(fs::exists(bench.out() / "junit.xml"));
}

TEST(Run, FailsWithTheCheckThatFailed) {
  const Workbench bench;
  bench.scenario("ask-once", kAskOnce);
  bench.scenario("ask-twice", kAskTwice);
  const Outcome outcome = bench.run({"--client", bench.driver("good")});
  EXPECT_EQ(outcome.code, 1) << outcome.out;
  const auto end = bench.lines("end");
  ASSERT_EQ(end.size(), 1U);
  EXPECT_EQ(end.front().at("verdicts"), (boost::json::object{{"fail", 1}, {"pass", 1}}));
  EXPECT_THAT(outcome.out, HasSubstr("asked-twice"));
}

TEST(Run, ReportOnlyExitsWithZero) {
  const Workbench bench;
  bench.scenario("ask-twice", kAskTwice);
  EXPECT_EQ(bench.run({"--report-only", "--client", bench.driver("good")}).code, 0);
}

TEST(Run, ShardsPartTheCasesBetweenThem) {
  const Workbench bench;
  bench.scenario("ask-once", kAskOnce);
  bench.scenario("quiet", kQuiet);
  EXPECT_EQ(bench.run({"--shard", "1/2", "--client", bench.driver("good")}).code, 0);
  ASSERT_EQ(bench.lines("case").size(), 1U);
  const auto first = bench.lines("case").front().at("id");
  EXPECT_EQ(bench.run({"--shard", "2/2", "--client", bench.driver("good")}).code, 0);
  ASSERT_EQ(bench.lines("case").size(), 1U);
  EXPECT_NE(bench.lines("case").front().at("id"), first);
}

TEST(Run, RepeatsInFoldersOfTheirOwn) {
  const Workbench bench;
  bench.scenario("quiet", kQuiet);
  EXPECT_EQ(bench.run({"--repeat", "3", "--client", bench.driver("good")}).code, 0);
  std::vector<std::string> folders;
  for (const auto& line : bench.lines("case")) folders.emplace_back(line.at("dir").as_string());
  std::sort(folders.begin(), folders.end());
  EXPECT_EQ(folders.size(), 3U);
  EXPECT_EQ(std::unique(folders.begin(), folders.end()), folders.end());
}

class Verify : public ::testing::Test {
 protected:
  void SetUp() override {
    bench_.scenario("ask-once", kAskOnce);
    bench_.scenario("ask-twice", kAskTwice);
    ASSERT_EQ(bench_.run({"--client", bench_.driver("good")}).code, 1);
  }
  [[nodiscard]] Outcome verify() const { return bench_.ktrial({"verify", bench_.out().string()}); }

  Workbench bench_;
};

TEST_F(Verify, ComesToTheSameVerdictsWithoutTheDriver) {
  fs::remove(bench_.home() / "good");
  fs::remove_all(bench_.home() / "scenarios");
  const Outcome outcome = verify();
  EXPECT_EQ(outcome.code, 0) << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr("2 the same"));
}

TEST_F(Verify, TellsAVerdictThatWasTamperedWith) {
  const fs::path file = bench_.out() / "run.jsonl";
  std::ifstream in(file);
  std::string text((std::istreambuf_iterator<char>(in)), {});
  in.close();
  for (std::size_t at = text.find(R"("verdict":"fail")"); at != std::string::npos;
       at = text.find(R"("verdict":"fail")"))
    text.replace(at, 16, R"("verdict":"pass")");
  std::ofstream(file) << text;
  const Outcome outcome = verify();
  EXPECT_EQ(outcome.code, 1) << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr("asked-twice: was pass, is fail"));
}

TEST_F(Verify, TellsACaptureThatIsGone) {
  const auto line = bench_.lines("case").front();
  fs::remove(bench_.out() / std::string(line.at("dir").as_string()) / "wire.pcapng");
  const Outcome outcome = verify();
  EXPECT_EQ(outcome.code, 1) << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr("wire.pcapng"));
}

}  // namespace
}  // namespace ktrial::harness
