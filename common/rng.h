// SPDX-License-Identifier: Apache-2.0
// Rng: a small random generator (xoshiro256**) whose streams are named, so that a run can be
// replayed from one seed: adding a consumer of randomness does not shift what others draw. Same
// numbers on every platform, unlike the distributions of the standard library.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <string_view>

namespace ktrial {

class Rng {
 public:
  using result_type = std::uint64_t;

  // Streams of one seed with different names are independent.
  Rng(std::uint64_t seed, std::string_view name) {
    std::uint64_t mixed = seed ^ hash(name);
    for (auto& word : state_) word = split_mix(mixed);
  }

  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return UINT64_MAX; }
  result_type operator()() {
    const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
    const std::uint64_t shifted = state_[1] << 17U;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = std::rotl(state_[3], 45);
    return result;
  }

  // In [0, bound), every value equally likely; 0 for bound 0.
  std::uint64_t below(std::uint64_t bound) {
    if (bound == 0) return 0;
    const std::uint64_t unfair = (UINT64_MAX - bound + 1) % bound;
    std::uint64_t drawn = (*this)();
    while (drawn < unfair) drawn = (*this)();
    return drawn % bound;
  }
  // In [0, 1).
  double unit() { return static_cast<double>((*this)() >> 11U) * 0x1.0p-53; }
  double between(double low, double high) { return low + (high - low) * unit(); }
  bool chance(double probability) { return unit() < probability; }

 private:
  static std::uint64_t hash(std::string_view name) {
    std::uint64_t value = 0xcbf29ce484222325U;
    for (const char c : name) value = (value ^ static_cast<std::uint8_t>(c)) * 0x100000001b3U;
    return value;
  }
  static std::uint64_t split_mix(std::uint64_t& state) {
    state += 0x9e3779b97f4a7c15U;
    std::uint64_t z = state;
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31U);
  }

  std::array<std::uint64_t, 4> state_{};
};

}  // namespace ktrial
