// SPDX-License-Identifier: Apache-2.0
// Throttling: who waits when a broker's quota is used up. Since KIP-219 the answer comes at once
// and the client keeps still for its throttle time; in older versions of each API the broker has
// waited already before it answered.
#pragma once

#include <array>
#include <cstdint>
#include <utility>

namespace ktrial::client {

// Whether the throttle time of an answer in this version is the client's to wait.
constexpr bool client_throttles(std::int16_t api_key, std::int16_t version) {
  // API key, and the first version whose answers come at once.
  constexpr std::array<std::pair<std::int16_t, std::int16_t>, 14> kSince{{{0, 6},
                                                                          {1, 8},
                                                                          {2, 3},
                                                                          {3, 6},
                                                                          {8, 4},
                                                                          {9, 4},
                                                                          {10, 2},
                                                                          {11, 3},
                                                                          {12, 2},
                                                                          {13, 2},
                                                                          {14, 2},
                                                                          {18, 2},
                                                                          {22, 1},
                                                                          {68, 0}}};
  for (const auto& [key, since] : kSince) {
    if (key == api_key) return version >= since;
  }
  return false;
}

}  // namespace ktrial::client
