// SPDX-License-Identifier: Apache-2.0
#include "common/crc32c.h"

#include "common/rng.h"

#include <gtest/gtest.h>

#include <numeric>
#include <string_view>
#include <vector>

namespace ktrial {
namespace {

using detail::crc32c_hardware;
using detail::crc32c_portable;

std::span<const std::uint8_t> bytes_of(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

std::vector<std::uint8_t> random_bytes(std::size_t size) {
  Rng rng(7, "crc32c");
  std::vector<std::uint8_t> bytes(size);
  for (auto& byte : bytes) byte = static_cast<std::uint8_t>(rng());
  return bytes;
}

TEST(Crc32c, MatchesTheVectorsOfRfc3720) {
  std::vector<std::uint8_t> rising(32);
  std::iota(rising.begin(), rising.end(), std::uint8_t{0});
  for (const auto crc : {crc32c, crc32c_portable, crc32c_hardware}) {
    EXPECT_EQ(crc(bytes_of("123456789"), 0), 0xe3069283U);
    EXPECT_EQ(crc(std::vector<std::uint8_t>(32, 0x00), 0), 0x8a9136aaU);
    EXPECT_EQ(crc(std::vector<std::uint8_t>(32, 0xff), 0), 0x62a8ab43U);
    EXPECT_EQ(crc(rising, 0), 0x46dd794eU);
    EXPECT_EQ(crc({}, 0), 0U);
  }
}

TEST(Crc32c, HardwareAndTableAgreeForEveryLengthAndAlignment) {
  const auto bytes = random_bytes(1'100);
  for (std::size_t start = 0; start < 16; ++start) {
    for (std::size_t length = 0; length + start < bytes.size(); ++length) {
      const auto part = std::span(bytes).subspan(start, length);
      ASSERT_EQ(crc32c_hardware(part), crc32c_portable(part)) << start << "+" << length;
    }
  }
}

TEST(Crc32c, HardwareAndTableAgreeAcrossLargeBlocks) {
  const auto bytes = random_bytes(100'000);
  for (std::size_t length = 12'000; length < bytes.size(); length += 4'091) {
    const auto part = std::span(bytes).first(length);
    ASSERT_EQ(crc32c_hardware(part), crc32c_portable(part)) << length;
  }
}

TEST(Crc32c, ContinuesWhereItStopped) {
  const auto bytes = random_bytes(20'000);
  const std::uint32_t whole = crc32c(bytes);
  for (std::size_t cut = 0; cut < bytes.size(); cut += 997) {
    const std::uint32_t head = crc32c(std::span(bytes).first(cut));
    ASSERT_EQ(crc32c(std::span(bytes).subspan(cut), head), whole);
  }
}

}  // namespace
}  // namespace ktrial
