// SPDX-License-Identifier: Apache-2.0
// What a rule makes of a connection, a request or its answer.
#include "fakebroker/connection.h"
#include "fakebroker/faults/mangle.h"
#include "fakebroker/faults/socket_faults.h"
#include "protocol/api_info.h"
#include "protocol/messages/fetch_request.h"

#include <sys/socket.h>

#include <algorithm>
#include <utility>

namespace ktrial::fakebroker {
namespace {

std::vector<std::uint8_t> joined(const protocol::Writer& writer,
                                 const std::vector<protocol::Splice>& splices) {
  const auto own = writer.span();
  std::vector<std::uint8_t> bytes;
  std::size_t at = 0;
  for (const protocol::Splice& splice : splices) {
    bytes.insert(bytes.end(), own.begin() + static_cast<std::ptrdiff_t>(at),
                 own.begin() + static_cast<std::ptrdiff_t>(splice.at));
    const auto shared = splice.bytes.span();
    bytes.insert(bytes.end(), shared.begin(), shared.end());
    at = splice.at;
  }
  bytes.insert(bytes.end(), own.begin() + static_cast<std::ptrdiff_t>(at), own.end());
  return bytes;
}

}  // namespace

class Connection::RuleSubject final : public RuleBook::Subject {
 public:
  // nullptr: nothing was asked for yet.
  RuleSubject(const Connection& connection, const AnyRequest* request)
      : connection_(connection), request_(request) {}

  [[nodiscard]] bool names(const RuleMatch& match) const override {
    return request_ != nullptr &&
           request_->names(connection_.services_.state, connection_.identity_.broker, match);
  }
  [[nodiscard]] boost::json::object context() const override {
    const protocol::RequestHeader& header = connection_.header_;
    boost::json::object ctx{{"broker", connection_.identity_.broker},
                            {"connection", connection_.identity_.id},
                            {"peer", connection_.identity_.peer}};
    if (request_ == nullptr) return ctx;
    const protocol::ApiInfo* const api = protocol::find_api(header.api_key);
    if (api != nullptr) ctx["api"] = api->name;
    ctx["version"] = header.api_version;
    ctx["correlation_id"] = header.correlation_id;
    ctx["client_id"] = header.client_id.value_or("");
    ctx["request"] = request_->to_json();
    return ctx;
  }

