// SPDX-License-Identifier: Apache-2.0
#include "common/rng.h"

#include <gtest/gtest.h>

#include <set>

namespace ktrial {
namespace {

TEST(Rng, SameSeedAndNameReplay) {
  Rng first(42, "faults");
  Rng second(42, "faults");
  for (int i = 0; i < 100; ++i) EXPECT_EQ(first(), second());
}

TEST(Rng, NamesAndSeedsSeparateStreams) {
  EXPECT_NE(Rng(42, "faults")(), Rng(42, "payload")());
  EXPECT_NE(Rng(42, "faults")(), Rng(43, "faults")());
}

TEST(Rng, BelowReachesEveryValueAndStaysBelow) {
  Rng rng(1, "below");
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 1000; ++i) seen.insert(rng.below(7));
  EXPECT_EQ(seen.size(), 7U);
  EXPECT_EQ(*seen.rbegin(), 6U);
  EXPECT_EQ(rng.below(0), 0U);
  EXPECT_EQ(rng.below(1), 0U);
}

TEST(Rng, ChanceIsAboutRight) {
  Rng rng(1, "chance");
  int hits = 0;
  for (int i = 0; i < 10'000; ++i) hits += rng.chance(0.25) ? 1 : 0;
  EXPECT_NEAR(hits, 2'500, 200);
  EXPECT_FALSE(rng.chance(0.0));
  EXPECT_TRUE(rng.chance(1.0));
}

}  // namespace
}  // namespace ktrial
