// SPDX-License-Identifier: Apache-2.0
// A 16-byte id as Kafka sends it (topic ids, member ids of KIP-848).
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <string>

namespace ktrial::protocol {

struct Uuid {
  std::array<std::uint8_t, 16> bytes{};

  [[nodiscard]] bool is_zero() const { return *this == Uuid{}; }
  // Unpadded URL-safe base64, as Kafka prints it.
  [[nodiscard]] std::string to_string() const;
  auto operator<=>(const Uuid&) const = default;
};

}  // namespace ktrial::protocol
