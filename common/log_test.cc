// SPDX-License-Identifier: Apache-2.0
#include "common/log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <sstream>

namespace ktrial {
namespace {

class Log : public testing::Test {
 protected:
  Log() : path_(testing::TempDir() + "ktrial_log_test_" + std::to_string(getpid())) {
    std::remove(path_.c_str());
    EXPECT_TRUE(set_log_file(path_));
  }
  ~Log() override {
    set_log_level(LogLevel::kWarn);
    EXPECT_TRUE(set_log_file(""));
    std::remove(path_.c_str());
  }
  [[nodiscard]] std::string written() const {
    std::ifstream file(path_);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
  }

 private:
  std::string path_;
};

TEST_F(Log, LineHasTimeLevelComponentAndText) {
  set_log_level(LogLevel::kInfo);
  Logger("group").info("{} joined {}", "m-1", 3);
  EXPECT_THAT(written(),
              testing::MatchesRegex("[0-9]+-..-..T..:..:..[.]...Z info  group: m-1 joined 3\n"));
}

TEST_F(Log, LevelsBelowTheOneInForceAreDropped) {
  const Logger log("group");
  log.info("quiet");
  log.warn("loud");
  set_log_level(LogLevel::kOff);
  log.error("nothing at all");
  EXPECT_THAT(written(), testing::HasSubstr("loud"));
  EXPECT_THAT(written(), testing::Not(testing::HasSubstr("quiet")));
  EXPECT_THAT(written(), testing::Not(testing::HasSubstr("nothing")));
}

TEST_F(Log, UnwritableFileIsAnErrorThatNamesIt) {
  const auto result = set_log_file("/nonexistent/ktrial.log");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Errc::kIo);
  EXPECT_EQ(result.error().where, "/nonexistent/ktrial.log");
}

TEST_F(Log, LevelNamesRoundTrip) {
  for (const auto level :
       {LogLevel::kDebug, LogLevel::kInfo, LogLevel::kWarn, LogLevel::kError, LogLevel::kOff}) {
    EXPECT_EQ(*parse_log_level(to_string(level)), level);
  }
  EXPECT_FALSE(parse_log_level("loud"));
}

}  // namespace
}  // namespace ktrial
