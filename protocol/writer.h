// SPDX-License-Identifier: Apache-2.0
// Writer: appends Kafka's primitive types, big-endian, to a growing buffer.
#pragma once

#include <algorithm>
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
#include "protocol/byte_order.h"

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
  explicit Writer(std::size_t reserve) : bytes_(reserve) {}

  template <std::integral Integer>
  void integer(Integer value) {
    const auto bits = wire_order(static_cast<std::make_unsigned_t<Integer>>(value));
    std::memcpy(grow(sizeof bits), &bits, sizeof bits);
  }
  void boolean(bool value) { *grow(1) = value ? 1 : 0; }
  void float64(double value) { integer(std::bit_cast<std::uint64_t>(value)); }
  // Unsigned LEB128, as KIP-482 has lengths.
  void uvarint(std::uint64_t value) {
    while (value >= 0x80) {
      *grow(1) = static_cast<std::uint8_t>(value | 0x80U);
      value >>= 7U;
    }
    *grow(1) = static_cast<std::uint8_t>(value);
  }
  // Zigzag, as records have it.
  void varint(std::int64_t value) {
    uvarint((static_cast<std::uint64_t>(value) << 1U) ^ static_cast<std::uint64_t>(value >> 63));
  }
  void append(std::span<const std::uint8_t> bytes) {
    if (!bytes.empty()) std::memcpy(grow(bytes.size()), bytes.data(), bytes.size());
  }
  void append(std::string_view text) {
    append({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
  }

  // Bytes and records fields: set aside if splices are collected, else copied.
  void append_slice(const Slice& slice) {
    if (splices_ == nullptr) return append(slice.span());
    if (!slice.empty()) splices_->push_back({size_, slice});
  }
  // nullptr: copy again. What is set aside does not count in size().
  void collect_splices(std::vector<Splice>* splices) { splices_ = splices; }

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::span<const std::uint8_t> span() const { return {bytes_.data(), size_}; }
  // Overwrites four bytes written before, e.g. a length.
  void patch_int32(std::size_t at, std::int32_t value) {
    const std::uint32_t bits = wire_order(static_cast<std::uint32_t>(value));
    std::memcpy(bytes_.data() + at, &bits, sizeof bits);
  }
  [[nodiscard]] std::vector<std::uint8_t> take() && {
    bytes_.resize(size_);
    size_ = 0;
    return std::move(bytes_);
  }
  // Keeps the memory for what comes next.
  void clear() { size_ = 0; }
  [[nodiscard]] std::size_t capacity() const { return bytes_.size(); }

 private:
  // Room for `length` more bytes, counted as written.
  std::uint8_t* grow(std::size_t length) {
    if (bytes_.size() - size_ < length) [[unlikely]] make_room(length);
    std::uint8_t* const room = bytes_.data() + size_;
    size_ += length;
    return room;
  }
  [[gnu::noinline, gnu::cold]] void make_room(std::size_t length) {
    constexpr std::size_t kLeast = 64;
    bytes_.resize(std::max({kLeast, 2 * bytes_.size(), size_ + length}));
  }

  std::vector<std::uint8_t> bytes_;  // longer than what is written
  std::size_t size_ = 0;
  std::vector<Splice>* splices_ = nullptr;
};

}  // namespace ktrial::protocol
