// SPDX-License-Identifier: Apache-2.0
// Accumulator: records that wait for their batch to fill or linger to pass, a queue of batches a
// partition; and the choice of a partition for records that name none.
#pragma once

#include "clients/reference/config.h"
#include "clients/reference/outcome.h"
#include "common/rng.h"
#include "protocol/record_batch_builder.h"

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ktrial::client {

struct Batch {
  TopicPartition at;
  protocol::RecordBatchBuilder builder;
  std::vector<std::uint8_t> bytes = {};  // once finished
  std::vector<DeliveryCallback> callbacks = {};
  TimePoint created;
  TimePoint retry_at = {};
  bool full = false;
  bool in_flight = false;
  unsigned attempts = 0;
  std::optional<std::int32_t> sequence = {};
};

class Accumulator {
 public:
  explicit Accumulator(const Config& config) : config_(config) {}

  void append(const OutRecord& record, std::int32_t partition, TimePoint now, std::int64_t wall_ms,
              DeliveryCallback callback);
  // True if the partition's first batch should be sent now.
  [[nodiscard]] bool due(const std::deque<Batch>& queue, TimePoint now, bool flushing) const;
  // When that, or the batch's delivery timeout, will be; TimePoint::max() for never.
  [[nodiscard]] TimePoint next_event(TimePoint now) const;

  [[nodiscard]] std::map<TopicPartition, std::deque<Batch>>& queues() { return queues_; }

 private:
  const Config& config_;
  std::map<TopicPartition, std::deque<Batch>> queues_;
};

// Keys by murmur2; records without one stay with a random partition until its batch is sent.
class Partitioner {
 public:
  explicit Partitioner(Rng& rng) : rng_(rng) {}
  // `partitions` is positive.
  [[nodiscard]] std::int32_t choose(const OutRecord& record, std::int32_t partitions);
  void batch_sent(const std::string& topic) { sticky_.erase(topic); }

 private:
  Rng& rng_;
  std::map<std::string, std::int32_t> sticky_;
};

}  // namespace ktrial::client
