// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/faults/mangle.h"

#include "protocol/byte_order.h"

#include <algorithm>
#include <cstring>
#include <optional>

namespace ktrial::fakebroker {
namespace {

constexpr std::size_t kSizeField = 4;
constexpr std::size_t kCorrelationEnd = kSizeField + 4;

void put_int32(std::vector<std::uint8_t>& frame, std::size_t at, std::uint32_t value) {
  const std::uint32_t bits = protocol::wire_order(value);
  if (at + sizeof bits <= frame.size()) std::memcpy(frame.data() + at, &bits, sizeof bits);
}

std::uint32_t int32_at(const std::vector<std::uint8_t>& frame, std::size_t at) {
  std::uint32_t bits = 0;
  if (at + sizeof bits <= frame.size()) std::memcpy(&bits, frame.data() + at, sizeof bits);
  return protocol::wire_order(bits);
}

// Where an offset of a rule is in the frame.
std::optional<std::size_t> place(const std::vector<std::uint8_t>& frame, std::int64_t offset) {
  const auto size = static_cast<std::int64_t>(frame.size());
  const std::int64_t at = offset < 0 ? size + offset : offset + std::int64_t{kSizeField};
  if (at < std::int64_t{kSizeField} || at >= size) return std::nullopt;
  return static_cast<std::size_t>(at);
}

void change_length(std::vector<std::uint8_t>& frame, const Mangling& mangling, Rng& rng) {
  if (mangling.garbage) {
    frame.resize(std::min(frame.size(), kCorrelationEnd));
    for (std::uint32_t i = 0; i < *mangling.garbage; ++i)
      frame.push_back(static_cast<std::uint8_t>(rng.below(256)));
  }
  if (mangling.truncate && *mangling.truncate < frame.size() - kSizeField)
    frame.resize(kSizeField + *mangling.truncate);
  frame.insert(frame.end(), mangling.append.begin(), mangling.append.end());
  put_int32(frame, 0, static_cast<std::uint32_t>(frame.size() - kSizeField));
}

void change_bytes(std::vector<std::uint8_t>& frame, const Mangling& mangling) {
  for (const auto& [offset, bytes] : mangling.patch) {
    const auto at = place(frame, offset);
    if (!at) continue;
    const std::size_t count = std::min(bytes.size(), frame.size() - *at);
    std::copy_n(bytes.begin(), count, frame.begin() + static_cast<std::ptrdiff_t>(*at));
  }
  for (const std::int32_t offset : mangling.flip) {
    if (const auto at = place(frame, offset)) frame[*at] ^= 0xffU;
  }
}

}  // namespace

std::vector<std::uint8_t> mangle(std::vector<std::uint8_t> frame, const Mangling& mangling,
                                 Rng& rng) {
  change_length(frame, mangling, rng);
  change_bytes(frame, mangling);
  if (mangling.correlation_shift) {
    put_int32(
        frame, kSizeField,
        int32_at(frame, kSizeField) + static_cast<std::uint32_t>(*mangling.correlation_shift));
  }
  if (mangling.size) put_int32(frame, 0, static_cast<std::uint32_t>(*mangling.size));
  if (mangling.twice) {
    const std::vector<std::uint8_t> once = frame;
    frame.insert(frame.end(), once.begin(), once.end());
  }
  return frame;
}

}  // namespace ktrial::fakebroker
