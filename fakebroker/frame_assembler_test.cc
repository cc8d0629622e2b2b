// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/frame_assembler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <vector>

namespace ktrial::fakebroker {
namespace {

std::vector<std::uint8_t> frame(std::size_t size) {
  std::vector<std::uint8_t> bytes = {
      static_cast<std::uint8_t>(size >> 24U), static_cast<std::uint8_t>(size >> 16U),
      static_cast<std::uint8_t>(size >> 8U), static_cast<std::uint8_t>(size)};
  for (std::size_t i = 0; i < size; ++i) bytes.push_back(static_cast<std::uint8_t>(i * 7));
  return bytes;
}

// As a connection does: into room() if there is one, else by feed().
Result<void> put(FrameAssembler& assembler, std::span<const std::uint8_t> bytes) {
  while (!bytes.empty()) {
    const auto room = assembler.room();
    if (room.empty()) return assembler.feed(Slice::copy_of(bytes));
    const std::size_t count = std::min(room.size(), bytes.size());
    std::memcpy(room.data(), bytes.data(), count);
    assembler.filled(count);
    bytes = bytes.subspan(count);
  }
  return {};
}

TEST(FrameAssembler, CutsWhereverTheStreamIsSplit) {
  std::vector<std::uint8_t> stream;
  for (const std::size_t size : {5U, 0U, 9U}) {
    const auto one = frame(size);
    stream.insert(stream.end(), one.begin(), one.end());
  }
  for (std::size_t first = 0; first <= stream.size(); ++first) {
    for (std::size_t second = first; second <= stream.size(); ++second) {
      FrameAssembler assembler(1000);
      const std::span<const std::uint8_t> all(stream);
      ASSERT_TRUE(put(assembler, all.first(first)));
      ASSERT_TRUE(put(assembler, all.subspan(first, second - first)));
      ASSERT_TRUE(put(assembler, all.subspan(second)));
      for (const std::size_t size : {5U, 0U, 9U}) {
        const auto next = assembler.next();
        ASSERT_TRUE(next);
        const auto expected = frame(size);
        EXPECT_TRUE(std::equal(next->span().begin(), next->span().end(), expected.begin() + 4,
                               expected.end()));
      }
      EXPECT_FALSE(assembler.next());
      EXPECT_EQ(assembler.waiting_bytes(), 0U);
    }
  }
}

TEST(FrameAssembler, AWholeFrameIsNotCopied) {
  FrameAssembler assembler(1000);
  const Slice received = Slice::copy_of(std::span<const std::uint8_t>(frame(20)));
  ASSERT_TRUE(assembler.feed(received));
  EXPECT_EQ(assembler.next()->data(), received.data() + 4);
}

TEST(FrameAssembler, RefusesNegativeAndExcessiveLengths) {
  FrameAssembler negative(1000);
  EXPECT_EQ(negative.feed(Slice::copy_of(std::string_view("\xff\xff\xff\xff", 4))).error().code,
            Errc::kMalformed);
  FrameAssembler large(1000);
  EXPECT_EQ(large.feed(Slice::copy_of(std::string_view("\x00\x00\x03\xe9", 4))).error().code,
            Errc::kTooLarge);
}

TEST(FrameAssembler, GrowsWithWhatArrivesNotWithWhatIsClaimed) {
  FrameAssembler assembler(INT32_MAX);
  ASSERT_TRUE(assembler.feed(Slice::copy_of(std::string_view("\x7f\xff\xff\xff", 4))));
  EXPECT_LE(assembler.room().size(), 1U << 20U);
}

TEST(FrameAssembler, GathersAFrameLargerThanItsFirstBuffer) {
  const auto large = frame(5'000'000);
  FrameAssembler assembler(10'000'000);
  for (std::size_t at = 0; at < large.size(); at += 77'777) {
    ASSERT_TRUE(put(
        assembler, std::span(large).subspan(at, std::min<std::size_t>(77'777, large.size() - at))));
  }
  const auto next = assembler.next();
  ASSERT_TRUE(next);
  EXPECT_TRUE(std::equal(next->span().begin(), next->span().end(), large.begin() + 4, large.end()));
}

}  // namespace
}  // namespace ktrial::fakebroker
