// SPDX-License-Identifier: Apache-2.0
#include "clients/reference/sequences.h"

#include <climits>

#include <algorithm>
#include <vector>

namespace ktrial::client {
namespace {

constexpr std::int16_t kLastEpoch = SHRT_MAX - 1;

// After INT32_MAX comes 0.
std::int32_t advanced(std::int32_t sequence, std::int32_t by) {
  return static_cast<std::int32_t>(
      (static_cast<std::uint32_t>(sequence) + static_cast<std::uint32_t>(by)) &
      static_cast<std::uint32_t>(INT32_MAX));
}

}  // namespace

void Sequences::set_id(std::int64_t id, std::int16_t epoch) {
  id_ = id;
  epoch_ = epoch;
}

bool Sequences::allows(const BatchQueue& queue, const Batch& next, int leader) const {
  const bool first = queue.front().get() == &next;
  if (first) return true;
  // Sent again: what is before it decides first.
  if (next.stamp) return false;
  const Batch& before = *queue.front();
  // At another leader, or in another epoch, it could overtake.
  return before.sent_to == leader && before.stamp && before.stamp->producer_id == id_ &&
         before.stamp->producer_epoch == epoch_;
}

void Sequences::stamp(Batch& batch) {
  if (batch.stamp) return;
  Sequence& sequence = partitions_[batch.at];
  if (sequence.id != id_ || sequence.epoch != epoch_) sequence = {.id = id_, .epoch = epoch_};
  batch.stamp = {id_, epoch_, sequence.next};
  sequence.next = advanced(sequence.next, batch.builder.record_count());
}

bool Sequences::mend(const TopicPartition& at, const BatchQueue& queue) {
  const auto found = partitions_.find(at);
  if (found == partitions_.end() || !found->second.broken) return true;
  if (std::ranges::any_of(queue, [](const BatchPtr& batch) { return batch->in_flight; }))
    return false;
  Sequence& sequence = found->second;
  if (sequence.id == id_ && sequence.epoch == epoch_) {
    if (epoch_ >= kLastEpoch) {
      id_ = -1;
      return false;
    }
    ++epoch_;
  }
  sequence = {.id = id_, .epoch = epoch_};
  for (const BatchPtr& batch : queue) {
    if (!batch->stamp) break;
    batch->stamp.reset();
    stamp(*batch);
    std::vector<std::uint8_t> bytes(batch->bytes.span().begin(), batch->bytes.span().end());
    // It cannot fail: the bytes are a batch that this client has finished.
    if (protocol::set_producer_state(bytes, *batch->stamp)) batch->bytes = Slice(std::move(bytes));
  }
  return true;
}

}  // namespace ktrial::client
