// SPDX-License-Identifier: Apache-2.0
// Sequences: an idempotent producer's id and epoch, and the sequence numbers of each partition's
// batches (KIP-98). A sequence that has a gap, or may have one, is begun anew in a new epoch, as
// soon as nothing of the partition is in flight (KIP-360).
#pragma once

#include "clients/reference/accumulator.h"
#include "protocol/record_batch_patch.h"

#include <cstdint>
#include <map>

namespace ktrial::client {

class Sequences {
 public:
  [[nodiscard]] bool has_id() const { return id_ >= 0; }
  [[nodiscard]] std::int64_t id() const { return id_; }
  [[nodiscard]] std::int16_t epoch() const { return epoch_; }
  // Partitions begin anew with their next batch that has no place yet.
  void set_id(std::int64_t id, std::int16_t epoch);

  // May `next`, the queue's first batch that is not in flight, be sent to `leader` now?
  [[nodiscard]] bool allows(const BatchQueue& queue, const Batch& next, int leader) const;
  // Gives a batch that has none its place in the sequence.
  void stamp(Batch& batch);
  // The partition's sequence cannot go on.
  void broken(const TopicPartition& at) { partitions_[at].broken = true; }
  // True if what is left of the queue has been numbered anew, or nothing had to be; false if that
  // must wait. Without an id afterwards: the epochs are used up, and the producer needs a new id.
  bool mend(const TopicPartition& at, const BatchQueue& queue);

 private:
  struct Sequence {
    std::int64_t id = -1;
    std::int16_t epoch = -1;
    std::int32_t next = 0;
    bool broken = false;
  };

  std::int64_t id_ = -1;
  std::int16_t epoch_ = -1;
  std::map<TopicPartition, Sequence> partitions_;
};

}  // namespace ktrial::client
