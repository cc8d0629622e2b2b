// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/connection.h"

#include "fakebroker/faults/socket_faults.h"
#include "fakebroker/handlers/handlers.h"
#include "fakebroker/handlers/registry.h"
#include "fakebroker/releases/releases.h"
#include "protocol/messages/api_versions_request.h"

#include <boost/asio/post.hpp>
#include <fmt/core.h>

#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <utility>

namespace ktrial::fakebroker {
namespace {

using boost::asio::ip::tcp;
using boost::system::error_code;

constexpr std::size_t kSendAhead = 4U << 20U;  // replies queued before the client has read
constexpr std::size_t kAheadOfLarge = 4U << 10U;
constexpr int kReceivesPerWake = 8;  // then others get their turn

}  // namespace

Connection::Connection(tcp::socket socket, ConnectionIdentity identity,
                       ConnectionServices& services)
    : socket_(std::move(socket)),
      identity_(std::move(identity)),
      services_(services),
      security_(services.security->secure(identity_.listener, socket_.native_handle(),
                                          services.state.find_node(identity_.broker)->release)),
      release_(services.state.find_node(identity_.broker)->release),
      assembler_(services.state.spec().max_request_bytes) {}

void Connection::start(std::optional<Millis> idle) {
  last_activity_ = services_.state.clock().now();
  note(LedgerEntry::Kind::kAccept, 0);
  set_idle(idle);
  if (security_) begin_authentication();
  if (!services_.rules.empty()) obey_on_accept();
  wait_readable();
}

// --- reading
// ---------------------------------------------------------------------------------------

void Connection::wait_readable() {
  if (reading_ || closed_ || deaf_ || !may_read_on()) return;
  reading_ = true;
  auto wake = [self = shared_from_this()](const error_code& = {}) {
    self->reading_ = false;
    if (!self->closed_ && !self->deaf_) self->on_readable();
  };
  if (tls() != nullptr && tls()->has_pending())
    return boost::asio::post(socket_.get_executor(), std::move(wake));
  socket_.async_wait(tcp::socket::wait_read, std::move(wake));
}

void Connection::set_reading(bool reading) {
  deaf_ = !reading;
  wait_readable();
}

void Connection::on_readable() {
  if (!receive()) return;
  process();
  if (tls() != nullptr && tls()->wants_write() && !writing_ && !closed_) wait_writable();
  wait_readable();
}

bool Connection::receive() {
  bool more = true;
  for (int i = 0; i < kReceivesPerWake && more && may_read_on(); ++i) {
    if (!receive_once(more)) return false;
  }
  return true;
}

bool Connection::receive_once(bool& more) {
  const std::span<std::uint8_t> own = assembler_.room();
  std::span<std::uint8_t> ahead = services_.arena.room();
  // After a large frame comes another, as a rule: its bytes are not to be received here and copied.
  if (own.size() >= ahead.size() / 2) ahead = ahead.first(kAheadOfLarge);
  ahead = ahead.first(std::min(ahead.size(), most_at_once()));
  const ssize_t count = receive_into(own, ahead);
  if (count <= 0) {
    more = false;
    if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) return true;
    on_receive_error(count == 0 ? 0 : errno);
    return false;
  }
  last_activity_ = services_.state.clock().now();
  if (half_closed_) return true;
  const auto received = static_cast<std::size_t>(count);
  // TLS comes by the record.
  more = received == own.size() + ahead.size() || tls() != nullptr;
  if (!own.empty()) assembler_.filled(std::min(received, own.size()));
  if (received <= own.size()) return true;
  const Slice rest = services_.arena.take(received - own.size());
  const auto fed = assembler_.feed(rest, services_.requests.exhausted());
  const bool begins = assembler_.claimed_bytes() > 0 && assembler_.gathered_bytes() <= rest.size();
  if (begins) wait_for_memory();
  if (fed) return true;
  process();  // what came before the bad length is answered
  if (security_ && !security_->authenticated()) {
    close_later(fed.error().message);
  } else {
    close(CloseKind::kFin, fed.error().message);
  }
  return false;
}

ssize_t Connection::receive_into(std::span<std::uint8_t> own, std::span<std::uint8_t> ahead) {
  const int fd = socket_.native_handle();
  if (security_) return security_->receive(fd, own.empty() ? ahead : own);
  if (own.empty()) return ::recv(fd, ahead.data(), ahead.size(), MSG_DONTWAIT);
  iovec parts[] = {{own.data(), own.size()}, {ahead.data(), ahead.size()}};
  msghdr message{};
  message.msg_iov = parts;
  message.msg_iovlen = std::size(parts);
  return ::recvmsg(fd, &message, MSG_DONTWAIT);
}

