// SPDX-License-Identifier: Apache-2.0
// Kafka's length-prefixed frames out of one direction of a connection. A frame that lies in one
// segment is handed on without a copy; of one larger than keep_limit, or with bytes missing from
// the capture, only the head is kept. A hole over a length prefix loses the frame boundaries.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace ktrial::capture {

struct Frame {
  std::span<const std::uint8_t> bytes;  // without the length prefix
  std::uint32_t length = 0;             // as the prefix says
  [[nodiscard]] bool complete() const { return bytes.size() == length; }
};

class FrameSink {
 public:
  virtual ~FrameSink() = default;
  virtual void frame(const Frame& frame) = 0;
  // The length cannot be one; the reader has stopped.
  virtual void bad_length(std::int32_t length) = 0;
  // Without known boundaries: does a frame start with these bytes (prefix included)?
  virtual bool plausible(std::span<const std::uint8_t> bytes) = 0;
};

class FrameReader {
 public:
  FrameReader(FrameSink& sink, std::uint32_t max_frame, std::size_t keep_limit)
      : sink_(sink), max_frame_(max_frame), keep_limit_(keep_limit) {}

  // The stream is not seen from its start.
  void start_unsynchronised() { state_ = State::kLost; }
  void stop();

  void data(std::span<const std::uint8_t> bytes);
  void missing(std::uint64_t length);

  [[nodiscard]] bool stopped() const { return state_ == State::kStopped; }
  [[nodiscard]] bool synchronised() const { return state_ != State::kLost; }
  // Whether the stream is between two frames: false at its end means a cut frame.
  [[nodiscard]] bool between_frames() const {
    return state_ != State::kBody && (state_ != State::kPrefix || kept_.empty());
  }

 private:
  enum class State : std::uint8_t { kPrefix, kBody, kLost, kStopped };

  bool begin_body(std::uint32_t prefix);
  void end_body();

  FrameSink& sink_;
  std::uint32_t max_frame_;
  std::size_t keep_limit_;
  State state_ = State::kPrefix;
  std::uint32_t length_ = 0;
  std::uint64_t passed_ = 0;        // bytes of the body seen or missing
  bool holed_ = false;              // some are missing: keep no more of it
  std::vector<std::uint8_t> kept_;  // of the prefix or the body
};

}  // namespace ktrial::capture
