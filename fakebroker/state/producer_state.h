// SPDX-License-Identifier: Apache-2.0
// ProducerState: what a partition remembers of idempotent producers (KIP-98, KIP-360): the epoch
// and the last five batches of each, so that a retry is answered with its first offset, not
// appended again.
#pragma once

#include "protocol/errors.h"
#include "protocol/record_batch.h"

#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_map>
#include <vector>

namespace ktrial::fakebroker {

class ProducerState {
 public:
  struct Verdict {
    protocol::KafkaError error = protocol::KafkaError::kNone;
    std::optional<std::int64_t> duplicate_of;  // base offset of the batch that is there already
    std::int64_t duplicate_timestamp = -1;     // its log append time
  };
  [[nodiscard]] Verdict check(const protocol::BatchHeader& batch) const;
  // After check() and the append; the header holds the offset given to it.
  void record(const protocol::BatchHeader& batch, std::int64_t log_append_time);

  // A transaction's marker: of a newer epoch, it ends the sequences before.
  void record_marker(std::int64_t producer_id, std::int16_t epoch);
  // Each producer's epoch and last sequence (-1: none yet).
  struct Active {
    std::int64_t producer_id = -1;
    std::int16_t epoch = -1;
    std::int32_t last_sequence = -1;
    std::int64_t last_timestamp = -1;
  };
  [[nodiscard]] std::vector<Active> active() const;

  // 2147483647 is followed by 0.
  static std::int32_t next_sequence(std::int32_t sequence) {
    return sequence == INT32_MAX ? 0 : sequence + 1;
  }

 private:
  static constexpr std::size_t kRemembered = 5;
  struct Batch {
    std::int32_t first_sequence;
    std::int32_t last_sequence;
    std::int64_t base_offset;
    std::int64_t log_append_time;
  };
  struct Producer {
    std::int16_t epoch = 0;
    std::int64_t last_timestamp = -1;
    std::deque<Batch> batches;
  };
  std::unordered_map<std::int64_t, Producer> producers_;
};

}  // namespace ktrial::fakebroker
