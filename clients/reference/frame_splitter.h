// SPDX-License-Identifier: Apache-2.0
// FrameSplitter: cuts the byte stream of a connection into Kafka's length-prefixed frames.
#pragma once

#include "common/result.h"
#include "common/slice.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace ktrial::client {

class FrameSplitter {
 public:
  static constexpr std::size_t kMaxFrame = 128U << 20U;

  // The mutants believes-any-length and believes-any-count: room is made for whatever is claimed.
  void believe_any_length() { believes_ = true; }
  void make_room(std::size_t size) { room_.resize(std::min(size, kMaxRoom), 1); }

  // A frame has begun and not ended.
  [[nodiscard]] bool in_the_middle() const { return used_ < buffer_.size(); }

  void feed(std::span<const std::uint8_t> bytes) {
    buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
  }

  // The next whole frame without its length; nothing yet; or an error for an impossible length.
  Result<std::optional<Slice>> next() {
    if (buffer_.size() - used_ < 4) return std::optional<Slice>();
    std::uint32_t size = 0;
    for (std::size_t i = 0; i < 4; ++i) size = size << 8U | buffer_[used_ + i];
    if (size > kMaxFrame) {
      if (!believes_)
        return fail(Errc::kTooLarge, "a frame claims " + std::to_string(size) + " bytes");
      make_room(size);
      return std::optional<Slice>();
    }
    if (buffer_.size() - used_ - 4 < size) {
      compact();
      return std::optional<Slice>();
    }
    const std::span<const std::uint8_t> frame(buffer_.data() + used_ + 4, size);
    std::optional<Slice> cut = Slice::copy_of(frame);
    used_ += 4 + size;
    if (used_ == buffer_.size()) compact();
    return cut;
  }

 private:
  void compact() {
    buffer_.erase(buffer_.begin(), buffer_.begin() + static_cast<std::ptrdiff_t>(used_));
    used_ = 0;
  }

  static constexpr std::size_t kMaxRoom = 768U << 20U;  // enough to be noticed

  std::vector<std::uint8_t> buffer_;
  std::vector<std::uint8_t> room_;
  bool believes_ = false;
  std::size_t used_ = 0;
};

}  // namespace ktrial::client
