// SPDX-License-Identifier: Apache-2.0
// The part of a connection that stands between a listener's security and the requests.
#include "fakebroker/connection.h"
#include "fakebroker/handlers/sasl_failure.h"
#include "protocol/errors.h"

#include <utility>

namespace ktrial::fakebroker {

Connection::~Connection() = default;

TlsSession* Connection::tls() { return security_ ? security_->tls_session() : nullptr; }

RequestContext Connection::context() {
  RequestContext ctx{header_,      services_.state,  identity_.broker, identity_.host,
                     identity_.id, weak_from_this(), ticket_};
  ctx.listener = identity_.listener;
  if (security_) {
    ctx.principal = security_->principal();
    ctx.authentication = security_->authentication();
  }
  return ctx;
}

void Connection::begin_authentication() {
  if (security_->sasl) assembler_.set_max_frame(Authentication::kMostBytes);
  security_->timer = services_.state.timers().after(
      services_.security->authentication_timeout(), [weak = weak_from_this()] {
        const auto self = weak.lock();
        if (!self || self->closed_) return;
        self->security_->timer = 0;
        if (!self->security_->authenticated())
          self->close(CloseKind::kFin, "not authenticated in time");
      });
}

void Connection::end_authentication() {
  if (security_->timer != 0)
    services_.state.timers().cancel(std::exchange(security_->timer, TimerService::Id{0}));
}

void Connection::close_later(std::string why) {
  busy_ = true;
  services_.state.timers().after(services_.state.spec().security.sasl.failure_delay,
                                 [weak = weak_from_this(), why = std::move(why)] {
                                   if (const auto self = weak.lock())
                                     self->close(CloseKind::kFin, why);
                                 });
}

std::optional<Reply> Connection::gate_frame(const Slice& frame) {
  if (!security_ || !security_->sasl) return std::nullopt;
  Authentication& sasl = *security_->sasl;
  if (sasl.failed()) return Reply::close(sasl.failure());
  const bool raw = sasl.takes_raw_tokens();
  if (!raw && !sasl.fails_next()) return std::nullopt;
  header_ = {.api_key = -1, .api_version = -1, .correlation_id = 0, .client_id = header_.client_id};
  ++requests_;
  note(LedgerEntry::Kind::kRequest, static_cast<std::uint32_t>(frame.size()), "SASL token");
  if (raw) return take_raw_token(frame);
  sasl.fail(sasl.failure());
  return after_failure_delay(context(), Reply::close(sasl.failure()));
}

std::optional<Reply> Connection::gate_request(const AnyRequest& request) {
  if (!security_ || !security_->sasl) return std::nullopt;
  Authentication& sasl = *security_->sasl;
  switch (sasl.admit(header_.api_key)) {
    case Authentication::Admission::kAdmitted:
      return std::nullopt;
    case Authentication::Admission::kClose:
      note(LedgerEntry::Kind::kRequest, 0, "refused");
      return Reply::close(sasl.complete() ? "the session has expired" : "not authenticated");
    case Authentication::Admission::kIllegalState:
      break;
  }
  note(LedgerEntry::Kind::kRequest, 0, "refused");
  sasl.fail("another request during authentication");
  RequestContext ctx = context();
  return after_failure_delay(ctx,
                             request.refuse(ctx, code(protocol::KafkaError::kIllegalSaslState)));
}

// Without headers there is nowhere to say what was wrong.
Reply Connection::take_raw_token(const Slice& token) {
  using Kind = Authentication::Step::Kind;
  Authentication& sasl = *security_->sasl;
  const Authentication::Step step = sasl.authenticate(token.text());
  if (step.kind == Kind::kFailed && !step.at_once)
    return after_failure_delay(context(), Reply::close(sasl.failure()));
  if (step.kind != Kind::kGoesOn) return Reply::close(sasl.failure());
  protocol::Writer& writer = out_.writer();
  writer.integer(static_cast<std::int32_t>(step.bytes.size()));
  writer.append(std::string_view(step.bytes));
  note(LedgerEntry::Kind::kResponse, static_cast<std::uint32_t>(step.bytes.size()), "SASL token");
  return Reply::none();
}

// Once the answer that says so is on its way.
void Connection::close_after_failure() {
  if (!security_ || !security_->sasl || busy_) return;
  if (security_->sasl->failed()) return close(CloseKind::kFin, security_->sasl->failure());
}

}  // namespace ktrial::fakebroker
