// SPDX-License-Identifier: Apache-2.0
// ProducerCore: a producer's state machine, all of it on the client's I/O thread. Records wait in
// the inbox, then for their topic's metadata, then in the accumulator until their batch is sent.
#pragma once

#include "clients/reference/accumulator.h"
#include "clients/reference/metadata.h"
#include "clients/reference/partitioner.h"
#include "clients/reference/record_inbox.h"
#include "clients/reference/sequences.h"
#include "clients/reference/transactions.h"
#include "protocol/messages/produce_response.h"

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ktrial::client {

class ProducerCore {
 public:
  explicit ProducerCore(Env& env);

  using Done = std::function<void(std::optional<ClientError>)>;

  void start();
  // Safe from any thread; then take_inbox().
  [[nodiscard]] RecordInbox& inbox() { return inbox_; }
  void take_inbox();
  // `memory`: what it takes of buffer.memory, its size in bytes.
  void send(OutRecord record, DeliveryCallback callback, std::size_t memory = 0);
  void flush(std::function<void()> done);
  // Delivers what was accepted, for at most `timeout`, fails the rest, and closes the sockets. A
  // transaction that is open is aborted.
  void close(Nanos timeout, std::function<void()> done);

  void init_transactions(const Done& done);
  void begin_transaction(const Done& done);
  void send_offsets(const Positions& offsets, const GroupMember& member, const Done& done);
  void end_transaction(Transactions::Ending ending, const Done& done);

 private:
  struct Waiting {
    OutRecord record;
    DeliveryCallback callback;
    std::size_t memory;
    TimePoint deadline;
  };
  using Outcome = tl::expected<std::int64_t, ClientError>;  // the first record's offset

  void metadata_changed();
  // True if there are no transactions here: `done` has been told why.
  bool refuses(const Done& done) const;
  void begin_to_end(Transactions::Ending ending, const Done& done);
  void transactions_changed();
  void place(OutRecord record, DeliveryCallback callback, std::size_t memory);
  void fail(const DeliveryCallback& callback, std::size_t memory, const ClientError& error);
  void fail_waiting(const ClientError& error);
  void ask_producer_id();
  void settled(std::size_t records, std::size_t memory);
  void finish_closing();
  void dial_everyone();
  void close_now();

  // producer_send.cc
  void drain_soon();
  void drain_at(TimePoint when);
  void drain();
  void expire();
  bool send_round();
  bool may_send(const TopicPartition& at, const BatchQueue& queue, Batch& batch, int leader);
  [[nodiscard]] int target_of(const Batch& batch, int leader) const;
  void prepare(Batch& batch, int leader);
  void transmit(int leader, std::vector<BatchPtr> batches);
  void answered(const std::vector<BatchPtr>& sent,
                const Result<protocol::ProduceResponse>& response);
  void settle(const BatchPtr& batch,
              const protocol::produce_response::PartitionProduceResponse& answer);
  void retry(const BatchPtr& batch, Nanos pause, const ClientError& error);
  void give_up(const BatchPtr& batch, const ClientError& error);
  void complete(const BatchPtr& batch, const Outcome& outcome);
  void produce_blindly(const OutRecord& record);

  Env& env_;
  Network network_;
  Metadata metadata_;
  RecordInbox inbox_;
  Accumulator accumulator_;
  Partitioner partitioner_;
  Sequences sequences_;
  std::unique_ptr<Transactions> transactions_;  // if transactional.id is set
  std::map<std::string, std::deque<Waiting>> waiting_;
  std::vector<std::function<void()>> flushes_;
  std::function<void()> on_closed_;
  bool asking_producer_id_ = false;
  unsigned producer_id_failures_ = 0;
  std::size_t pending_ = 0;  // records accepted and not reported yet
  bool closing_ = false;
  bool closed_ = false;
  bool blind_ = false;  // the mutant produce-without-metadata has yet to act
  TimerService::Id drain_timer_ = 0;
  TimerService::Id close_timer_ = 0;
  TimePoint drain_due_ = {};
};

}  // namespace ktrial::client
