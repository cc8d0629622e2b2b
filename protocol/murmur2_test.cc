// SPDX-License-Identifier: Apache-2.0
#include "protocol/murmur2.h"

#include "protocol/record_samples.h"

#include <gtest/gtest.h>

namespace ktrial::protocol {
namespace {

using samples::view;

// What the Java client computes for these keys.
TEST(Murmur2, MatchesJava) {
  EXPECT_EQ(murmur2(view("21")), -973932308);
  EXPECT_EQ(murmur2(view("foobar")), -790332482);
  EXPECT_EQ(murmur2(view("a-little-bit-long-string")), -985981536);
  EXPECT_EQ(murmur2(view("a-little-bit-longer-string")), -1486304829);
  EXPECT_EQ(murmur2(view("lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8")), -58897971);
}

TEST(Murmur2, PositiveClearsTheSignBit) {
  EXPECT_EQ(to_positive(-1), 0x7fffffff);
  EXPECT_EQ(to_positive(INT32_MIN), 0);
  EXPECT_EQ(to_positive(5), 5);
  EXPECT_EQ(keyed_partition(view("21"), 3), to_positive(-973932308) % 3);
}

}  // namespace
}  // namespace ktrial::protocol
