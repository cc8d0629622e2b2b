// SPDX-License-Identifier: Apache-2.0
#include "protocol/murmur2.h"

namespace ktrial::protocol {

std::int32_t murmur2(std::span<const std::uint8_t> key) {
  constexpr std::uint32_t kMultiplier = 0x5bd1e995;
  std::uint32_t hash = 0x9747b28cU ^ static_cast<std::uint32_t>(key.size());
  std::size_t at = 0;
  for (; at + 4 <= key.size(); at += 4) {
    std::uint32_t word = key[at] | std::uint32_t{key[at + 1]} << 8U |
                         std::uint32_t{key[at + 2]} << 16U | std::uint32_t{key[at + 3]} << 24U;
    word *= kMultiplier;
    word ^= word >> 24U;
    word *= kMultiplier;
    hash = hash * kMultiplier ^ word;
  }
  if (at < key.size()) {
    for (std::size_t i = key.size(); i-- > at;) hash ^= std::uint32_t{key[i]} << (8U * (i - at));
    hash *= kMultiplier;
  }
  hash ^= hash >> 13U;
  hash *= kMultiplier;
  hash ^= hash >> 15U;
  return static_cast<std::int32_t>(hash);
}

}  // namespace ktrial::protocol
