// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/frame_assembler.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>

namespace ktrial::fakebroker {
namespace {

constexpr std::size_t kPrefix = 4;
constexpr std::size_t kFirstRoom = 4U << 10U;
constexpr std::size_t kMostFirstRoom = 1U << 20U;

// For a frame that goes on beyond its first bytes: the more of them came at once, the likelier it
// is that the rest is on its way.
std::size_t first_room(std::size_t length, std::size_t came, bool scarce) {
  if (scarce) return std::min(length, std::max<std::size_t>(came, 1));
  return std::min({length, std::max(kFirstRoom, came * 256), kMostFirstRoom});
}

}  // namespace

Result<std::size_t> FrameAssembler::parse_length(const std::uint8_t* bytes) const {
  std::uint32_t raw = 0;
  for (std::size_t i = 0; i < kPrefix; ++i) raw = (raw << 8U) | bytes[i];
  const auto length = static_cast<std::int32_t>(raw);
  if (length < 0) return fail(Errc::kMalformed, fmt::format("negative request size {}", length));
  if (length > max_frame_)
    return fail(Errc::kTooLarge,
                fmt::format("request size {} exceeds the limit of {}", length, max_frame_));
  return static_cast<std::size_t>(length);
}

std::span<std::uint8_t> FrameAssembler::room() {
  if (!gathering_) return {};
  if (gathering_->have == gathering_->capacity)
    reserve(std::min(gathering_->capacity * 2, gathering_->length));
  return {gathering_->bytes.get() + gathering_->have, gathering_->capacity - gathering_->have};
}

void FrameAssembler::filled(std::size_t count) {
  gathering_->have += count;
  if (gathering_->have < gathering_->length) return;
  Slice frame(gathering_->bytes, {gathering_->bytes.get(), gathering_->length});
  gathering_.reset();
  finish(std::move(frame));
}

Result<void> FrameAssembler::feed(const Slice& received, bool scarce) {
  std::size_t at = 0;
  while (at < received.size()) {
    if (gathering_) {
      const std::span<std::uint8_t> target = room();
      const std::size_t count = std::min(target.size(), received.size() - at);
      std::memcpy(target.data(), received.data() + at, count);
      filled(count);
      at += count;
      continue;
    }
    if (prefix_have_ > 0 || received.size() - at < kPrefix) {
      const std::size_t count = std::min(kPrefix - prefix_have_, received.size() - at);
      std::memcpy(prefix_ + prefix_have_, received.data() + at, count);
      prefix_have_ += count;
      at += count;
      if (prefix_have_ < kPrefix) break;
    } else {
      std::memcpy(prefix_, received.data() + at, kPrefix);
      at += kPrefix;
    }
    prefix_have_ = 0;
    const auto length = parse_length(prefix_);
    if (!length) return tl::unexpected<Error>(length.error());
    if (received.size() - at >= *length) {
      finish(received.part(at, *length));
      at += *length;
    } else {
      gathering_ = Gathering{{}, 0, 0, *length};
      reserve(first_room(*length, received.size() - at, scarce));
    }
  }
  return {};
}

void FrameAssembler::reserve(std::size_t capacity) {
  auto bytes = std::make_shared_for_overwrite<std::uint8_t[]>(capacity);
  if (gathering_->have > 0) std::memcpy(bytes.get(), gathering_->bytes.get(), gathering_->have);
  gathering_->bytes = std::move(bytes);
  gathering_->capacity = capacity;
}

void FrameAssembler::finish(Slice frame) {
  waiting_bytes_ += frame.size() + kPrefix;
  frames_.push_back(std::move(frame));
}

std::optional<Slice> FrameAssembler::next() {
  if (head_ == frames_.size()) return std::nullopt;
  Slice frame = std::move(frames_[head_++]);
  if (head_ == frames_.size()) {
    frames_.clear();
    head_ = 0;
  }
  waiting_bytes_ -= frame.size() + kPrefix;
  return frame;
}

}  // namespace ktrial::fakebroker