 private:
  const Connection& connection_;
  const AnyRequest* request_;
};

RuleBook::Event Connection::event(RuleMatch::On on) const {
  RuleBook::Event event;
  event.on = on;
  event.broker = identity_.broker;
  event.connection = identity_.id;
  event.at = services_.state.clock().now();
  return event;
}

std::optional<RuleBook::Acting> Connection::matching_rule(const AnyRequest& request) const {
  RuleBook::Event asked = event(RuleMatch::On::kRequest);
  asked.api_key = header_.api_key;
  asked.version = header_.api_version;
  asked.client_id = header_.client_id ? std::string_view(*header_.client_id) : "";
  return services_.rules.act(asked, RuleSubject(*this, &request));
}

void Connection::obey_on_accept() {
  rule_ = services_.rules.act(event(RuleMatch::On::kAccept), RuleSubject(*this, nullptr));
  if (!rule_) return;
  const RuleAction& action = rule_->action;
  move_cluster();
  busy_ = true;
  if (action.delay == Millis{0}) return finish_as_ruled();
  after(action.delay, [this] { finish_as_ruled(); });
}

// What a rule names may have gone since it was added.
void Connection::move_cluster() {
  for (const ClusterMove& move : rule_->action.moves) {
    const auto moved = services_.perform(move);
    if (!moved) services_.rules.failed(rule_->id, moved.error().message);
  }
}

// --- the request

Reply Connection::answer(std::unique_ptr<AnyRequest> request) {
  if (!rule_) return answer_now(*request);
  move_cluster();
  if (closed_) return Reply::deferred();  // its broker was stopped
  if (!rule_->action.before || rule_->action.delay == Millis{0}) return answer_now(*request);
  waiting_ = std::move(request);
  after(std::exchange(rule_->action.delay, Millis{0}), [this] {
    const std::unique_ptr<AnyRequest> ready = std::move(waiting_);
    Reply reply = answer_now(*ready);
    if (reply.kind() != Reply::Kind::kDeferred) settle(std::move(reply));
  });
  return Reply::deferred();
}

Reply Connection::answer_now(const AnyRequest& request) {
  RequestContext ctx = context();
  if (!rule_) return request.handle(ctx);
  const RuleAction& action = rule_->action;
  if (action.view) ctx.as_of = action.view->frozen ? rule_->since : ctx.now() - action.view->lag;
  placed_errors_ = placed_errors(request);
  refused_.clear();
  if (!placed_errors_.empty() && !hides_work())
    return request.handle_but(ctx, placed_errors_, refused_);
  if (action.apply) return request.handle(ctx);
  return action.error ? request.refuse(ctx, *action.error) : Reply::none();
}

std::vector<PlacedError> Connection::placed_errors(const AnyRequest& request) const {
  std::vector<PlacedError> placed;
  const auto place = [&](const RulePart& part, std::int16_t error, bool or_whole) {
    PlacedError& one = placed.emplace_back(PlacedError{part, {}, error, 0, or_whole});
    const Topic* const topic = part.topic ? services_.state.topics().find(*part.topic) : nullptr;
    if (topic != nullptr) one.topic_id = topic->id;
    one.given = request.given(one);
  };
  for (const PartError& each : rule_->action.errors) place(each.part, each.error, false);
  if (rule_->action.error && !rule_->action.everywhere && !rule_->named.empty())
    place(rule_->named, *rule_->action.error, true);
  return placed;
}

// A fetch has no work to hide, but must not wait with an error.
bool Connection::hides_work() const {
  return rule_->action.apply && header_.api_key != protocol::FetchRequest::kApiKey;
}

// --- the answer

void Connection::merge_refused(Reply& reply) {
  const std::int16_t version = reply.version().value_or(header_.api_version);
  for (Reply& each : std::exchange(refused_, {})) {
    if (each.kind() == Reply::Kind::kClose || reply.kind() == Reply::Kind::kNone) {
      reply = std::move(each);
    } else if (reply.kind() == Reply::Kind::kMessage) {
      reply.message().merge(each.message(), version);
    }
  }
}

void Connection::settle_as_ruled(Reply reply) {
  merge_refused(reply);
  if (reply.kind() == Reply::Kind::kClose) return close(CloseKind::kFin, reply.why());
  if (const Millis throttled = charge(reply); throttled > Millis{0} && !rule_->action.throttle)
    rule_->action.throttle = throttled;
  const Millis delay = std::exchange(rule_->action.delay, Millis{0});
  if (delay == Millis{0}) return settle_after_delay(std::move(reply));
  after(delay, [this, held = std::make_shared<Reply>(std::move(reply))] {
    settle_after_delay(std::move(*held));
  });
}

void Connection::settle_after_delay(Reply reply) {
  const RuleAction& action = rule_->action;
  const bool has_message = reply.kind() == Reply::Kind::kMessage;
  if (action.drop && has_message && !action.stall) return;  // stays busy: nothing follows
  if (!has_message || action.drop || !action.answer) return finish_as_ruled();
  change(reply);
  if (!action.bytes.empty() || !action.send.empty()) return send_as_ruled(reply);
  write(reply);
  finish_as_ruled();
}

void Connection::change(Reply& reply) const {
  const RuleAction& action = rule_->action;
  const std::int16_t version = reply.version().value_or(header_.api_version);
  for (const PlacedError& each : placed_errors_) {
    const int count = reply.message().set_errors(each, version);
    if (count == 0 && each.or_whole && hides_work())
      reply.message().set_errors(each.error, version);
  }
  if (action.error && action.apply && placed_errors_.empty())
    reply.message().set_errors(*action.error, version);
  if (!action.rewrite.empty()) {
    const std::string fault = reply.message().rewrite(action.rewrite, version);
    if (!fault.empty()) services_.rules.failed(rule_->id, "fields: " + fault);
  }
  if (action.throttle) {
    reply.message().set_throttle(static_cast<std::int32_t>(action.throttle->count()),
                                 header_.api_version);
  }
}

void Connection::send_as_ruled(const Reply& reply) {
  protocol::Writer writer;
  std::vector<protocol::Splice> splices;
  encode(reply, writer, splices);
  Rng rng(identity_.id, rule_->id);
  std::vector<std::uint8_t> bytes = mangle(joined(writer, splices), rule_->action.bytes, rng);
  if (const auto& first = rule_->action.send.first)
    bytes.resize(std::min<std::size_t>(bytes.size(), *first));
  send_pieces(std::move(bytes), 0);
}

void Connection::send_pieces(std::vector<std::uint8_t> bytes, std::size_t from) {
  const Pacing& pacing = rule_->action.send;
  const std::size_t left = bytes.size() - from;
  const std::size_t piece = pacing.piece == 0 ? left : std::min<std::size_t>(left, pacing.piece);
  out_.writer().append(std::span(bytes).subspan(from, piece));
  if (piece == left) {
    // An answer that was cut short is never ended, so nothing may follow it.
    if (pacing.first && !rule_->action.close && !rule_->action.stall) return flush();
    return finish_as_ruled();
  }
  flush();
  if (closed_) return;
  after(pacing.every, [this, from = from + piece,
                       held = std::make_shared<std::vector<std::uint8_t>>(std::move(bytes))] {
    send_pieces(std::move(*held), from);
  });
}

// Everything is said: what happens to the connection, and when the next request is taken.
void Connection::finish_as_ruled() {
  const RuleAction& action = rule_->action;
  if (action.close) return close_as_ruled(*action.close);
  if (action.stall) {
    flush();
    deaf_ = true;
    if (*action.stall == kForever) return;
    return after(*action.stall, [this] { busy_ = deaf_ = false; });
  }
  if (action.throttle) {
    flush();
    return after(*action.throttle, [this] { busy_ = false; });
  }
  busy_ = false;
}

void Connection::close_as_ruled(RuleClose kind) {
  flush();
  if (closed_) return;
  switch (kind) {
    case RuleClose::kFin:
      return close(CloseKind::kFin, rule_detail());
    case RuleClose::kRst:
      return close(CloseKind::kRst, rule_detail());
    case RuleClose::kHalf:
      return half_close();
    case RuleClose::kVanish:
      return vanish();
  }
}

void Connection::half_close() {
  half_closed_ = true;
  ::shutdown(socket_.native_handle(), SHUT_WR);
  note(LedgerEntry::Kind::kClose, 0, rule_detail() + ": half");
}

// The socket stays open until the cluster goes, so that the kernel stays silent.
void Connection::vanish() {
  const int fd = socket_.native_handle();
  const int off = 0;
  ::setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &off, sizeof off);
  deafen(fd);
  silence_close(fd);
  deaf_ = true;
  set_idle(std::nullopt);
  note(LedgerEntry::Kind::kClose, 0, rule_detail() + ": vanished");
}

}  // namespace ktrial::fakebroker
