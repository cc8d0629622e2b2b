// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/state/producer_state.h"

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
  producer.batches.push_back(
      {batch.base_sequence, batch.last_sequence(), batch.base_offset, log_append_time});
  if (producer.batches.size() > kRemembered) producer.batches.pop_front();
}

}  // namespace ktrial::fakebroker
