// SPDX-License-Identifier: Apache-2.0
#include "reports/model/read_run.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <fstream>

namespace ktrial::reports {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class ReadRun : public ::testing::Test {
 protected:
  ReadRun() : dir_(fs::path(::testing::TempDir()) / ("read_run_" + std::to_string(::getpid()))) {
    fs::create_directories(dir_ / "cases/a");
  }
  ~ReadRun() override { fs::remove_all(dir_); }
  void write(const std::string& name, const std::string& text) {
    std::ofstream(dir_ / name) << text;
  }

  fs::path dir_;
};

constexpr auto kRunLine =
    R"({"kind":"run","ktrial":"0.1.0","format":1,"started":"2026-01-02T03:04:05Z"})"
    "\n";
constexpr auto kCaseLine =
    R"({"kind":"case","id":"a/b","client":"java","version":"4.4.0","verdict":"pass","dir":"cases/a","checks":[{"id":"c","verdict":"pass","level":"MUST","evidence":[{"packet":3,"t":0.5,"conn":1,"text":"x"}]}]})"
    "\n";

TEST_F(ReadRun, ReadsCasesWithTheirEvents) {
  write("run.jsonl", std::string(kRunLine) + kCaseLine + R"({"kind":"end","exit":0})" + "\n");
  write(
      "cases/a/case.jsonl",
      R"({"kind":"connection","id":0,"broker":2,"server":"127.0.0.1:9092","roles":["leader"],"open":0.1})"
      "\n"
      R"({"kind":"event","t":0.2,"type":"req","conn":0,"broker":2,"packet":11,"data":{"api":"Produce","version":9,"correlation_id":4}})"
      "\n"
      R"({"kind":"event","t":0.3,"type":"resp","conn":0,"packet":12,"data":{"api":"Produce","correlation_id":4}})"
      "\n");
  const auto run = read_run(dir_);
  ASSERT_TRUE(run) << run.error().to_string();
  ASSERT_EQ(run->cases.size(), 1U);
  EXPECT_TRUE(run->complete);
  EXPECT_EQ(run->cases[0].lanes.at(0).broker, 2);
  ASSERT_EQ(run->cases[0].requests.size(), 1U);
  EXPECT_EQ(run->cases[0].requests[0].answered, 0.3);
  EXPECT_EQ(run->cases[0].checks.at(0).evidence.at(0).packet, 3U);
}

TEST_F(ReadRun, CasesAreInOrderWhicheverEndedFirst) {
  const auto line = [](std::string_view id, std::string_view client) {
    return fmt::format(R"({{"kind":"case","id":"{}","client":"{}","version":"1","verdict":"pass"}})"
                       "\n",
                       id, client);
  };
  write("run.jsonl", kRunLine + line("b", "java") + line("a", "sarama") + line("a", "java"));
  const auto run = read_run(dir_);
  ASSERT_TRUE(run) << run.error().to_string();
  std::vector<std::string> order;
  for (const CaseResult& one : run->cases) order.push_back(one.id + " " + one.client);
  EXPECT_THAT(order, ElementsAre("a java", "a sarama", "b java"));
}

TEST_F(ReadRun, AKilledRunIsReadAsFarAsItGoes) {
  write("run.jsonl", std::string(kRunLine) + kCaseLine + R"({"kind":"case","id":"a/c","cli)");
  const auto run = read_run(dir_);
  ASSERT_TRUE(run) << run.error().to_string();
  EXPECT_EQ(run->cases.size(), 1U);
  EXPECT_FALSE(run->complete);
}

TEST_F(ReadRun, AForeignLineIsAnErrorWithItsPlace) {
  write("run.jsonl", std::string(kRunLine) + "hello\n" + kCaseLine);
  const auto run = read_run(dir_);
  ASSERT_FALSE(run);
  EXPECT_THAT(run.error().to_string(), HasSubstr("run.jsonl:2: not a JSON object"));
}

TEST_F(ReadRun, ANewerFormatSaysSo) {
  write("run.jsonl", R"({"kind":"run","format":99})"
                     "\n");
  const auto run = read_run(dir_);
  ASSERT_FALSE(run);
  EXPECT_THAT(run.error().to_string(), HasSubstr("format 99"));
}

TEST_F(ReadRun, AMissingFolderIsAnError) {
  const auto run = read_run(dir_ / "none");
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().code, Errc::kNotFound);
}

}  // namespace
}  // namespace ktrial::reports
