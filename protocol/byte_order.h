// SPDX-License-Identifier: Apache-2.0
// Kafka's numbers are big-endian on the wire.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>

namespace ktrial::protocol {

// From the host's order to the wire's, and back.
template <std::unsigned_integral Bits>
constexpr Bits wire_order(Bits bits) {
  if constexpr (std::endian::native == std::endian::big || sizeof(Bits) == 1) {
    return bits;
  } else if constexpr (sizeof(Bits) == 2) {
    return __builtin_bswap16(bits);
  } else if constexpr (sizeof(Bits) == 4) {
    return __builtin_bswap32(bits);
  } else {
    return __builtin_bswap64(bits);
  }
}

}  // namespace ktrial::protocol
