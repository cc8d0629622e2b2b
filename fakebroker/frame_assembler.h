// SPDX-License-Identifier: Apache-2.0
// FrameAssembler: cuts a byte stream into frames (four-byte length, then so many bytes). A frame
// that arrived whole is a view of the receive buffer; one that did not is gathered in a buffer of
// its own, which grows with what arrives, not with what is claimed.
#pragma once

#include "common/result.h"
#include "common/slice.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace ktrial::fakebroker {

class FrameAssembler {
 public:
  explicit FrameAssembler(std::int64_t max_frame) : max_frame_(max_frame) {}

  // Where the next bytes should go if a frame is being gathered; empty: anywhere, then feed().
  [[nodiscard]] std::span<std::uint8_t> room();
  // So many bytes were put at the start of room().
  void filled(std::size_t count);
  // Fails, for good, on a length that is negative or beyond the limit. Where memory is scarce, one
  // that goes on gets no more than what has come of it needs.
  Result<void> feed(const Slice& received, bool scarce = false);

  // For frames that begin from now on.
  void set_max_frame(std::int64_t max_frame) { max_frame_ = max_frame; }

  [[nodiscard]] std::optional<Slice> next();
  // Of frames that came whole and were not taken yet.
  [[nodiscard]] std::size_t waiting_bytes() const { return waiting_bytes_; }
  // Of the one that is being gathered: how long it says it is, and how much of it is there.
  [[nodiscard]] std::size_t claimed_bytes() const { return gathering_ ? gathering_->length : 0; }
  [[nodiscard]] std::size_t gathered_bytes() const { return gathering_ ? gathering_->have : 0; }

 private:
  struct Gathering {
    std::shared_ptr<std::uint8_t[]> bytes;
    std::size_t capacity = 0;
    std::size_t have = 0;
    std::size_t length = 0;
  };
  Result<std::size_t> parse_length(const std::uint8_t* bytes) const;
  void reserve(std::size_t capacity);
  void finish(Slice frame);

  std::int64_t max_frame_;
  std::vector<Slice> frames_;  // from head_ on; a deque would cost half a kilobyte when empty
  std::size_t head_ = 0;
  std::size_t waiting_bytes_ = 0;
  std::uint8_t prefix_[4] = {};
  std::size_t prefix_have_ = 0;
  std::optional<Gathering> gathering_;
};

}  // namespace ktrial::fakebroker
