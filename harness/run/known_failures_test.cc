// SPDX-License-Identifier: Apache-2.0
#include "harness/run/known_failures.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace ktrial::harness {
namespace {

Result<std::vector<KnownFailure>> read(const std::string& text) {
  const auto path =
      std::filesystem::temp_directory_path() / ("known-" + std::to_string(::getpid()) + ".yaml");
  std::ofstream(path) << text;
  auto all = read_known_failures(path.string());
  std::filesystem::remove(path);
  return all;
}

boost::json::object a_case(const std::string& verdict, const std::string& failed_check) {
  return boost::json::parse(R"({"id": "faults/answers/never", "client": "c", "version": "1.2",
      "verdict": ")" + verdict +
                            R"(", "checks": [{"id": "other", "verdict": "pass"},
      {"id": ")" + failed_check +
                            R"(", "verdict": ")" + verdict + R"("}]})")
      .as_object();
}

constexpr const char* kOne = R"(
slow:
  scenario: faults/*
  checks: [sent-again]
  client: c <2
  reason: It waits on a connection that never answers.
)";

TEST(KnownFailures, ExcuseWhatTheyNameAndNothingElse) {
  const auto all = read(kOne);
  ASSERT_TRUE(all) << all.error().to_string();
  const KnownFailure& known = all->front();
  EXPECT_TRUE(known.excuses(a_case("fail", "sent-again")));
  EXPECT_FALSE(known.excuses(a_case("fail", "not-twice")));
  EXPECT_FALSE(known.excuses(a_case("pass", "sent-again")));
  EXPECT_TRUE(known.concerns(a_case("pass", "sent-again")));
  boost::json::object newer = a_case("fail", "sent-again");
  newer["version"] = "2.0";
  EXPECT_FALSE(known.concerns(newer));
}

TEST(KnownFailures, MayBeOfSomeVariantsOnly) {
  const auto all = read(R"(
slow:
  scenario: faults/answers/never/end=[fr]*
  checks: [sent-again]
  client: c
  sometimes: true
  reason: It waits on a connection that never answers.
)");
  ASSERT_TRUE(all) << all.error().to_string();
  boost::json::object line = a_case("fail", "sent-again");
  EXPECT_FALSE(all->front().excuses(line));
  line["variant"] = {{"end", "rst"}, {"work", "done"}};
  EXPECT_TRUE(all->front().excuses(line));
  line["variant"] = {{"end", "half"}, {"work", "done"}};
  EXPECT_FALSE(all->front().excuses(line));
  EXPECT_TRUE(all->front().sometimes);
}

TEST(KnownFailures, AFaultInTheListIsToldWithItsPlace) {
  const auto all = read("slow:\n  scenario: x\n  checks: [a]\n  client: c\n  becaus: y\n");
  ASSERT_FALSE(all);
  EXPECT_NE(all.error().to_string().find("becaus"), std::string::npos);
}

}  // namespace
}  // namespace ktrial::harness
