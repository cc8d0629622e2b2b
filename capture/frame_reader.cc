// SPDX-License-Identifier: Apache-2.0
#include "capture/frame_reader.h"

#include <algorithm>

namespace ktrial::capture {

namespace {

constexpr std::size_t kPrefixSize = 4;
constexpr std::size_t kHoldOn = std::size_t{256} << 10U;  // larger buffers are given back

std::uint32_t read_prefix(std::span<const std::uint8_t> bytes) {
  return (std::uint32_t{bytes[0]} << 24U) | (std::uint32_t{bytes[1]} << 16U) |
         (std::uint32_t{bytes[2]} << 8U) | bytes[3];
}

}  // namespace

void FrameReader::stop() {
  state_ = State::kStopped;
  kept_ = {};
}

bool FrameReader::begin_body(std::uint32_t prefix) {
  kept_.clear();
  if (prefix > max_frame_) {
    stop();
    sink_.bad_length(static_cast<std::int32_t>(prefix));
    return false;
  }
  state_ = State::kBody;
  length_ = prefix;
  passed_ = 0;
  holed_ = false;
  return true;
}

void FrameReader::end_body() {
  state_ = State::kPrefix;
  // The sink may stop this reader, so the bytes are moved out of its way.
  std::vector<std::uint8_t> body;
  body.swap(kept_);
  sink_.frame(Frame{body, length_});
  if (state_ == State::kPrefix && body.capacity() <= kHoldOn) {
    body.clear();
    kept_.swap(body);
  }
}

void FrameReader::data(std::span<const std::uint8_t> bytes) {
  if (state_ == State::kLost) {
    if (!sink_.plausible(bytes)) return;
    kept_.clear();
    state_ = State::kPrefix;
  }
  while (!bytes.empty() && state_ != State::kStopped && state_ != State::kLost) {
    if (state_ == State::kPrefix) {
      if (kept_.empty() && bytes.size() >= kPrefixSize) {
        if (!begin_body(read_prefix(bytes))) return;
        bytes = bytes.subspan(kPrefixSize);
        if (bytes.size() >= length_) {
          const auto body = bytes.first(length_);
          bytes = bytes.subspan(length_);
          state_ = State::kPrefix;
          sink_.frame(Frame{body, length_});
          continue;
        }
      } else {
        const std::size_t take = std::min(bytes.size(), kPrefixSize - kept_.size());
        kept_.insert(kept_.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(take));
        bytes = bytes.subspan(take);
        if (kept_.size() < kPrefixSize) return;
        if (!begin_body(read_prefix(kept_))) return;
      }
    }
    const auto take =
        static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), length_ - passed_));
    if (!holed_ && kept_.size() < keep_limit_) {
      const std::size_t keep = std::min(take, keep_limit_ - kept_.size());
      kept_.insert(kept_.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(keep));
    }
    passed_ += take;
    bytes = bytes.subspan(take);
    if (passed_ == length_) end_body();
  }
}

void FrameReader::missing(std::uint64_t length) {
  if (state_ == State::kBody) {
    const std::uint64_t inside = std::min<std::uint64_t>(length, length_ - passed_);
    passed_ += inside;
    length -= inside;
    holed_ = true;
    if (passed_ == length_) end_body();
  }
  if (length > 0 && state_ == State::kPrefix) {
    kept_.clear();
    state_ = State::kLost;
  }
}

}  // namespace ktrial::capture
