// SPDX-License-Identifier: Apache-2.0
// Kafka's default partitioner for keyed records: 32-bit MurmurHash2 with seed 0x9747b28c.
#pragma once

#include <cstdint>
#include <span>

namespace ktrial::protocol {

std::int32_t murmur2(std::span<const std::uint8_t> key);

// Java's Utils.toPositive: clears the sign bit, which is not the absolute value.
constexpr std::int32_t to_positive(std::int32_t hash) { return hash & 0x7fffffff; }

// The partition that the Java client gives a key. `partitions` is positive.
inline std::int32_t keyed_partition(std::span<const std::uint8_t> key, std::int32_t partitions) {
  return to_positive(murmur2(key)) % partitions;
}

}  // namespace ktrial::protocol
