// SPDX-License-Identifier: Apache-2.0
// The Kafka dialogue on one connection: frames in both directions, request headers, and the
// pairing of responses with requests by order and correlation id. Bodies are left as bytes.
// Notices TLS (then nothing is decoded) and the raw SASL tokens after a version 0 handshake.
#pragma once

#include "capture/frame_reader.h"
#include "capture/stream.h"

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

namespace ktrial::capture {

enum class Side : std::uint8_t { kClient, kBroker };

std::string_view to_string(Side side);

// The packet that brought the last byte of what is being reported.
struct Moment {
  std::int64_t at_ns = 0;
  std::uint64_t packet = 0;
};

struct RequestSeen {
  std::int16_t key = -1, version = -1;
  std::int32_t correlation_id = 0;
  std::string_view client_id;
  bool has_client_id = false;
  std::uint32_t bytes = 0;
  std::span<const std::uint8_t> body;  // what was captured of it
  bool complete = false;               // the whole body was
  bool expects_response = true;        // false: Produce with acks=0
};

struct ResponseSeen {
  bool matched = false;  // false: no request with this correlation id was seen
  std::int16_t key = -1, version = -1;
  std::int32_t correlation_id = 0;
  Moment request;
  std::uint32_t bytes = 0;
  std::span<const std::uint8_t> body;
  bool complete = false;
};

class ConversationSink {
 public:
  virtual ~ConversationSink() = default;
  virtual void request(const RequestSeen& request, const Moment& moment) = 0;
  virtual void response(const ResponseSeen& response, const Moment& moment) = 0;
  // The n-th request of a run of answers out of order or left out; it will not be answered.
  virtual void unanswered(std::int16_t key, std::int32_t correlation_id, const Moment& request) = 0;
  virtual void tls(Side by, const Moment& moment) = 0;
  virtual void sasl_token(Side by, std::uint32_t bytes, const Moment& moment) = 0;
  // Bytes that are no Kafka.
  virtual void problem(std::string text, const Moment& moment) = 0;
};

struct ConversationLimits {
  std::uint32_t max_frame = std::uint32_t{512} << 20U;  // a larger claim is not a frame
  std::size_t keep_body = std::size_t{16} << 20U;       // of a frame over several segments
  std::size_t max_outstanding = std::size_t{1} << 16U;  // requests remembered without answer
};

class Conversation {
 public:
  Conversation(ConversationSink& sink, const ConversationLimits& limits);
  Conversation(const Conversation&) = delete;
  Conversation& operator=(const Conversation&) = delete;

  // The connection's start was not captured: look for frame boundaries.
  void start_in_the_middle();
  // Contiguous stream bytes that became available with the packet of `moment`.
  void data(Side from, std::span<const std::uint8_t> bytes, const Moment& moment);
  void missing(Side from, std::uint64_t length);
  // The connection is over: reports what is still open.
  void finish();

  // Requests whose answer has not come.
  [[nodiscard]] std::size_t outstanding() const { return pending_.size(); }
  [[nodiscard]] bool is_tls() const { return tls_; }

 private:
  struct Pending {
    std::int16_t key, version;
    std::int32_t correlation_id;
    Moment moment;
  };
  class Reader final : public FrameSink {
   public:
    Reader(Conversation& owner, Side side) : owner_(owner), side_(side) {}
    void frame(const Frame& frame) override;
    void bad_length(std::int32_t length) override;
    bool plausible(std::span<const std::uint8_t> bytes) override;

   private:
    Conversation& owner_;
    Side side_;
  };

  void client_frame(const Frame& frame);
  void broker_frame(const Frame& frame);
  bool plausible_response(std::span<const std::uint8_t> bytes) const;
  void not_kafka(Side side, std::string text);

  ConversationSink& sink_;
  std::size_t max_outstanding_;
  std::uint32_t max_frame_;
  Reader client_sink_, broker_sink_;
  FrameReader client_, broker_;
  std::deque<Pending> pending_;
  Moment now_;
  bool in_the_middle_ = false;
  bool client_spoke_ = false;  // a request was read: later strange ones are news, not noise
  bool tls_ = false;
  bool raw_sasl_ = false;       // after SaslHandshake v0: frames without Kafka headers
  std::size_t raw_tokens_ = 0;  // of the client, not yet answered
};

// The fixed part of a request: false if the bytes cannot be one. Used to find a frame boundary,
// and to see which side of a connection is the client.
bool plausible_request(std::span<const std::uint8_t> with_prefix, std::uint32_t max_frame);

}  // namespace ktrial::capture