void Connection::on_receive_error(int error) {
  process();
  if (error == EPROTO && tls() != nullptr) return close_later("TLS: " + tls()->fault());
  if (error == 0) return close(CloseKind::kFin, "client FIN");
  if (error == ECONNRESET) return close(CloseKind::kFin, "client RST");
  close(CloseKind::kFin, fmt::format("receive: {}", std::strerror(error)));
}

// --- answering
// -------------------------------------------------------------------------------------

void Connection::process() {
  do {
    while (!closed_ && !busy_ && out_.queued_bytes() < kSendAhead) {
      const std::optional<Slice> frame = assembler_.next();
      if (!frame) break;
      handle(*frame);
    }
    count_memory();
    flush();
  } while (!closed_ && !busy_ && !writing_ && assembler_.waiting_bytes() > 0);
}

void Connection::handle(const Slice& frame) {
  ++ticket_;
  rule_.reset();
  deferred_reply_.reset();
  busy_ = true;
  conclude([&] { return dispatch(frame); });
}

template <class Answering>
void Connection::conclude(Answering answering) {
  dispatching_ = true;
  Reply reply = answering();
  dispatching_ = false;
  if (reply.kind() != Reply::Kind::kDeferred) return settle(std::move(reply));
  if (!deferred_reply_) return;
  Reply early = std::move(*deferred_reply_);
  deferred_reply_.reset();
  settle(std::move(early));
}

bool Connection::speaks(const ApiRow& row, std::int16_t version) const {
  if (release_ == nullptr) return version >= row.min && version <= row.max;
  const auto here = offered(row, release_);
  return here && version >= here->min && version <= here->max;
}

Reply Connection::dispatch(const Slice& frame) {
  if (auto instead = gate_frame(frame)) return std::move(*instead);
  std::size_t body_offset = 0;
  auto header = protocol::decode_request_header(frame, body_offset);
  const auto bytes = static_cast<std::uint32_t>(frame.size());
  if (!header) {
    header_ = {.api_key = -1, .api_version = -1, .correlation_id = 0, .client_id = {}};
    note(LedgerEntry::Kind::kRequest, bytes, "unreadable");
    return Reply::close("unreadable request header: " + header.error().to_string());
  }
  header_ = std::move(*header);
  request_bytes_ = frame.size();
  ++requests_;
  const ApiRow* const row = find_row(header_.api_key);
  const bool known = row != nullptr && speaks(*row, header_.api_version);
  const bool hidden = row != nullptr && !is_offered(*row, services_.state.spec());
  if (!known || hidden) {
    note(LedgerEntry::Kind::kRequest, bytes, "unsupported");
    if (header_.api_key == protocol::ApiVersionsRequest::kApiKey)
      return api_versions_unsupported(release_);
    return Reply::close(
        fmt::format("unsupported API key {} version {}", header_.api_key, header_.api_version));
  }
  auto request = row->decode(frame.part(body_offset), header_.api_version);
  if (!request) {
    note(LedgerEntry::Kind::kRequest, bytes, "unreadable");
    return Reply::close("unreadable request: " + request.error().to_string());
  }
  if (auto instead = gate_request(**request)) return std::move(*instead);
  if (!services_.rules.empty()) rule_ = matching_rule(**request);
  note(LedgerEntry::Kind::kRequest, bytes, rule_detail());
  return answer(std::move(*request));
}

ConnectionStatus Connection::status(TimePoint now) {
  return {identity_.id,
          identity_.broker,
          identity_.peer,
          header_.client_id.value_or(""),
          header_.api_key,
          requests_,
          std::chrono::duration_cast<Millis>(now - last_activity_),
          std::string(context().principal),
          services_.security->listeners().at(identity_.listener).name};
}

void Connection::complete(std::uint64_t ticket, Reply reply) {
  if (closed_ || ticket != ticket_ || !busy_ || deferred_reply_) return;
  deferred_reply_ = std::move(reply);
  if (dispatching_) return;
  boost::asio::post(socket_.get_executor(), [self = shared_from_this(), ticket] {
    if (self->closed_ || ticket != self->ticket_ || !self->deferred_reply_) return;
    Reply taken = std::move(*self->deferred_reply_);
    self->deferred_reply_.reset();
    self->settle(std::move(taken));
    self->process();
    self->wait_readable();
  });
}

void Connection::settle(Reply reply) {
  if (rule_) return settle_as_ruled(std::move(reply));
  if (reply.kind() == Reply::Kind::kClose) return close(CloseKind::kFin, reply.why());
  const Millis throttled = charge(reply);
  if (reply.kind() == Reply::Kind::kMessage) write(reply);
  if (throttled > Millis{0}) return after(throttled, [this] { busy_ = false; });
  busy_ = false;
}

void Connection::after(Millis delay, std::function<void()> then) {
  services_.state.timers().after(delay, [weak = weak_from_this(), then = std::move(then)] {
    const auto self = weak.lock();
    if (!self || self->closed_) return;
    then();
    self->process();
    self->wait_readable();
  });
}

