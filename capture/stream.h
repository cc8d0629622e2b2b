// SPDX-License-Identifier: Apache-2.0
// One direction of a TCP connection, put in order: retransmitted, reordered and overlapping
// segments become the bytes the receiver's application read, once each. A hole that the peer
// acknowledged, or that outgrew the buffer, is reported with its length and skipped.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

namespace ktrial::capture {

enum class Missing : std::uint8_t {
  kSnapped,  // the capture kept only the head of a packet, on purpose
  kLost,     // the capture lacks a packet
};

// Where a Stream delivers to. Calls come in stream order.
class StreamSink {
 public:
  virtual ~StreamSink() = default;
  virtual void data(std::span<const std::uint8_t> bytes) = 0;
  virtual void missing(std::uint64_t length, Missing why) = 0;
};

class Stream {
 public:
  enum class Segment : std::uint8_t { kEmpty, kNew, kRetransmission, kKeepalive, kHeld };

  // max_held bounds the memory for segments behind a hole.
  explicit Stream(std::size_t max_held) : max_held_(max_held) {}

  // The sender's SYN: its first byte has number isn + 1.
  void start(std::uint32_t isn);
  // Without a SYN the first segment with payload starts the stream.
  [[nodiscard]] bool started() const { return started_; }
  // Whether bytes before something already seen are missing so far.
  [[nodiscard]] bool has_hole() const {
    return !held_.empty() || acked_ > next_ || (fin_at_ && *fin_at_ >= next_);
  }

  Segment segment(std::uint32_t seq, std::span<const std::uint8_t> payload,
                  std::uint32_t payload_length, StreamSink& sink);
  // A FIN after payload_length bytes from seq; false if it was known already.
  bool fin(std::uint32_t seq, std::uint32_t payload_length);
  // The peer acknowledged everything before `ack`.
  void acknowledged(std::uint32_t ack, StreamSink& sink);
  // No more packets will come: what is behind holes is delivered, the holes are reported.
  void finish(StreamSink& sink);

 private:
  struct Held {
    std::vector<std::uint8_t> bytes;
    std::uint64_t length = 0;
  };

  [[nodiscard]] std::uint64_t unwrap(std::uint32_t seq) const;
  void deliver(std::span<const std::uint8_t> bytes, std::uint64_t length, StreamSink& sink);
  void hold(std::uint64_t from, std::span<const std::uint8_t> bytes, std::uint64_t length);
  void drain(StreamSink& sink);
  void skip_to(std::uint64_t offset, StreamSink& sink);
  void age_hole(StreamSink& sink);

  std::size_t max_held_;
  bool started_ = false;
  std::uint64_t next_ = 0;   // the sequence number wanted next, unwrapped
  std::uint64_t acked_ = 0;  // what the peer said it has, if that is beyond next_
  unsigned hole_age_ = 0;    // packets since acked_ passed next_
  std::optional<std::uint64_t> fin_at_;
  std::map<std::uint64_t, Held> held_;
  std::size_t held_bytes_ = 0;
};

}  // namespace ktrial::capture
