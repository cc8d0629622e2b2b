// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/state/mutation_quota.h"

#include "common/manual_clock.h"

#include <gtest/gtest.h>

namespace ktrial::fakebroker {
namespace {

struct MutationQuotaTest : testing::Test {
  ClientQuotas quotas;
  MutationQuota mutations{quotas};
  TimePoint now{};
  QuotaHolder who{.broker = 1, .user = "alice", .client_id = "c"};

  void SetUp() override { limit(2); }
  void limit(double rate) {
    quotas.alter({{"client-id", std::nullopt}},
                 {{.key = std::string(MutationQuota::kName), .value = rate}});
  }
  MutationQuota::Verdict strictly(double count) { return mutations.take_strictly(who, count, now); }
  MutationQuota::Verdict take(double count) { return mutations.take(who, count, now); }
};

TEST_F(MutationQuotaTest, WhoHasNoLimitIsNotHeldToOne) {
  quotas = {};
  EXPECT_FALSE(strictly(1e6).refused);
  EXPECT_EQ(take(1e6).throttle, Millis(0));
}

TEST_F(MutationQuotaTest, ElevenSecondsWorthMayComeAtOnceAndMoreOnce) {
  EXPECT_FALSE(strictly(22).refused);
  EXPECT_FALSE(strictly(10).refused);  // nothing is left, but nothing is owed
  const auto verdict = strictly(1);
  EXPECT_TRUE(verdict.refused);
  EXPECT_EQ(verdict.throttle, Millis(5'000));  // ten owed, at two a second
}

TEST_F(MutationQuotaTest, WhatWasRefusedCostsNothing) {
  strictly(24);
  EXPECT_EQ(strictly(100).throttle, Millis(1'000));
  EXPECT_EQ(strictly(100).throttle, Millis(1'000));
}

TEST_F(MutationQuotaTest, TheBucketFillsWithTime) {
  strictly(26);
  now += std::chrono::milliseconds(1'500);
  EXPECT_EQ(strictly(1).throttle, Millis(500));
  now += std::chrono::milliseconds(500);
  EXPECT_FALSE(strictly(1).refused);
  now += std::chrono::hours(1);  // no further than full
  EXPECT_FALSE(strictly(23).refused);
  EXPECT_TRUE(strictly(1).refused);
}

TEST_F(MutationQuotaTest, WithoutStrictnessAllIsTakenAndPaidForLater) {
  EXPECT_EQ(take(22).throttle, Millis(0));
  EXPECT_EQ(take(4).throttle, Millis(2'000));
  EXPECT_FALSE(take(4).refused);
  EXPECT_EQ(take(0).throttle, Millis(4'000));
}

TEST_F(MutationQuotaTest, EachClientOfADefaultHasItsOwn) {
  strictly(24);
  EXPECT_TRUE(strictly(1).refused);
  who.client_id = "other";
  EXPECT_FALSE(strictly(1).refused);
}

}  // namespace
}  // namespace ktrial::fakebroker
