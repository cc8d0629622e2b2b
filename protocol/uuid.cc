// SPDX-License-Identifier: Apache-2.0
#include "protocol/uuid.h"

#include <string_view>

namespace ktrial::protocol {

std::string Uuid::to_string() const {
  constexpr std::string_view kAlphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  std::string out;
  std::uint32_t bits = 0;
  int held = 0;
  for (const std::uint8_t byte : bytes) {
    bits = (bits << 8) | byte;
    held += 8;
    while (held >= 6) {
      held -= 6;
      out += kAlphabet[(bits >> held) & 63U];
    }
  }
  out += kAlphabet[(bits << (6 - held)) & 63U];
  return out;
}

}  // namespace ktrial::protocol
