// SPDX-License-Identifier: Apache-2.0
// Reader: a bounds-checked cursor over a frame. The first failure sticks, with its offset; every
// later read yields zero, so that decoders check once at the end.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include "common/result.h"
#include "common/slice.h"
#include "protocol/byte_order.h"

namespace ktrial::protocol {

class Reader {
 public:
  explicit Reader(Slice bytes) : bytes_(std::move(bytes)), data_(bytes_.data()), end_(bytes_.size()) {}

  template <std::integral Integer>
  Integer integer() {
    if (!need(sizeof(Integer))) return 0;
    std::make_unsigned_t<Integer> bits = 0;
    std::memcpy(&bits, data_ + at_, sizeof bits);
    at_ += sizeof bits;
    return static_cast<Integer>(wire_order(bits));
  }
  double float64() { return std::bit_cast<double>(integer<std::uint64_t>()); }

  // At most `max_bytes` bytes long: 5 for 32 bits, 10 for 64.
  std::uint64_t uvarint(int max_bytes = 5) {
    if (at_ < end_ && data_[at_] < 0x80U) return data_[at_++];
    std::uint64_t value = 0;
    for (int i = 0; i < max_bytes; ++i) {
      const auto byte = integer<std::uint8_t>();
      if (failed()) return 0;
      value |= static_cast<std::uint64_t>(byte & 0x7fU) << (7U * static_cast<unsigned>(i));
      if ((byte & 0x80U) == 0) return value;
    }
    set_error(Errc::kMalformed, "a variable-length number does not end within " + std::to_string(max_bytes) + " bytes");
    return 0;
  }
  std::int64_t varint(int max_bytes = 10) {
    const std::uint64_t raw = uvarint(max_bytes);
    return static_cast<std::int64_t>((raw >> 1U) ^ (~(raw & 1U) + 1U));
  }

  // `length` bytes where they are; valid as long as the frame is.
  std::span<const std::uint8_t> view(std::size_t length) {
    if (!need(length)) return {};
    const std::span<const std::uint8_t> part(data_ + at_, length);
    at_ += length;
    return part;
  }
  // `length` bytes, sharing the frame's buffer.
  Slice slice(std::size_t length) {
    if (!need(length)) return {};
    Slice part = bytes_.part(at_, length);
    at_ += length;
    return part;
  }
  void skip(std::size_t length) {
    if (need(length)) at_ += length;
  }

  // True if `length` more bytes are there; else the error is set.
  bool need(std::size_t length) {
    if (length <= end_ - at_) [[likely]] return true;
    run_out(length);
    return false;
  }

  [[nodiscard]] std::size_t offset() const { return at_; }
  [[nodiscard]] std::size_t remaining() const { return end_ - at_; }

  // Narrows the reader to the next `length` bytes; returns the end to restore.
  std::size_t enter(std::size_t length) {
    const std::size_t outer = end_;
    if (need(length)) end_ = at_ + length;
    return outer;
  }
  void leave(std::size_t outer_end) {
    if (!failed()) end_ = outer_end;
  }

  [[nodiscard]] bool failed() const { return error_.has_value(); }
  // The first failure; where is "at byte N".
  [[nodiscard]] const std::optional<Error>& error() const { return error_; }
  [[gnu::noinline, gnu::cold]] void set_error(Errc code, std::string message) {
    if (!error_) error_ = Error{code, std::move(message), "at byte " + std::to_string(at_)};
    end_ = at_;  // nothing is left to read
  }

 private:
  [[gnu::noinline, gnu::cold]] void run_out(std::size_t length) {
    set_error(Errc::kTruncated, "length " + std::to_string(length) + " exceeds the frame by " +
                                    std::to_string(length - (end_ - at_)));
  }

  Slice bytes_;
  const std::uint8_t* data_ = nullptr;
  std::size_t at_ = 0;
  std::size_t end_ = 0;
  std::optional<Error> error_;
};

}  // namespace ktrial::protocol
