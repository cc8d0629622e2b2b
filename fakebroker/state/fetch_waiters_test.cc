// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/state/fetch_waiters.h"

#include "common/manual_clock.h"

#include <gtest/gtest.h>

namespace ktrial::fakebroker {
namespace {

using namespace std::chrono_literals;

struct FetchWaitersTest : testing::Test {
  ManualClock clock;
  FetchWaiters waiters{clock};
  int asked = 0;
  int expired = 0;
  bool ready = false;

  void wait_for(std::vector<std::uint64_t> partitions, Nanos max_wait = 500ms) {
    waiters.add(std::move(partitions), max_wait, [this](bool is_expired) {
      ++asked;
      expired += is_expired ? 1 : 0;
      return ready || is_expired;
    });
  }
};

TEST_F(FetchWaitersTest, WaitsUntilItsDeadline) {
  wait_for({1});
  clock.advance(499ms);
  EXPECT_EQ(expired, 0);
  clock.advance(1ms);
  EXPECT_EQ(expired, 1);
  EXPECT_EQ(waiters.size(), 0U);
}

TEST_F(FetchWaitersTest, ATouchedPartitionCompletesIt) {
  wait_for({1, 2});
  ready = true;
  waiters.touch(2);
  EXPECT_EQ(asked, 1);
  EXPECT_EQ(waiters.size(), 0U);
  EXPECT_EQ(clock.pending(), 0U);
}

TEST_F(FetchWaitersTest, ItWaitsOnIfThatWasNotEnough) {
  wait_for({1});
  waiters.touch(1);
  EXPECT_EQ(asked, 1);
  EXPECT_EQ(waiters.size(), 1U);
}

TEST_F(FetchWaitersTest, OtherPartitionsDoNotWakeIt) {
  wait_for({1});
  waiters.touch(3);
  EXPECT_EQ(asked, 0);
}

TEST_F(FetchWaitersTest, OneTouchCompletesAllThatWait) {
  wait_for({1});
  wait_for({1});
  ready = true;
  waiters.touch(1);
  EXPECT_EQ(asked, 2);
  EXPECT_EQ(waiters.size(), 0U);
}

TEST_F(FetchWaitersTest, WaitingForNothingEndsAtTheDeadline) {
  wait_for({});
  clock.advance(1s);
  EXPECT_EQ(expired, 1);
}

}  // namespace
}  // namespace ktrial::fakebroker
