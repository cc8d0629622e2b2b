// SPDX-License-Identifier: Apache-2.0
// Accumulator: records on their way in batches, a queue a partition, oldest first. A batch stays in
// its queue until its outcome is known.
#pragma once

#include "clients/reference/config.h"
#include "clients/reference/outcome.h"
#include "common/slice.h"
#include "protocol/record_batch_builder.h"

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace ktrial::client {

struct Batch {
  TopicPartition at;
  protocol::RecordBatchBuilder builder;
  TimePoint created;
  Slice bytes = {};  // once finished
  std::vector<DeliveryCallback> callbacks = {};
  std::size_t memory = 0;  // of buffer.memory
  TimePoint retry_at = {};
  bool full = false;
  bool in_flight = false;
  int sent_to = -1;
  unsigned attempts = 0;  // that failed
  // An idempotent producer's, since it was first sent.
  std::optional<protocol::ProducerState> stamp = {};
};

using BatchPtr = std::shared_ptr<Batch>;
using BatchQueue = std::deque<BatchPtr>;

// What the record takes in a batch, at most.
std::size_t record_size(const OutRecord& record);

class Accumulator {
 public:
  explicit Accumulator(const Config& config) : config_(config) {}

  void append(const OutRecord& record, std::int32_t partition, TimePoint now, std::int64_t wall_ms,
              DeliveryCallback callback, std::size_t memory);
  // The first batch that is not in flight, if that should be sent now.
  [[nodiscard]] BatchPtr due(const BatchQueue& queue, TimePoint now, bool flushing) const;
  // When that, or a batch's delivery timeout, will be; TimePoint::max() for never.
  [[nodiscard]] TimePoint next_event(TimePoint now) const;

  // Takes out what is not delivered within delivery.timeout.ms, in flight or not.
  std::vector<BatchPtr> take_expired(TimePoint now);
  // Takes out what is not in flight.
  std::vector<BatchPtr> take_unsent();
  std::vector<BatchPtr> take_all();
  // False if it is not there any more.
  bool take(const BatchPtr& batch);

  // The partition's oldest batch; nullptr if there is none.
  [[nodiscard]] BatchPtr first(const TopicPartition& at) const;
  [[nodiscard]] const std::map<TopicPartition, BatchQueue>& queues() const { return queues_; }

 private:
  const Config& config_;
  std::map<TopicPartition, BatchQueue> queues_;
};

}  // namespace ktrial::client
