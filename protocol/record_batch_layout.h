// SPDX-License-Identifier: Apache-2.0
// Where the fields of a record batch of magic 2 lie (Kafka protocol guide, "Record Batch"), and
// big-endian loads and stores for them. The callers check bounds.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace ktrial::protocol {

inline constexpr std::size_t kBatchHeaderSize = 61;      // up to and with the record count
inline constexpr std::size_t kBatchLengthOverhead = 12;  // baseOffset and batchLength themselves

namespace batch_at {
inline constexpr std::size_t kBaseOffset = 0;
inline constexpr std::size_t kLength = 8;
inline constexpr std::size_t kLeaderEpoch = 12;
inline constexpr std::size_t kMagic = 16;  // message sets of magic 0 and 1 have it there too
inline constexpr std::size_t kCrc = 17;
inline constexpr std::size_t kAttributes = 21;  // the CRC covers from here to the end
inline constexpr std::size_t kLastOffsetDelta = 23;
inline constexpr std::size_t kBaseTimestamp = 27;
inline constexpr std::size_t kMaxTimestamp = 35;
inline constexpr std::size_t kProducerId = 43;
inline constexpr std::size_t kProducerEpoch = 51;
inline constexpr std::size_t kBaseSequence = 53;
inline constexpr std::size_t kRecordCount = 57;
}  // namespace batch_at

namespace batch_bits {
inline constexpr int kCodec = 0x07;
inline constexpr int kLogAppendTime = 0x08;
inline constexpr int kTransactional = 0x10;
inline constexpr int kControl = 0x20;
inline constexpr int kDeleteHorizon = 0x40;
}  // namespace batch_bits

template <std::integral Integer>
Integer load_be(const std::uint8_t* at) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < sizeof(Integer); ++i) value = value << 8U | at[i];
  return static_cast<Integer>(value);
}

template <std::integral Integer>
void store_be(std::uint8_t* at, Integer value) {
  auto bits = static_cast<std::uint64_t>(value);
  for (std::size_t i = sizeof(Integer); i-- > 0; bits >>= 8U) {
    at[i] = static_cast<std::uint8_t>(bits & 0xffU);
  }
}

// Offsets, timestamps and sequences come from the wire: sums must wrap, not overflow.
template <std::signed_integral Integer>
Integer wrapping_add(Integer a, Integer b) {
  using Unsigned = std::make_unsigned_t<Integer>;
  return static_cast<Integer>(static_cast<Unsigned>(a) + static_cast<Unsigned>(b));
}

}  // namespace ktrial::protocol
