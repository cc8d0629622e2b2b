// SPDX-License-Identifier: Apache-2.0
// Nothing outlives a run: not after Ctrl-C, not after kill -9 of the parent.
#include "harness/e2e/workbench.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/wait.h>

#include <csignal>

namespace ktrial::harness {
namespace {

using namespace std::chrono_literals;

// A run of three slow cases, all in their sleep: their drivers have said hello and been told to
// create a client.
class RunningRun : public ::testing::Test {
 protected:
  void SetUp() override {
    bench_.scenario("slow", kSlow);
    bench_.scenario("quiet", kQuiet);
    pid_ = bench_.start_run({"-j", "4", "--client", bench_.driver("good"), "--client",
                             bench_.driver("deaf"), "--client", bench_.driver("grandchild")});
    const auto sleeping = [this] {
      std::size_t created = 0;
      for (const auto& text : bench_.processes())
        created += text.find("ktrial-scripted-driver") != std::string::npos;
      return created >= 3 && bench_.lines("case").size() == 3;  // the quiet ones have ended
    };
    ASSERT_TRUE(Workbench::eventually(sleeping, 20s));
  }
  void TearDown() override {
    if (!reaped_) {
      kill(pid_, SIGKILL);
      waitpid(pid_, nullptr, 0);
    }
  }
  int signal_and_reap(int number) {
    kill(pid_, number);
    int status = 0;
    waitpid(pid_, &status, 0);
    reaped_ = true;
    return status;
  }
  [[nodiscard]] bool nothing_left() const {
    return Workbench::eventually([this] { return bench_.processes().empty(); }, 2s);
  }

  Workbench bench_;
  pid_t pid_ = -1;
  bool reaped_ = false;
};

TEST_F(RunningRun, CtrlCEndsWithPartialResults) {
  const int status = signal_and_reap(SIGINT);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 130);
  EXPECT_TRUE(nothing_left()) << ::testing::PrintToString(bench_.processes());
  EXPECT_EQ(bench_.lines("case").size(), 3U);
  const auto end = bench_.lines("end");
  ASSERT_EQ(end.size(), 1U);
  EXPECT_EQ(end.front().at("exit"), 130);
  EXPECT_TRUE(std::filesystem::exists(bench_.out() / "report.html"));
}

TEST_F(RunningRun, KillOfTheParentLeavesNothing) {
  signal_and_reap(SIGKILL);
  EXPECT_TRUE(nothing_left()) << ::testing::PrintToString(bench_.processes());
  EXPECT_EQ(bench_.lines("case").size(), 3U);  // what had ended can be read
}

TEST_F(RunningRun, TerminationIsAnInterruption) {
  const int status = signal_and_reap(SIGTERM);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 130);
  EXPECT_TRUE(nothing_left()) << ::testing::PrintToString(bench_.processes());
}

}  // namespace
}  // namespace ktrial::harness