// --- writing
// ---------------------------------------------------------------------------------------

void Connection::write(const Reply& reply) { encode(reply, out_.writer(), out_.splices()); }

void Connection::encode(const Reply& reply, protocol::Writer& writer,
                        std::vector<protocol::Splice>& splices) {
  const std::size_t start = writer.size();
  const std::size_t first_splice = splices.size();
  writer.integer(std::int32_t{0});
  protocol::encode_response_header(
      header_.correlation_id,
      protocol::response_header_version(header_.api_key, header_.api_version), writer);
  reply.message().encode(reply.version().value_or(header_.api_version), writer, splices);
  std::size_t length = writer.size() - start - sizeof(std::int32_t);
  for (std::size_t i = first_splice; i < splices.size(); ++i) length += splices[i].bytes.size();
  writer.patch_int32(start, static_cast<std::int32_t>(length));
  note(LedgerEntry::Kind::kResponse, static_cast<std::uint32_t>(length), rule_detail());
}

void Connection::flush() {
  if (closed_ || writing_ || out_.queued_bytes() == 0) return;
  switch (out_.flush(socket_.native_handle(), tls())) {
    case SendQueue::Status::kDone:
      last_activity_ = services_.state.clock().now();
      close_after_failure();
      break;
    case SendQueue::Status::kBlocked:
      wait_writable();
      break;
    case SendQueue::Status::kBroken:
      close(CloseKind::kFin, "client RST");
      break;
  }
}

void Connection::wait_writable() {
  writing_ = true;
  socket_.async_wait(tcp::socket::wait_write, [self = shared_from_this()](const error_code&) {
    self->writing_ = false;
    if (self->closed_) return;
    self->last_activity_ = self->services_.state.clock().now();
    // TLS may have waited to write before it can read on.
    if (self->tls() != nullptr && self->tls()->wants_write() && !self->receive()) return;
    self->flush();
    self->process();
    self->wait_readable();
  });
}

// --- closing
// ---------------------------------------------------------------------------------------

void Connection::set_idle(std::optional<Millis> idle) {
  idle_ = idle;
  if (idle_timer_ != 0) services_.state.timers().cancel(std::exchange(idle_timer_, 0));
  watch_idle();
}

// One timer per connection, however busy it is: it looks again when the last activity is old
// enough.
void Connection::watch_idle() {
  if (!idle_ || closed_) return;
  const Nanos left = last_activity_ + *idle_ - services_.state.clock().now();
  idle_timer_ = services_.state.timers().after(std::max(left, Nanos(0)), [weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->on_idle_timer();
  });
}

void Connection::on_idle_timer() {
  idle_timer_ = 0;
  if (closed_ || !idle_) return;
  if (services_.state.clock().now() - last_activity_ >= *idle_)
    return close(CloseKind::kFin, "idle");
  watch_idle();
}

void Connection::close(CloseKind kind, const std::string& why) {
  if (closed_) return;
  closed_ = true;
  const auto self = shared_from_this();  // on_closed lets go of the last other owner
  const int fd = socket_.native_handle();
  if (kind == CloseKind::kRst) {
    reset_on_close(fd);
  } else {
    out_.flush(fd, tls());
    if (tls() != nullptr) tls()->end();
    ::shutdown(fd, SHUT_WR);
    // Bytes left unread would turn the FIN into a RST.
    std::uint8_t rest[4096];
    while (::recv(fd, rest, sizeof rest, MSG_DONTWAIT) > 0) {
    }
  }
  if (security_) end_authentication();
  count_memory();
  error_code ignored;
  socket_.close(ignored);
  if (idle_timer_ != 0) services_.state.timers().cancel(std::exchange(idle_timer_, 0));
  note(LedgerEntry::Kind::kClose, 0, why);
  services_.on_closed(identity_.id);
}

std::string Connection::rule_detail() const { return rule_ ? "rule " + rule_->id : std::string(); }

void Connection::note(LedgerEntry::Kind kind, std::uint32_t bytes, std::string detail) {
  if (!services_.ledger.wanted()) return;
  LedgerEntry entry;
  entry.kind = kind;
  entry.at = services_.state.clock().now();
  entry.broker = identity_.broker;
  entry.connection = identity_.id;
  entry.peer = identity_.peer;
  entry.bytes = bytes;
  entry.detail = std::move(detail);
  if (kind == LedgerEntry::Kind::kRequest || kind == LedgerEntry::Kind::kResponse) {
    entry.api_key = header_.api_key;
    entry.api_version = header_.api_version;
    entry.correlation_id = header_.correlation_id;
    entry.client_id = header_.client_id.value_or("");
  }
  services_.ledger.add(std::move(entry));
}

}  // namespace ktrial::fakebroker
