// SPDX-License-Identifier: Apache-2.0
// ReceiveArena: the memory that all connections of a cluster receive into, so that an idle one
// holds none. What is received stays where it is, shared by the slices cut from it; a chunk that
// nobody looks at any more is used again.
#pragma once

#include "common/slice.h"

#include <cstdint>
#include <memory>
#include <span>

namespace ktrial::fakebroker {

class ReceiveArena {
 public:
  // Memory for one receive.
  [[nodiscard]] std::span<std::uint8_t> room() {
    if (chunk_.use_count() == 1) used_ = 0;
    if (!chunk_ || kChunk - used_ < kReceive) {
      chunk_ = std::make_shared_for_overwrite<std::uint8_t[]>(kChunk);
      used_ = 0;
    }
    return {chunk_.get() + used_, kReceive};
  }
  // The first `count` bytes of the last room(), which are the caller's now.
  [[nodiscard]] Slice take(std::size_t count) {
    std::uint8_t* const at = chunk_.get() + used_;
    used_ += count;
    return Slice(chunk_, {at, count});
  }

 private:
  static constexpr std::size_t kReceive = 64U << 10U;
  static constexpr std::size_t kChunk = 4 * kReceive;
  std::shared_ptr<std::uint8_t[]> chunk_;
  std::size_t used_ = 0;
};

}  // namespace ktrial::fakebroker
