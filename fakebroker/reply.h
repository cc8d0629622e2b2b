// SPDX-License-Identifier: Apache-2.0
// Reply: what a handler answers: a message, nothing (Produce with acks=0), "later" (a Responder was
// taken and will answer), or close the connection. The message stays typed until it is written, so
// that a rule can still set its error or throttle fields.
#pragma once

#include "fakebroker/reply_message.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace ktrial::fakebroker {

class Reply {
 public:
  enum class Kind : std::uint8_t { kMessage, kNone, kDeferred, kClose };

  // Implicit: a handler ends with `return response;`.
  template <protocol_message Message>
  Reply(Message message)  // NOLINT(google-explicit-constructor)
      : message_(std::make_unique<TypedReply<Message>>(std::move(message))) {}

  explicit Reply(std::unique_ptr<ReplyMessage> message) : message_(std::move(message)) {}

  static Reply none() { return Reply(Kind::kNone); }
  // The handler has called RequestContext::defer() and kept the Responder.
  static Reply deferred() { return Reply(Kind::kDeferred); }
  // As a broker does with what it cannot answer; `why` goes to the ledger.
  static Reply close(std::string why) {
    Reply reply(Kind::kClose);
    reply.why_ = std::move(why);
    return reply;
  }
  // Encoded in another version than the request's (ApiVersions' answer to an unknown version).
  Reply at_version(std::int16_t version) && {
    version_ = version;
    return std::move(*this);
  }

  [[nodiscard]] Kind kind() const { return kind_; }
  [[nodiscard]] ReplyMessage& message() { return *message_; }
  [[nodiscard]] const ReplyMessage& message() const { return *message_; }
  [[nodiscard]] const std::string& why() const { return why_; }
  [[nodiscard]] std::optional<std::int16_t> version() const { return version_; }

 private:
  explicit Reply(Kind kind) : kind_(kind) {}

  Kind kind_ = Kind::kMessage;
  std::unique_ptr<ReplyMessage> message_;
  std::optional<std::int16_t> version_;
  std::string why_;
};

// Who a deferred answer goes to: a connection. Answers are taken in at once and written after the
// caller has returned, so a state machine may answer many from the middle of a transition.
class ReplySink {
 public:
  virtual ~ReplySink() = default;
  virtual void complete(std::uint64_t ticket, Reply reply) = 0;
};

// The right to answer one request later. Destroyed unanswered, it closes the connection. Answers to
// a connection that has gone are dropped.
class Responder {
 public:
  Responder() = default;
  Responder(std::weak_ptr<ReplySink> sink, std::uint64_t ticket)
      : sink_(std::move(sink)), ticket_(ticket) {}
  Responder(Responder&& other) noexcept
      : sink_(std::exchange(other.sink_, {})), ticket_(std::exchange(other.ticket_, 0)) {}
  Responder& operator=(Responder&& other) noexcept;
  Responder(const Responder&) = delete;
  Responder& operator=(const Responder&) = delete;
  ~Responder();

  // Once; further calls do nothing.
  void send(Reply reply);
  // True while it can still be answered (not answered yet and the connection is there).
  [[nodiscard]] bool open() const { return ticket_ != 0 && !sink_.expired(); }

 private:
  std::weak_ptr<ReplySink> sink_;
  std::uint64_t ticket_ = 0;
};

}  // namespace ktrial::fakebroker
