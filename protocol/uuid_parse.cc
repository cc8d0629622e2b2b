// SPDX-License-Identifier: Apache-2.0
#include "protocol/uuid_parse.h"

#include <cstddef>

namespace ktrial::protocol {
namespace {

constexpr std::string_view kLetters =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr std::size_t kLength = 22;

}  // namespace

std::optional<Uuid> parse_uuid(std::string_view text) {
  if (text.size() != kLength) return std::nullopt;
  Uuid id;
  std::uint32_t bits = 0;
  int count = 0;
  std::size_t byte = 0;
  for (const char letter : text) {
    const auto value = kLetters.find(letter);
    if (value == std::string_view::npos) return std::nullopt;
    bits = (bits << 6U | static_cast<std::uint32_t>(value)) & 0xffffU;
    count += 6;
    if (count < 8 || byte == id.bytes.size()) continue;
    count -= 8;
    id.bytes[byte++] = static_cast<std::uint8_t>(bits >> static_cast<unsigned>(count));
  }
  return id;
}

}  // namespace ktrial::protocol
