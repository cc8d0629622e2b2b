// SPDX-License-Identifier: Apache-2.0
#include "capture/conversation.h"

#include "capture/request_head.h"
#include "protocol/api_info.h"

#include <algorithm>

namespace ktrial::capture {

namespace {

using Bytes = std::span<const std::uint8_t>;

constexpr std::int16_t kProduce = 0;
constexpr std::int16_t kSaslHandshake = 17;
constexpr std::size_t kPrefixSize = 4;
constexpr std::uint32_t kShortestRequest = 8;   // key, version, correlation id
constexpr std::size_t kLongestClientId = 1024;  // when guessing; Kafka allows 32767
// An answer's correlation id is looked for this far behind the oldest open request.
constexpr std::size_t kPairingWindow = 4096;

std::uint32_t be32(Bytes bytes, std::size_t at) {
  return (std::uint32_t{bytes[at]} << 24U) | (std::uint32_t{bytes[at + 1]} << 16U) |
         (std::uint32_t{bytes[at + 2]} << 8U) | bytes[at + 3];
}

bool looks_like_tls(Bytes bytes) {
  return bytes.size() >= 3 && bytes[0] == 0x16 && bytes[1] == 0x03 && bytes[2] <= 0x04;
}

bool printable(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) >= 0x20 && c != 0x7f; });
}

// The head of a request whose API and version exist; bytes without the length prefix.
bool plausible_head(Bytes frame) {
  const auto head = parse_request_head(frame);
  if (!head || head->correlation_id < 0) return false;
  const auto* api = protocol::find_api(head->key);
  return api != nullptr && head->version >= 0 && head->version <= api->max_version + 2 &&
         head->client_id.size() <= kLongestClientId && printable(head->client_id);
}

}  // namespace

std::string_view to_string(Side side) { return side == Side::kClient ? "client" : "broker"; }

bool plausible_request(Bytes with_prefix, std::uint32_t max_frame) {
  if (with_prefix.size() < kPrefixSize + kShortestRequest) return false;
  const std::uint32_t length = be32(with_prefix, 0);
  if (length < kShortestRequest || length > max_frame) return false;
  const Bytes rest = with_prefix.subspan(kPrefixSize);
  return plausible_head(rest.first(std::min<std::size_t>(rest.size(), length)));
}

Conversation::Conversation(ConversationSink& sink, const ConversationLimits& limits)
    : sink_(sink),
      max_outstanding_(limits.max_outstanding),
      max_frame_(limits.max_frame),
      client_sink_(*this, Side::kClient),
      broker_sink_(*this, Side::kBroker),
      client_(client_sink_, limits.max_frame, limits.keep_body),
      broker_(broker_sink_, limits.max_frame, limits.keep_body) {}

void Conversation::start_in_the_middle() {
  in_the_middle_ = true;
  client_.start_unsynchronised();
  broker_.start_unsynchronised();
}

void Conversation::data(Side from, Bytes bytes, const Moment& moment) {
  now_ = moment;
  if (tls_) return;
  if (from == Side::kClient && !client_spoke_ && client_.between_frames() &&
      looks_like_tls(bytes)) {
    tls_ = true;
    client_.stop();
    broker_.stop();
    sink_.tls(from, now_);
    return;
  }
  (from == Side::kClient ? client_ : broker_).data(bytes);
}

void Conversation::missing(Side from, std::uint64_t length) {
  (from == Side::kClient ? client_ : broker_).missing(length);
}

void Conversation::finish() {
  for (const Pending& pending : pending_)
    sink_.unanswered(pending.key, pending.correlation_id, pending.moment);
  pending_.clear();
  client_.stop();
  broker_.stop();
}

void Conversation::not_kafka(Side side, std::string text) {
  (side == Side::kClient ? client_ : broker_).stop();
  sink_.problem(std::string(to_string(side)) + " " + std::move(text), now_);
}

