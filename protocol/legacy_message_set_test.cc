// SPDX-License-Identifier: Apache-2.0
#include "protocol/legacy_message_set.h"

#include "common/rng.h"
#include "protocol/read_records.h"
#include "protocol/record_samples.h"
#include "protocol/writer.h"

#include <gtest/gtest.h>

#include <zlib.h>

namespace ktrial::protocol {
namespace {

using samples::view;
using Bytes = std::vector<std::uint8_t>;

Bytes message(std::int64_t offset, std::int8_t magic, std::int8_t attributes, ByteView value) {
  Writer body;
  body.integer(magic);
  body.integer(attributes);
  if (magic > 0) body.integer(std::int64_t{1234} + offset);
  body.integer(std::int32_t{-1});
  body.integer(static_cast<std::int32_t>(value.size()));
  body.append(value);
  Writer entry;
  entry.integer(offset);
  entry.integer(static_cast<std::int32_t>(body.size() + 4));
  entry.integer(static_cast<std::uint32_t>(crc32_z(0, body.span().data(), body.size())));
  entry.append(body.span());
  return std::move(entry).take();
}

Bytes joined(const Bytes& a, const Bytes& b) {
  Bytes both = a;
  both.insert(both.end(), b.begin(), b.end());
  return both;
}

// Two messages in a gzip wrapper of magic 1.
Bytes wrapper(std::int8_t extra_attributes = 0) {
  const auto inner = joined(message(0, 1, 0, view("a")), message(1, 1, 0, view("b")));
  return message(41, 1, static_cast<std::int8_t>(1 | extra_attributes),
                 *compress(Codec::kGzip, inner));
}

TEST(LegacyMessageSet, ReadsMagicZeroAndOne) {
  const auto records =
      read_records(Slice(joined(message(5, 0, 0, view("a")), message(6, 1, 0, view("b")))));
  ASSERT_TRUE(records) << records.error().to_string();
  ASSERT_EQ(records->size(), 2U);
  EXPECT_EQ(records->at(0), (Record{5, -1, std::nullopt, Slice::copy_of("a"), {}}));
  EXPECT_EQ(records->at(1), (Record{6, 1240, std::nullopt, Slice::copy_of("b"), {}}));
}

TEST(LegacyMessageSet, OpensAWrapperWithRelativeOffsets) {
  const auto records = read_records(Slice(wrapper()));
  ASSERT_TRUE(records) << records.error().to_string();
  ASSERT_EQ(records->size(), 2U);
  EXPECT_EQ(records->at(0).offset, 40);
  EXPECT_EQ(records->at(1).offset, 41);
  EXPECT_EQ(records->at(1).timestamp, 1235);
}

TEST(LegacyMessageSet, WrapperOfMagicZeroHasAbsoluteOffsets) {
  const auto inner = joined(message(7, 0, 0, view("a")), message(9, 0, 0, view("b")));
  const auto records = read_records(Slice(message(9, 0, 2, *compress(Codec::kSnappy, inner))));
  ASSERT_TRUE(records) << records.error().to_string();
  EXPECT_EQ(records->at(0).offset, 7);
}

TEST(LegacyMessageSet, LogAppendTimeOfTheWrapperIsEveryMessagesTime) {
  const auto records = read_records(Slice(wrapper(8)));
  ASSERT_TRUE(records) << records.error().to_string();
  EXPECT_EQ(records->at(0).timestamp, 1234 + 41);
}

TEST(LegacyMessageSet, NestedWrappersAreRefused) {
  const auto nested = message(41, 1, 1, *compress(Codec::kGzip, wrapper()));
  const auto records = read_records(Slice(nested));
  ASSERT_FALSE(records);
  EXPECT_EQ(records.error().code, Errc::kMalformed);
}

TEST(LegacyMessageSet, MixedMagicInAWrapperIsRefused) {
  const auto mixed = message(1, 1, 1, *compress(Codec::kGzip, message(0, 0, 0, view("a"))));
  EXPECT_FALSE(read_records(Slice(mixed)));
}

TEST(LegacyMessageSet, AWrongCrcIsAnErrorWithItsPlace) {
  auto bytes = message(5, 0, 0, view("abc"));
  bytes.back() ^= 1;
  const auto records = read_records(Slice(bytes));
  ASSERT_FALSE(records);
  EXPECT_EQ(records.error().where, "entry at byte 0: at byte 12");
}

TEST(LegacyMessageSet, APartialMessageAtTheEndIsLeftOut) {
  const auto first = message(5, 1, 0, view("abc"));
  const auto both = joined(first, first);
  for (std::size_t length = first.size(); length < both.size(); ++length) {
    const auto records = read_records(Slice::unowned(std::span(both).first(length)));
    ASSERT_TRUE(records) << length;
    EXPECT_EQ(records->size(), 1U);
  }
}

TEST(LegacyMessageSet, FlippedBitsNeverCrash) {
  Rng rng(5, "flips");
  const auto good = wrapper();
  for (int round = 0; round < 5'000; ++round) {
    auto damaged = good;
    damaged[rng.below(damaged.size())] ^= static_cast<std::uint8_t>(1U << rng.below(8));
    // The right CRC again, so that the damage gets past it.
    const auto crc = crc32_z(0, damaged.data() + 16, damaged.size() - 16);
    store_be(damaged.data() + 12, static_cast<std::uint32_t>(crc));
    static_cast<void>(read_records(Slice(std::move(damaged)), {.max_unpacked = 1U << 20U}));
  }
}

}  // namespace
}  // namespace ktrial::protocol
