// SPDX-License-Identifier: Apache-2.0
// Writer: appends Kafka's primitive types, big-endian, to a growing buffer.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "common/slice.h"

namespace ktrial::protocol {

// Bytes that belong between those written before and after `at`, not copied: a fetch response's
// records go from the log to the socket so.
struct Splice {
  std::size_t at = 0;
  Slice bytes;
};

class Writer {
 public:
  Writer() = default;
  explicit Writer(std::size_t reserve) { bytes_.reserve(reserve); }

  template <std::integral Integer>
  void integer(Integer value) {
    std::uint8_t raw[sizeof(Integer)];
    auto bits = static_cast<std::make_unsigned_t<Integer>>(value);
    for (std::size_t i = sizeof(Integer); i-- > 0;) {
      raw[i] = static_cast<std::uint8_t>(bits & 0xffU);
      if constexpr (sizeof(Integer) > 1) bits = static_cast<decltype(bits)>(bits >> 8U);
    }
    append(raw);
  }
  void boolean(bool value) { bytes_.push_back(value ? 1 : 0); }
  void float64(double value) { integer(std::bit_cast<std::uint64_t>(value)); }
  // Unsigned LEB128, as KIP-482 has lengths.
  void uvarint(std::uint64_t value) {
    while (value >= 0x80) {
      bytes_.push_back(static_cast<std::uint8_t>(value | 0x80U));
      value >>= 7U;
    }
    bytes_.push_back(static_cast<std::uint8_t>(value));
  }
  // Zigzag, as records have it.
  void varint(std::int64_t value) {
    uvarint((static_cast<std::uint64_t>(value) << 1U) ^ static_cast<std::uint64_t>(value >> 63));
  }
  void append(std::span<const std::uint8_t> bytes) {
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  }
  void append(std::string_view text) {
    append({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
  }

  // Bytes and records fields: set aside if splices are collected, else copied.
  void append_slice(const Slice& slice) {
    if (splices_ == nullptr) return append(slice.span());
    if (!slice.empty()) splices_->push_back({bytes_.size(), slice});
  }
  // nullptr: copy again. What is set aside does not count in size().
  void collect_splices(std::vector<Splice>* splices) { splices_ = splices; }

  [[nodiscard]] std::size_t size() const { return bytes_.size(); }
  [[nodiscard]] std::span<const std::uint8_t> span() const { return bytes_; }
  // Overwrites four bytes written before, e.g. a length.
  void patch_int32(std::size_t at, std::int32_t value) {
    auto bits = static_cast<std::uint32_t>(value);
    for (std::size_t i = 4; i-- > 0; bits >>= 8U) bytes_[at + i] = static_cast<std::uint8_t>(bits & 0xffU);
  }
  [[nodiscard]] std::vector<std::uint8_t> take() && { return std::move(bytes_); }
  // Keeps the memory for what comes next.
  void clear() { bytes_.clear(); }
  [[nodiscard]] std::size_t capacity() const { return bytes_.capacity(); }

 private:
  std::vector<std::uint8_t> bytes_;
  std::vector<Splice>* splices_ = nullptr;
};

}  // namespace ktrial::protocol
