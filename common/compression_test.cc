// SPDX-License-Identifier: Apache-2.0
#include "common/compression.h"

#include "common/rng.h"

#include <gtest/gtest.h>

#include <snappy.h>

#include <string>

namespace ktrial {
namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr Codec kPacking[] = {Codec::kGzip, Codec::kSnappy, Codec::kLz4, Codec::kZstd};
constexpr std::size_t kPlenty = 64U << 20U;

Bytes text_of(std::size_t size) {
  Rng rng(3, "text");
  Bytes bytes(size);
  for (std::size_t i = 0; i < size; ++i) {
    bytes[i] =
        i % 7 == 0 ? static_cast<std::uint8_t>(rng()) : static_cast<std::uint8_t>('a' + i % 5);
  }
  return bytes;
}

TEST(Compression, RoundTripsAllSizesBehindAPrefix) {
  for (const auto codec : {Codec::kNone, Codec::kGzip, Codec::kSnappy, Codec::kLz4, Codec::kZstd}) {
    for (const std::size_t size : {0UL, 1UL, 100UL, 32'768UL, 65'537UL, 1'000'000UL}) {
      const Bytes text = text_of(size);
      const auto packed = compress(codec, text, Bytes{1, 2, 3});
      ASSERT_TRUE(packed) << packed.error().to_string();
      EXPECT_EQ(Bytes(packed->begin(), packed->begin() + 3), (Bytes{1, 2, 3}));
      const auto unpacked = decompress(codec, std::span(*packed).subspan(3), kPlenty);
      ASSERT_TRUE(unpacked) << to_string(codec) << size << unpacked.error().to_string();
      EXPECT_EQ(*unpacked, text) << to_string(codec) << " " << size;
    }
  }
}

TEST(Compression, StopsAtTheOutputLimit) {
  const Bytes zeros(5'000'000);
  for (const auto codec : kPacking) {
    const auto packed = compress(codec, zeros);
    ASSERT_TRUE(packed);
    const auto exact = decompress(codec, *packed, zeros.size());
    ASSERT_TRUE(exact) << to_string(codec) << exact.error().to_string();
    const auto beyond = decompress(codec, *packed, zeros.size() - 1);
    ASSERT_FALSE(beyond) << to_string(codec);
    EXPECT_EQ(beyond.error().code, Errc::kTooLarge) << beyond.error().to_string();
  }
  for (const auto codec : kPacking) {
    const auto nothing = decompress(codec, *compress(codec, {}), 0);
    EXPECT_TRUE(nothing) << nothing.error().to_string();
  }
  EXPECT_EQ(decompress(Codec::kNone, zeros, 10).error().code, Errc::kTooLarge);
}

TEST(Compression, EveryTruncationIsAnError) {
  for (const auto codec : kPacking) {
    const auto packed = compress(codec, text_of(3'000));
    ASSERT_TRUE(packed);
    for (std::size_t length = 0; length < packed->size(); ++length) {
      // A header without a block is an empty text in xerial's frames, nothing at all one in zstd.
      if (codec == Codec::kSnappy && length == 16) continue;
      if (codec == Codec::kZstd && length == 0) continue;
      EXPECT_FALSE(decompress(codec, std::span(*packed).first(length), kPlenty))
          << to_string(codec) << " cut at " << length;
    }
  }
}

TEST(Compression, FlippedBitsNeverCrash) {
  Rng rng(11, "flips");
  for (const auto codec : kPacking) {
    const auto packed = compress(codec, text_of(2'000));
    ASSERT_TRUE(packed);
    for (int round = 0; round < 2'000; ++round) {
      Bytes damaged = *packed;
      for (std::uint64_t flips = 1 + rng.below(4); flips > 0; --flips) {
        damaged[rng.below(damaged.size())] ^= static_cast<std::uint8_t>(1U << rng.below(8));
      }
      const auto unpacked = decompress(codec, damaged, 1U << 20U);
      EXPECT_LE(unpacked ? unpacked->size() : 0, 1U << 20U);
    }
  }
}

TEST(Compression, ReadsRawSnappy) {
  const std::string text = "one raw block, as librdkafka writes it";
  std::string packed;
  snappy::Compress(text.data(), text.size(), &packed);
  const auto unpacked = decompress(Codec::kSnappy, Bytes(packed.begin(), packed.end()), kPlenty);
  ASSERT_TRUE(unpacked) << unpacked.error().to_string();
  EXPECT_EQ(std::string(unpacked->begin(), unpacked->end()), text);
}

TEST(Compression, ReadsJoinedStreams) {
  for (const auto codec : {Codec::kGzip, Codec::kSnappy, Codec::kZstd}) {
    const auto first = compress(codec, Bytes{'a', 'b'});
    ASSERT_TRUE(first);
    const auto both = compress(codec, Bytes{'c'}, *first);
    ASSERT_TRUE(both);
    const auto unpacked = decompress(codec, *both, kPlenty);
    ASSERT_TRUE(unpacked) << to_string(codec) << unpacked.error().to_string();
    EXPECT_EQ(*unpacked, (Bytes{'a', 'b', 'c'})) << to_string(codec);
  }
}

TEST(Compression, SnappyClaimThatCannotComeTrueIsRefusedBeforeAllocating) {
  const Bytes claims_four_gigabytes{0xff, 0xff, 0xff, 0xff, 0x0f, 0x00, 'x'};
  const auto unpacked = decompress(Codec::kSnappy, claims_four_gigabytes, SIZE_MAX);
  ASSERT_FALSE(unpacked);
  EXPECT_EQ(unpacked.error().code, Errc::kMalformed);
}

TEST(Compression, Lz4BlocksAreIndependentAsJavaRequires) {
  const auto packed = compress(Codec::kLz4, text_of(200'000));
  ASSERT_TRUE(packed);
  EXPECT_EQ((*packed)[4] & 0x20U, 0x20U);
}

TEST(Compression, Lz4HeaderChecksumIsCheckedUnlessAskedOtherwise) {
  auto packed = compress(Codec::kLz4, text_of(500));
  ASSERT_TRUE(packed);
  (*packed)[6] = static_cast<std::uint8_t>((*packed)[6] ^ 0x5aU);
  EXPECT_FALSE(decompress(Codec::kLz4, *packed, kPlenty));
  const auto unpacked = decompress_lz4_any_header_checksum(*packed, kPlenty);
  ASSERT_TRUE(unpacked) << unpacked.error().to_string();
  EXPECT_EQ(*unpacked, text_of(500));
  for (std::size_t length = 0; length < packed->size(); ++length) {
    EXPECT_FALSE(decompress_lz4_any_header_checksum(std::span(*packed).first(length), kPlenty));
  }
}

TEST(Compression, NamesAreThoseOfCompressionType) {
  for (const auto codec : kPacking) EXPECT_EQ(*parse_codec(to_string(codec)), codec);
  EXPECT_EQ(parse_codec("brotli").error().code, Errc::kInvalidArgument);
  EXPECT_EQ(compress(static_cast<Codec>(7), {}).error().code, Errc::kUnsupported);
}

}  // namespace
}  // namespace ktrial
