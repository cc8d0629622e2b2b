// SPDX-License-Identifier: Apache-2.0
// ProducerCore: a producer's state machine, all of it on the client's I/O thread. Records wait for
// their topic's metadata, then in the accumulator; a batch a partition is in flight at a time.
#pragma once

#include "clients/reference/accumulator.h"
#include "clients/reference/metadata.h"
#include "protocol/messages/produce_response.h"

#include <deque>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace ktrial::client {

class ProducerCore {
 public:
  explicit ProducerCore(Env& env);

  void start();
  void send(OutRecord record, DeliveryCallback callback);
  void flush(std::function<void()> done);
  // Delivers what was accepted, for at most `timeout`, fails the rest, and closes the sockets.
  void close(Nanos timeout, std::function<void()> done);

 private:
  struct Waiting {
    OutRecord record;
    DeliveryCallback callback;
    TimePoint deadline;
  };

  void metadata_changed();
  void place(OutRecord record, DeliveryCallback callback);
  void ask_producer_id();
  void drain_soon();
  void drain();
  void expire();
  void prepare(Batch& batch);
  void transmit(int leader, const std::vector<Batch*>& batches);
  void answered(const std::vector<TopicPartition>& sent,
                const Result<protocol::ProduceResponse>& response);
  void settle(const TopicPartition& at, std::int16_t error, std::int64_t offset);
  void retry(Batch& batch, Nanos pause, const ClientError& error);
  void finish(const TopicPartition& at, const tl::expected<std::int64_t, ClientError>& outcome);
  void record_done();
  void dial_everyone();
  void produce_blindly(const OutRecord& record);
  void close_now();

  Env& env_;
  Network network_;
  Metadata metadata_;
  Accumulator accumulator_;
  Partitioner partitioner_;
  std::map<std::string, std::deque<Waiting>> waiting_;
  std::map<TopicPartition, std::int32_t> next_sequence_;
  std::vector<std::function<void()>> flushes_;
  std::function<void()> on_closed_;
  std::int64_t producer_id_ = -1;
  std::int16_t producer_epoch_ = -1;
  bool asking_producer_id_ = false;
  unsigned producer_id_failures_ = 0;
  std::size_t pending_ = 0;  // records accepted and not reported yet
  bool closing_ = false;
  bool closed_ = false;
  bool blind_ = false;  // the mutant produce-without-metadata has yet to act
  TimerService::Id drain_timer_ = 0;
  TimerService::Id close_timer_ = 0;
  TimePoint drain_at_ = {};
};

}  // namespace ktrial::client
