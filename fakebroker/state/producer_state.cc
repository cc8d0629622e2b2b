// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/state/producer_state.h"

#include <algorithm>

namespace ktrial::fakebroker {

using protocol::BatchHeader;
using protocol::KafkaError;

ProducerState::Verdict ProducerState::check(const BatchHeader& batch) const {
  const auto found = producers_.find(batch.producer_id);
  // A producer that is not known (any more) may begin anywhere: since 2.5 its state may have
  // expired.
  if (found == producers_.end()) return {};
  const Producer& producer = found->second;
  if (batch.producer_epoch < producer.epoch) return {KafkaError::kInvalidProducerEpoch, {}, -1};
  if (batch.producer_epoch > producer.epoch) {
    return batch.base_sequence == 0 ? Verdict{}
                                    : Verdict{KafkaError::kOutOfOrderSequenceNumber, {}, -1};
  }
  for (const Batch& kept : producer.batches) {
    if (kept.first_sequence == batch.base_sequence && kept.last_sequence == batch.last_sequence()) {
      return {KafkaError::kNone, kept.base_offset, kept.log_append_time};
    }
  }
  if (producer.batches.empty() ||
      next_sequence(producer.batches.back().last_sequence) == batch.base_sequence)
    return {};
  return {KafkaError::kOutOfOrderSequenceNumber, {}, -1};
}

void ProducerState::record(const BatchHeader& batch, std::int64_t log_append_time) {
  Producer& producer = producers_[batch.producer_id];
  if (batch.producer_epoch != producer.epoch) producer.batches.clear();
  producer.epoch = batch.producer_epoch;
  producer.last_timestamp = batch.max_timestamp;
  producer.batches.push_back(
      {batch.base_sequence, batch.last_sequence(), batch.base_offset, log_append_time});
  if (producer.batches.size() > kRemembered) producer.batches.pop_front();
}

void ProducerState::record_marker(std::int64_t producer_id, std::int16_t epoch) {
  Producer& producer = producers_[producer_id];
  if (epoch > producer.epoch) producer.batches.clear();
  producer.epoch = std::max(producer.epoch, epoch);
}

std::vector<ProducerState::Active> ProducerState::active() const {
  std::vector<Active> result;
  for (const auto& [id, producer] : producers_) {
    const bool any = !producer.batches.empty();
    result.push_back({id, producer.epoch, any ? producer.batches.back().last_sequence : -1,
                      producer.last_timestamp});
  }
  std::ranges::sort(result, {}, &Active::producer_id);
  return result;
}

}  // namespace ktrial::fakebroker