void Conversation::client_frame(const Frame& frame) {
  if (raw_sasl_) {
    if (!plausible_head(frame.bytes)) {
      ++raw_tokens_;
      sink_.sasl_token(Side::kClient, frame.length, now_);
      return;
    }
    raw_sasl_ = false;
  }
  const auto head = parse_request_head(frame.bytes);
  if (!head) {
    if (frame.complete()) {
      not_kafka(Side::kClient, "sent a frame of " + std::to_string(frame.length) +
                                   " bytes that has no request header");
    } else {
      sink_.problem("client's request of " + std::to_string(frame.length) +
                        " bytes: its header is missing from the capture",
                    now_);
    }
    return;
  }
  if (!client_spoke_ && !plausible_head(frame.bytes)) {
    not_kafka(Side::kClient, "sent a frame of " + std::to_string(frame.length) +
                                 " bytes that is no Kafka request (API key " +
                                 std::to_string(head->key) + ")");
    return;
  }
  client_spoke_ = true;
  RequestSeen seen;
  seen.key = head->key;
  seen.version = head->version;
  seen.correlation_id = head->correlation_id;
  seen.client_id = head->client_id;
  seen.has_client_id = head->has_client_id;
  seen.bytes = frame.length;
  seen.body = frame.bytes.subspan(head->body_offset);
  seen.complete = frame.complete();
  if (seen.key == kProduce) seen.expects_response = produce_acks(seen.version, seen.body) != 0;
  if (seen.key == kSaslHandshake && seen.version == 0) raw_sasl_ = true;
  if (seen.expects_response) {
    if (pending_.size() >= max_outstanding_) {
      const Pending& oldest = pending_.front();
      sink_.unanswered(oldest.key, oldest.correlation_id, oldest.moment);
      pending_.pop_front();
    }
    pending_.push_back({seen.key, seen.version, seen.correlation_id, now_});
  }
  sink_.request(seen, now_);
}

void Conversation::broker_frame(const Frame& frame) {
  if (frame.bytes.size() < 4) {
    if (raw_tokens_ > 0) {
      --raw_tokens_;
      sink_.sasl_token(Side::kBroker, frame.length, now_);
      return;
    }
    if (frame.complete()) {
      not_kafka(Side::kBroker, "sent a frame of " + std::to_string(frame.length) +
                                   " bytes that has no response header");
    } else {
      sink_.problem("broker's response of " + std::to_string(frame.length) +
                        " bytes: its header is missing from the capture",
                    now_);
    }
    return;
  }
  ResponseSeen seen;
  seen.correlation_id = static_cast<std::int32_t>(be32(frame.bytes, 0));
  seen.bytes = frame.length;
  seen.complete = frame.complete();
  const auto window_end =
      pending_.begin() + static_cast<std::ptrdiff_t>(std::min(pending_.size(), kPairingWindow));
  const auto found = std::find_if(pending_.begin(), window_end, [&](const Pending& pending) {
    return pending.correlation_id == seen.correlation_id;
  });
  if (raw_tokens_ > 0 && found == window_end) {
    --raw_tokens_;
    sink_.sasl_token(Side::kBroker, frame.length, now_);
    return;
  }
  if (found == window_end) {
    seen.body = frame.bytes.subspan(4);
    sink_.response(seen, now_);
    return;
  }
  // Kafka answers in order: what was sent before and is still open stays without an answer.
  for (auto skipped = pending_.begin(); skipped != found; ++skipped)
    sink_.unanswered(skipped->key, skipped->correlation_id, skipped->moment);
  seen.matched = true;
  seen.key = found->key;
  seen.version = found->version;
  seen.request = found->moment;
  pending_.erase(pending_.begin(), found + 1);
  const auto offset = response_body_offset(seen.key, seen.version, frame.bytes);
  if (offset) {
    seen.body = frame.bytes.subspan(*offset);
  } else {
    seen.complete = false;
  }
  sink_.response(seen, now_);
}

bool Conversation::plausible_response(Bytes bytes) const {
  if (bytes.size() < kPrefixSize + 4) return false;
  const std::uint32_t length = be32(bytes, 0);
  const auto correlation_id = static_cast<std::int32_t>(be32(bytes, kPrefixSize));
  if (length < 4 || length > max_frame_) return false;
  const auto window_end =
      pending_.begin() + static_cast<std::ptrdiff_t>(std::min(pending_.size(), kPairingWindow));
  return std::any_of(pending_.begin(), window_end, [&](const Pending& pending) {
    return pending.correlation_id == correlation_id;
  });
}

void Conversation::Reader::frame(const Frame& frame) {
  if (side_ == Side::kClient) {
    owner_.client_frame(frame);
  } else {
    owner_.broker_frame(frame);
  }
}

void Conversation::Reader::bad_length(std::int32_t length) {
  owner_.not_kafka(side_, "sent a frame length of " + std::to_string(length));
}

bool Conversation::Reader::plausible(Bytes bytes) {
  return side_ == Side::kClient ? plausible_request(bytes, owner_.max_frame_)
                                : owner_.plausible_response(bytes);
}

}  // namespace ktrial::capture
