// SPDX-License-Identifier: Apache-2.0
#include "common/net/asio_timers.h"

#include <gtest/gtest.h>

#include <optional>
#include <stdexcept>
#include <vector>

namespace ktrial {
namespace {

using std::chrono::hours;

class AsioTimersTest : public testing::Test {
 protected:
  boost::asio::io_context context_;
  std::vector<int> ran_;
};

TEST_F(AsioTimersTest, RunInOrderOfDeadlines) {
  AsioTimers timers(context_);
  timers.after(Millis(3), [this] { ran_.push_back(3); });
  timers.after(Millis(1), [this] { ran_.push_back(1); });
  timers.after(Millis(2), [this] { ran_.push_back(2); });
  context_.run();
  EXPECT_EQ(ran_, (std::vector{1, 2, 3}));
  EXPECT_EQ(timers.pending(), 0U);
}

TEST_F(AsioTimersTest, NeverRunInsideAfter) {
  AsioTimers timers(context_);
  timers.after(Nanos(-5), [this] { ran_.push_back(1); });
  EXPECT_TRUE(ran_.empty());
  context_.run();
  EXPECT_EQ(ran_.size(), 1U);
}

TEST_F(AsioTimersTest, CancelledTimerDoesNotRunNorKeepTheContextBusy) {
  AsioTimers timers(context_);
  const auto id = timers.after(hours(1), [this] { ran_.push_back(1); });
  timers.cancel(id);
  timers.cancel(id);
  timers.cancel(0);
  context_.run();
  EXPECT_TRUE(ran_.empty());
}

TEST_F(AsioTimersTest, TimerAddedAfterTheLastWasCancelledStillRuns) {
  AsioTimers timers(context_);
  timers.cancel(timers.after(Nanos(0), [] {}));
  timers.after(Millis(1), [this] { ran_.push_back(1); });
  context_.run();
  EXPECT_EQ(ran_.size(), 1U);
}

TEST_F(AsioTimersTest, CallbackMayAddAndCancel) {
  AsioTimers timers(context_);
  const auto doomed = timers.after(hours(1), [this] { ran_.push_back(9); });
  timers.after(Millis(1), [this, &timers, doomed] {
    timers.cancel(doomed);
    timers.after(Nanos(0), [this] { ran_.push_back(2); });
    ran_.push_back(1);
  });
  context_.run();
  EXPECT_EQ(ran_, (std::vector{1, 2}));
}

TEST_F(AsioTimersTest, CallbackMayDestroyTheService) {
  std::optional<AsioTimers> timers(std::in_place, context_);
  timers->after(Millis(1), [this, &timers] {
    timers.reset();
    ran_.push_back(1);
  });
  timers->after(Millis(1), [this] { ran_.push_back(2); });
  context_.run();
  EXPECT_EQ(ran_, (std::vector{1}));
}

TEST_F(AsioTimersTest, ThrowingCallbackDoesNotStopTheOthers) {
  AsioTimers timers(context_);
  timers.after(Nanos(0), [] { throw std::runtime_error("a fault"); });
  timers.after(Millis(1), [this] { ran_.push_back(1); });
  EXPECT_THROW(context_.run(), std::runtime_error);
  context_.run();
  EXPECT_EQ(ran_.size(), 1U);
}

}  // namespace
}  // namespace ktrial
