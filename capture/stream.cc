// SPDX-License-Identifier: Apache-2.0
#include "capture/stream.h"

#include <algorithm>

namespace ktrial::capture {

namespace {
// Capture points that see several queues may show an acknowledgement a little before the data.
constexpr unsigned kHolePatience = 4;
// Counted for every held piece, so that many tiny ones are bounded too.
constexpr std::size_t kPieceOverhead = 128;
// Unwrapped numbers start here, so that a step backwards never wraps.
constexpr std::uint64_t kEpoch = std::uint64_t{1} << 32U;
}  // namespace

void Stream::start(std::uint32_t isn) {
  started_ = true;
  next_ = kEpoch + isn + 1;
}

std::uint64_t Stream::unwrap(std::uint32_t seq) const {
  const auto step = static_cast<std::int32_t>(seq - static_cast<std::uint32_t>(next_));
  return next_ + static_cast<std::uint64_t>(static_cast<std::int64_t>(step));
}

void Stream::deliver(std::span<const std::uint8_t> bytes, std::uint64_t length, StreamSink& sink) {
  next_ += length;
  if (!bytes.empty()) sink.data(bytes);
  if (length > bytes.size()) sink.missing(length - bytes.size(), Missing::kSnapped);
}

Stream::Segment Stream::segment(std::uint32_t seq, std::span<const std::uint8_t> payload,
                                std::uint32_t payload_length, StreamSink& sink) {
  if (!started_) {
    if (payload_length == 0) return Segment::kEmpty;
    started_ = true;
    next_ = kEpoch + seq;
  }
  std::uint64_t from = unwrap(seq);
  const std::uint64_t end = from + payload_length;
  if (from + 1 == next_ && payload_length <= 1) return Segment::kKeepalive;
  if (payload_length == 0) {
    age_hole(sink);
    return Segment::kEmpty;
  }
  if (payload.size() > payload_length) payload = payload.first(payload_length);
  if (end <= next_) return Segment::kRetransmission;
  const bool overlaps = from < next_;
  if (overlaps) {
    const auto known = static_cast<std::size_t>(next_ - from);
    payload = payload.size() > known ? payload.subspan(known) : std::span<const std::uint8_t>{};
    from = next_;
  }
  if (from > next_) {
    hold(from, payload, end - from);
    if (held_bytes_ > max_held_) {
      skip_to(held_.begin()->first, sink);
      drain(sink);
    } else {
      age_hole(sink);
    }
    return Segment::kHeld;
  }
  if (held_.empty()) {
    deliver(payload, end - from, sink);
    if (fin_at_ == next_) ++next_;
  } else {
    // First copy wins: what is held already is not replaced.
    hold(from, payload, end - from);
    drain(sink);
  }
  return overlaps ? Segment::kRetransmission : Segment::kNew;
}

void Stream::hold(std::uint64_t from, std::span<const std::uint8_t> bytes, std::uint64_t length) {
  const std::uint64_t end = from + length;
  std::uint64_t at = from;
  while (at < end) {
    const auto after = held_.upper_bound(at);
    if (after != held_.begin()) {
      const auto& [start, piece] = *std::prev(after);
      if (start + piece.length > at) {
        at = start + piece.length;
        continue;
      }
    }
    const std::uint64_t piece_end = after == held_.end() ? end : std::min(end, after->first);
    Held piece;
    piece.length = piece_end - at;
    const auto skip = std::min<std::uint64_t>(at - from, bytes.size());
    const auto rest = bytes.subspan(static_cast<std::size_t>(skip));
    const auto kept =
        rest.first(static_cast<std::size_t>(std::min<std::uint64_t>(rest.size(), piece.length)));
    piece.bytes.assign(kept.begin(), kept.end());
    held_bytes_ += kept.size() + kPieceOverhead;
    held_.emplace(at, std::move(piece));
    at = piece_end;
  }
}

void Stream::drain(StreamSink& sink) {
  while (!held_.empty() && held_.begin()->first == next_) {
    const auto node = held_.extract(held_.begin());
    held_bytes_ -= node.mapped().bytes.size() + kPieceOverhead;
    deliver(node.mapped().bytes, node.mapped().length, sink);
  }
  if (fin_at_ == next_) ++next_;
}

void Stream::skip_to(std::uint64_t offset, StreamSink& sink) {
  hole_age_ = 0;
  if (offset <= next_) return;
  const std::uint64_t length = offset - next_;
  next_ = offset;
  sink.missing(length, Missing::kLost);
}

bool Stream::fin(std::uint32_t seq, std::uint32_t payload_length) {
  if (fin_at_) return false;
  if (!started_) {
    started_ = true;
    next_ = kEpoch + seq;
  }
  fin_at_ = unwrap(seq) + payload_length;
  if (held_.empty() && fin_at_ == next_) ++next_;
  return true;
}

void Stream::acknowledged(std::uint32_t ack, StreamSink& sink) {
  if (!started_) return;
  const std::uint64_t offset = unwrap(ack);
  if (offset <= next_) return;
  acked_ = std::max(acked_, offset);
  age_hole(sink);
}

// A hole that the peer acknowledged was lost by the capture, not by the network.
void Stream::age_hole(StreamSink& sink) {
  if (acked_ <= next_) {
    hole_age_ = 0;
    return;
  }
  if (++hole_age_ < kHolePatience) return;
  std::uint64_t end = acked_;
  if (!held_.empty()) end = std::min(end, held_.begin()->first);
  if (fin_at_ && *fin_at_ >= next_) end = std::min(end, *fin_at_);
  skip_to(end, sink);
  drain(sink);
}

void Stream::finish(StreamSink& sink) {
  while (!held_.empty()) {
    skip_to(held_.begin()->first, sink);
    drain(sink);
  }
  std::uint64_t end = acked_;
  if (fin_at_) end = std::max(end, *fin_at_);
  if (fin_at_ && acked_ == *fin_at_ + 1) end = *fin_at_;
  if (end > next_) skip_to(end, sink);
}

}  // namespace ktrial::capture
