// SPDX-License-Identifier: Apache-2.0
// PartitionLog: the batches of one partition, in memory, with a byte budget: the oldest batches go
// when it is exceeded, as with retention.bytes. A large batch stays where it was received; small
// ones are copied next to each other, so that a fetch of many is one run of bytes.
#pragma once

#include "common/slice.h"
#include "fakebroker/state/record_memory.h"
#include "protocol/record_batch.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace ktrial::fakebroker {

class PartitionLog {
 public:
  // What it keeps is counted in `memory`, which outlives it; nullptr: nowhere.
  explicit PartitionLog(std::int64_t byte_budget, RecordMemory* memory = nullptr)
      : budget_(byte_budget), memory_(memory) {}
  ~PartitionLog() { count(-bytes_); }
  PartitionLog(const PartitionLog&) = delete;
  PartitionLog& operator=(const PartitionLog&) = delete;

  // Appends one whole batch and gives it the next offset, which it returns. Offset and epoch are
  // written into the batch: into `batch` itself if it is kept and not copied, so its buffer must be
  // writable and no reader must have it yet. Neither field is covered by the CRC.
  std::int64_t append(const Slice& batch, const protocol::BatchHeader& header,
                      std::int32_t leader_epoch);
  // What append() will give the next batch as base offset.
  [[nodiscard]] std::int64_t end_offset() const { return end_; }
  [[nodiscard]] std::int64_t start_offset() const { return start_; }
  // What is below it is on every replica that is in sync. Retention may overtake one that is held:
  // memory is bounded, whatever a script does.
  [[nodiscard]] std::int64_t high_watermark() const {
    return held_ < 0 ? end_ : std::max(held_, start_);
  }
  // It stays where it is while the log grows, until it is released to the end.
  void hold_high_watermark() { held_ = high_watermark(); }
  void release_high_watermark() { held_ = -1; }
  [[nodiscard]] std::int64_t bytes() const { return bytes_; }
  // retention.bytes; what is over it goes at once.
  void set_budget(std::int64_t bytes);
  // Drops the oldest batches until no more than so much is left, if need be all.
  void trim(std::int64_t bytes);
  // Nothing is kept from now on: offsets go on, and the log starts where it ends.
  void discard() { discards_ = true; }
  [[nodiscard]] bool discards() const { return discards_; }
  [[nodiscard]] std::size_t batch_count() const { return batches_.size(); }

  // Whole batches from the one that holds `offset` and below `end`, up to max_bytes, but at least
  // one if `at_least_one`. Neighbours in memory are one slice.
  struct Read {
    std::vector<Slice> runs;
    std::size_t bytes = 0;
    std::int64_t end_offset = -1;  // after the last batch; -1 without any
  };
  [[nodiscard]] Read read(std::int64_t offset, std::int64_t end, std::size_t max_bytes,
                          bool at_least_one) const;
  // Bytes from the batch that holds `offset` to `end`, counted no further than `enough`.
  [[nodiscard]] std::size_t available(std::int64_t offset, std::int64_t end,
                                      std::size_t enough) const;

  struct Position {
    std::int64_t offset = -1;
    std::int64_t timestamp = -1;
    std::int32_t leader_epoch = -1;
  };
  // The first record whose timestamp is at or after `timestamp`.
  [[nodiscard]] std::optional<Position> find_timestamp(std::int64_t timestamp) const;
  // The first record with the greatest timestamp.
  [[nodiscard]] std::optional<Position> max_timestamp() const;
  // The leader epoch under which `offset` was written; none if it is not in the log.
  [[nodiscard]] std::optional<std::int32_t> epoch_of(std::int64_t offset) const;
  // The greatest epoch at or below `epoch` in the log, and where the next one begins (the end of
  // the log, if it is the last).
  struct EpochEnd {
    std::int32_t epoch = -1;
    std::int64_t end_offset = -1;
  };
  [[nodiscard]] EpochEnd end_of_epoch(std::int32_t epoch, std::int32_t current_epoch) const;
  // A leader's epoch begins at the present end.
  void begin_epoch(std::int32_t epoch);
  // Where the present leader's began.
  [[nodiscard]] std::int64_t epoch_start() const {
    return epochs_.empty() ? 0 : epochs_.back().start_offset;
  }
  // Drops batches and epochs from `end` on, which is where a batch begins.
  void truncate(std::int64_t end);
  // Oldest first.
  void for_each_batch(const std::function<void(const Slice&)>& visit) const;
  // DeleteRecords: drops whole batches below `offset`; a batch that it is within stays, but its
  // records below are not found any more.
  void advance_start(std::int64_t offset);

 private:
  struct Batch {
    std::int64_t base_offset;
    std::int64_t last_offset;
    std::int64_t max_timestamp;
    std::int32_t leader_epoch;
    Slice bytes;
  };
  using Iterator = std::deque<Batch>::const_iterator;
  [[nodiscard]] Iterator batch_of(std::int64_t offset) const;
  [[nodiscard]] Slice keep(const Slice& batch);
  void enforce_budget();
  void drop_first();
  void count(std::int64_t bytes) {
    if (memory_ != nullptr) memory_->changed(bytes);
  }
  [[nodiscard]] std::optional<Position> first_at_or_after(const Batch& batch,
                                                          std::int64_t timestamp) const;

  struct EpochStart {
    std::int32_t epoch;
    std::int64_t start_offset;
  };

  std::int64_t budget_;
  RecordMemory* memory_;
  bool discards_ = false;
  std::int64_t start_ = 0;
  std::int64_t end_ = 0;
  std::int64_t held_ = -1;  // where the high watermark is held; -1: at the end
  std::int64_t bytes_ = 0;
  std::deque<Batch> batches_;
  std::vector<EpochStart> epochs_;
  std::shared_ptr<std::uint8_t[]> segment_;  // where small batches go
  std::size_t segment_size_ = 0;
  std::size_t segment_used_ = 0;
};

}  // namespace ktrial::fakebroker
