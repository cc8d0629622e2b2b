// SPDX-License-Identifier: Apache-2.0
// Connection: one client's socket. Requests are answered strictly in order and one at a time, as a
// broker mutes a channel until its answer is on the way; replies of a burst go out in one write.
// While a request waits (a long poll, a join) the socket is still read, a little ahead, so that a
// client that leaves is noticed at once. Callbacks and plain system calls instead of a coroutine:
// the connection may be answered, timed out and closed from outside at any time, and an idle one
// should cost next to nothing.
#pragma once

#include "fakebroker/cluster.h"
#include "fakebroker/frame_assembler.h"
#include "fakebroker/handlers/any_request.h"
#include "fakebroker/ledger_book.h"
#include "fakebroker/receive_arena.h"
#include "fakebroker/reply.h"
#include "fakebroker/request_memory.h"
#include "fakebroker/rules/rule_book.h"
#include "fakebroker/security/cluster_security.h"
#include "fakebroker/send_queue.h"
#include "fakebroker/state/cluster_state.h"
#include "fakebroker/state/throttler.h"
#include "protocol/header.h"

#include <boost/asio/ip/tcp.hpp>

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ktrial::fakebroker {

class Release;
struct ApiRow;

// What all connections of a cluster share.
struct ConnectionServices {
  ClusterState& state;
  RuleBook& rules;
  LedgerBook& ledger;
  ReceiveArena& arena;
  RequestMemory& requests;
  const ClusterSecurity* security;
  std::function<void(std::uint64_t connection)> on_closed;
  std::function<Result<void>(const ClusterMove&)> perform;  // of a rule
  Throttler throttler{state.client_quotas()};
};

struct ConnectionIdentity {
  std::uint64_t id = 0;
  int broker = 0;
  std::string peer;  // "127.0.0.1:40112"
  std::string host;  // "127.0.0.1"
  std::size_t listener = 0;
};

class Connection final : public ReplySink, public std::enable_shared_from_this<Connection> {
 public:
  Connection(boost::asio::ip::tcp::socket socket, ConnectionIdentity identity,
             ConnectionServices& services);
  ~Connection() override;

  // What a rule says to a connection that was just made is done first.
  void start(std::optional<Millis> idle);
  // connections.max.idle.ms: counted from the last byte read or written.
  void set_idle(std::optional<Millis> idle);
  void set_reading(bool reading);
  void close(CloseKind kind, const std::string& why);
  void complete(std::uint64_t ticket, Reply reply) override;

  [[nodiscard]] int broker() const { return identity_.broker; }
  [[nodiscard]] const std::string& host() const { return identity_.host; }  // of the client
  [[nodiscard]] TimePoint last_activity() const { return last_activity_; }
  [[nodiscard]] ConnectionStatus status(TimePoint now);

 private:
  void wait_readable();
  void on_readable();
  // False once the connection has been closed.
  bool receive();
  bool receive_once(bool& more);
  // What does not fit `own` goes to `ahead`.
  ssize_t receive_into(std::span<std::uint8_t> own, std::span<std::uint8_t> ahead);
  void on_receive_error(int error);

  // connection_memory.cc: what it may hold of requests that are on their way in.
  [[nodiscard]] bool may_read_on() const;
  [[nodiscard]] std::size_t most_at_once() const;
  void count_memory();
  void wait_for_memory();

  // connection_gate.cc: who may send what before it is authenticated, and after.
  void begin_authentication();
  void end_authentication();
  // A failure that no answer explains: close, but not at once.
  void close_later(std::string why);
  // Instead of taking a frame for a request; nothing if it is one.
  std::optional<Reply> gate_frame(const Slice& frame);
  // Instead of handling a request; nothing if it may be.
  std::optional<Reply> gate_request(const AnyRequest& request);
  Reply take_raw_token(const Slice& token);
  void close_after_failure();
  [[nodiscard]] TlsSession* tls();

  void process();
  void handle(const Slice& frame);
  // Runs `answering` and settles what it returns, unless that comes later.
  template <class Answering>
  void conclude(Answering answering);
  Reply dispatch(const Slice& frame);
  [[nodiscard]] bool speaks(const ApiRow& row, std::int16_t version) const;
  [[nodiscard]] RequestContext context();
  // Charges the answer to its client's quotas; how long the channel is to be muted (KIP-219).
  Millis charge(Reply& reply);
  void settle(Reply reply);
  void encode(const Reply& reply, protocol::Writer& writer, std::vector<protocol::Splice>& splices);
  void write(const Reply& reply);
  void flush();
  void wait_writable();
  // Later, unless it is closed by then. The next request is taken if `then` leaves it not busy.
  void after(Millis delay, std::function<void()> then);

  // What a rule does: connection_faults.cc.
  class RuleSubject;
  [[nodiscard]] RuleBook::Event event(RuleMatch::On on) const;
  [[nodiscard]] std::optional<RuleBook::Acting> matching_rule(const AnyRequest& request) const;
  Reply answer(std::unique_ptr<AnyRequest> request);
  Reply answer_now(const AnyRequest& request);
  // Where the errors of the rule belong.
  [[nodiscard]] std::vector<PlacedError> placed_errors(const AnyRequest& request) const;
  // True if errors are to be written over the answer to work that was done.
  [[nodiscard]] bool hides_work() const;
  // Puts together what was answered and what was refused of a request.
  void merge_refused(Reply& reply);
  void obey_on_accept();
  void move_cluster();
  void settle_as_ruled(Reply reply);
  void settle_after_delay(Reply reply);
  void change(Reply& reply) const;
  void send_as_ruled(const Reply& reply);
  void send_pieces(std::vector<std::uint8_t> bytes, std::size_t from);
  void finish_as_ruled();
  void close_as_ruled(RuleClose kind);
  void half_close();
  void vanish();

  void watch_idle();
  void on_idle_timer();
  void note(LedgerEntry::Kind kind, std::uint32_t bytes, std::string detail = {});
  [[nodiscard]] std::string rule_detail() const;

  boost::asio::ip::tcp::socket socket_;
  ConnectionIdentity identity_;
  ConnectionServices& services_;
  std::unique_ptr<ConnectionSecurity> security_;  // nullptr: PLAINTEXT
  const Release* release_;                        // that the broker passes for; nullptr: the newest
  FrameAssembler assembler_;
  SendQueue out_;

  protocol::RequestHeader header_;  // of the request being answered
  std::size_t request_bytes_ = 0;   // of the same
  std::optional<RuleBook::Acting> rule_;
  std::vector<PlacedError> placed_errors_;
  std::vector<Reply> refused_;           // answers to parts of the request
  std::unique_ptr<AnyRequest> waiting_;  // for the end of a rule's delay
  std::optional<Reply> deferred_reply_;
  std::uint64_t ticket_ = 0;
  std::uint64_t requests_ = 0;

  bool closed_ = false;
  bool busy_ = false;         // a request is being answered, or the channel is muted
  bool dispatching_ = false;  // inside a handler
  bool reading_ = false;
  bool writing_ = false;
  bool deaf_ = false;         // nothing is read
  bool starved_ = false;      // likewise, until there is memory for the request that has begun
  bool half_closed_ = false;  // what is read is thrown away

  std::int64_t counted_ = 0;  // of the cluster's memory for requests
  std::optional<Millis> idle_;
  TimePoint last_activity_;
  TimerService::Id idle_timer_ = 0;
};

}  // namespace ktrial::fakebroker
