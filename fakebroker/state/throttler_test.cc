// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/state/throttler.h"

#include <gtest/gtest.h>

namespace ktrial::fakebroker {
namespace {

using std::chrono::seconds;

TEST(RateWindow, TenSecondsWorthMayComeAtOnce) {
  RateWindow window;
  window.record(10'000, TimePoint{});
  EXPECT_EQ(window.excess(1'000, TimePoint{}), Millis(0));
  window.record(5'000, TimePoint{});
  // 1500 a second over 10 s: half as much again, so 5 s more.
  EXPECT_EQ(window.excess(1'000, TimePoint{}), Millis(5'000));
}

TEST(RateWindow, WhatIsElevenSecondsOldIsForgotten) {
  RateWindow window;
  window.record(20'000, TimePoint{});
  EXPECT_EQ(window.excess(1'000, TimePoint{} + seconds(5)), Millis(10'000));
  EXPECT_GT(window.excess(1'000, TimePoint{} + seconds(10)), Millis(0));
  EXPECT_EQ(window.excess(1'000, TimePoint{} + seconds(11)), Millis(0));
}

struct ThrottlerTest : testing::Test {
  void set(const QuotaEntity& entity, double bound) {
    quotas.alter(entity, {{std::string(Throttler::kProducer), bound}});
  }
  // In seconds, for twice ten seconds' worth of what the smallest quota allows.
  Millis charge(const std::string& client, int broker = 1, double bytes = 20'000) {
    return throttler.charge(Throttler::kProducer, {broker, "ANONYMOUS", client}, bytes,
                            TimePoint{});
  }
  ClientQuotas quotas;
  Throttler throttler{quotas};
};

TEST_F(ThrottlerTest, WithoutAQuotaNothingIsLimited) {
  EXPECT_EQ(charge("c"), Millis(0));
  EXPECT_FALSE(throttler.limits(Throttler::kProducer, {1, "ANONYMOUS", "c"}));
}

TEST_F(ThrottlerTest, UserAndClientComeBeforeUserBeforeClient) {
  set({{"client-id", std::nullopt}}, 1'000);
  EXPECT_EQ(charge("a"), Millis(10'000));
  set({{"client-id", "b"}}, 2'000);
  EXPECT_EQ(charge("b"), Millis(0));
  set({{"user", std::nullopt}}, 1'000);
  EXPECT_EQ(charge("b"), Millis(10'000));
  set({{"user", "ANONYMOUS"}, {"client-id", "b"}}, 2'000);
  EXPECT_EQ(charge("b"), Millis(0));
  EXPECT_GT(charge("c"), Millis(0));
}

TEST_F(ThrottlerTest, AUsersQuotaIsSharedByItsClientsButNotByBrokers) {
  set({{"user", "ANONYMOUS"}}, 2'000);
  EXPECT_EQ(charge("a"), Millis(0));
  EXPECT_EQ(charge("b"), Millis(10'000));
  EXPECT_EQ(charge("b", 2), Millis(0));
}

TEST_F(ThrottlerTest, ADefaultClientQuotaIsEachClientsOwn) {
  set({{"client-id", std::nullopt}}, 2'000);
  EXPECT_EQ(charge("a"), Millis(0));
  EXPECT_EQ(charge("b"), Millis(0));
  throttler.refund(Throttler::kProducer, {1, "ANONYMOUS", "a"}, 20'000, TimePoint{});
  EXPECT_EQ(charge("a"), Millis(0));
}

}  // namespace
}  // namespace ktrial::fakebroker
