// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/faults/mangle.h"

#include <gtest/gtest.h>

namespace ktrial::fakebroker {
namespace {

using Bytes = std::vector<std::uint8_t>;

// Correlation id 7, then the body a b c.
Bytes frame() { return {0, 0, 0, 7, 0, 0, 0, 7, 'a', 'b', 'c'}; }

Bytes mangled(const Mangling& mangling) {
  Rng rng(1, "mangle");
  return mangle(frame(), mangling, rng);
}

TEST(Mangle, WithoutChangesAFrameStaysAsItIs) { EXPECT_EQ(mangled({}), frame()); }

TEST(Mangle, TruncatesAndTheSizeFieldAgrees) {
  EXPECT_EQ(mangled({.truncate = 5}), (Bytes{0, 0, 0, 5, 0, 0, 0, 7, 'a'}));
  EXPECT_EQ(mangled({.truncate = 0}), (Bytes{0, 0, 0, 0}));
  EXPECT_EQ(mangled({.truncate = 100}), frame());
}

TEST(Mangle, AppendsStrayBytes) {
  EXPECT_EQ(mangled({.append = "xy"}), (Bytes{0, 0, 0, 9, 0, 0, 0, 7, 'a', 'b', 'c', 'x', 'y'}));
}

TEST(Mangle, ClaimsAnySize) {
  EXPECT_EQ(mangled({.size = -1}), (Bytes{0xff, 0xff, 0xff, 0xff, 0, 0, 0, 7, 'a', 'b', 'c'}));
}

TEST(Mangle, PatchesFromEitherEnd) {
  EXPECT_EQ(mangled({.patch = {{4, "A"}, {-1, "C"}}}),
            (Bytes{0, 0, 0, 7, 0, 0, 0, 7, 'A', 'b', 'C'}));
  EXPECT_EQ(mangled({.patch = {{6, "CDEF"}, {7, "x"}, {-8, "x"}}}),
            (Bytes{0, 0, 0, 7, 0, 0, 0, 7, 'a', 'b', 'C'}));
}

TEST(Mangle, InvertsBytes) {
  EXPECT_EQ(mangled({.flip = {-3, 100}}), (Bytes{0, 0, 0, 7, 0, 0, 0, 7, 'a' ^ 0xff, 'b', 'c'}));
}

TEST(Mangle, ShiftsTheCorrelationId) {
  EXPECT_EQ(mangled({.correlation_shift = -8}),
            (Bytes{0, 0, 0, 7, 0xff, 0xff, 0xff, 0xff, 'a', 'b', 'c'}));
}

TEST(Mangle, ReplacesTheBodyByGarbageThatRepeats) {
  const Bytes once = mangled({.garbage = 20});
  ASSERT_EQ(once.size(), 28U);
  EXPECT_EQ(Bytes(once.begin(), once.begin() + 8), (Bytes{0, 0, 0, 24, 0, 0, 0, 7}));
  EXPECT_EQ(mangled({.garbage = 20}), once);
}

TEST(Mangle, SendsAFrameTwice) {
  Bytes both = frame();
  both.insert(both.end(), both.begin(), both.end());
  EXPECT_EQ(mangled({.twice = true}), both);
}

}  // namespace
}  // namespace ktrial::fakebroker
