// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/state/partition_log.h"

#include <algorithm>
#include <cstring>

namespace ktrial::fakebroker {
namespace {

constexpr std::size_t kCopyBelow = 16U << 10U;
constexpr std::size_t kFirstSegment = 4U << 10U;
constexpr std::size_t kLargestSegment = 1U << 20U;

}  // namespace

std::int64_t PartitionLog::append(const Slice& batch, const protocol::BatchHeader& header,
                                  std::int32_t leader_epoch) {
  const std::int64_t base = end_;
  end_ = base + header.last_offset_delta + 1;
  if (discards_) {
    start_ = end_;
    return base;
  }
  Slice kept = keep(batch);
  const std::span<std::uint8_t> bytes(const_cast<std::uint8_t*>(kept.data()), kept.size());
  protocol::set_base_offset(bytes, base);
  protocol::set_partition_leader_epoch(bytes, leader_epoch);
  if (batches_.empty()) start_ = base;
  const auto size = static_cast<std::int64_t>(kept.size());
  bytes_ += size;
  batches_.push_back(
      {base, base + header.last_offset_delta, header.max_timestamp, leader_epoch, std::move(kept)});
  enforce_budget();
  count(size);
  return base;
}

Slice PartitionLog::keep(const Slice& batch) {
  if (batch.size() >= kCopyBelow) return batch;
  if (segment_size_ - segment_used_ < batch.size()) {
    segment_size_ = std::clamp(segment_size_ * 2, kFirstSegment, kLargestSegment);
    segment_size_ = std::max(segment_size_, batch.size());
    segment_ = std::make_shared_for_overwrite<std::uint8_t[]>(segment_size_);
    segment_used_ = 0;
  }
  std::uint8_t* const at = segment_.get() + segment_used_;
  std::memcpy(at, batch.data(), batch.size());
  segment_used_ += batch.size();
  return Slice(segment_, {at, batch.size()});
}

void PartitionLog::enforce_budget() {
  while (bytes_ > budget_ && batches_.size() > 1) {
    drop_first();
    start_ = batches_.front().base_offset;
  }
}

void PartitionLog::drop_first() {
  const auto size = static_cast<std::int64_t>(batches_.front().bytes.size());
  bytes_ -= size;
  batches_.pop_front();
  count(-size);
}

void PartitionLog::trim(std::int64_t bytes) {
  while (bytes_ > bytes && !batches_.empty()) {
    start_ = batches_.front().last_offset + 1;
    drop_first();
  }
}

void PartitionLog::set_budget(std::int64_t bytes) {
  budget_ = bytes;
  enforce_budget();
}

void PartitionLog::advance_start(std::int64_t offset) {
  start_ = std::clamp(offset, start_, end_);
  while (!batches_.empty() && batches_.front().last_offset < start_) drop_first();
}

PartitionLog::Iterator PartitionLog::batch_of(std::int64_t offset) const {
  return std::partition_point(batches_.begin(), batches_.end(),
                              [offset](const Batch& batch) { return batch.last_offset < offset; });
}

PartitionLog::Read PartitionLog::read(std::int64_t offset, std::int64_t end, std::size_t max_bytes,
                                      bool at_least_one) const {
  Read result;
  for (auto batch = batch_of(offset); batch != batches_.end() && batch->base_offset < end;
       ++batch) {
    const bool forced = at_least_one && result.bytes == 0;
    if (!forced && result.bytes + batch->bytes.size() > max_bytes) break;
    result.bytes += batch->bytes.size();
    result.end_offset = batch->last_offset + 1;
    if (!result.runs.empty()) {
      Slice& last = result.runs.back();
      if (last.owner() == batch->bytes.owner() &&
          last.data() + last.size() == batch->bytes.data()) {
        last = Slice(last.owner(), {last.data(), last.size() + batch->bytes.size()});
        continue;
      }
    }
    result.runs.push_back(batch->bytes);
  }
  return result;
}

std::size_t PartitionLog::available(std::int64_t offset, std::int64_t end,
                                    std::size_t enough) const {
  std::size_t sum = 0;
  for (auto batch = batch_of(offset);
       batch != batches_.end() && batch->base_offset < end && sum < enough; ++batch)
    sum += batch->bytes.size();
  return sum;
}

std::optional<PartitionLog::Position> PartitionLog::first_at_or_after(
    const Batch& batch, std::int64_t timestamp) const {
  std::optional<Position> found;
  const auto walked = protocol::for_each_record(batch.bytes, [&](const protocol::Record& record) {
    if (record.timestamp < timestamp || record.offset < start_) return true;
    found = Position{record.offset, record.timestamp, batch.leader_epoch};
    return false;
  });
  // Records that cannot be read (a codec's bytes are only looked at here): the batch stands for
  // them.
  if (!walked) found = Position{batch.base_offset, batch.max_timestamp, batch.leader_epoch};
  return found;
}

std::optional<PartitionLog::Position> PartitionLog::find_timestamp(std::int64_t timestamp) const {
  for (const Batch& batch : batches_) {
    if (batch.max_timestamp < timestamp) continue;
    if (const auto found = first_at_or_after(batch, timestamp)) return found;
  }
  return std::nullopt;
}

std::optional<PartitionLog::Position> PartitionLog::max_timestamp() const {
  const auto newest = std::max_element(
      batches_.begin(), batches_.end(),
      [](const Batch& a, const Batch& b) { return a.max_timestamp < b.max_timestamp; });
  if (newest == batches_.end()) return std::nullopt;
  return first_at_or_after(*newest, newest->max_timestamp);
}

std::optional<std::int32_t> PartitionLog::epoch_of(std::int64_t offset) const {
  const auto batch = batch_of(offset);
  if (batch == batches_.end()) return std::nullopt;
  return batch->leader_epoch;
}

void PartitionLog::begin_epoch(std::int32_t epoch) {
  // An epoch that nothing was written in leaves no trace.
  if (!epochs_.empty() && epochs_.back().start_offset == end_) epochs_.pop_back();
  epochs_.push_back({epoch, end_});
}

void PartitionLog::truncate(std::int64_t end) {
  while (!batches_.empty() && batches_.back().base_offset >= end) {
    bytes_ -= static_cast<std::int64_t>(batches_.back().bytes.size());
    batches_.pop_back();
  }
  end_ = std::min(end_, end);
  start_ = std::min(start_, end_);
  held_ = std::min(held_, end_);
  std::erase_if(epochs_, [end](const EpochStart& entry) { return entry.start_offset >= end; });
}

void PartitionLog::for_each_batch(const std::function<void(const Slice&)>& visit) const {
  for (const Batch& batch : batches_) visit(batch.bytes);
}

PartitionLog::EpochEnd PartitionLog::end_of_epoch(std::int32_t epoch,
                                                  std::int32_t current_epoch) const {
  if (epoch == current_epoch) return {epoch, end_};
  const auto after = std::find_if(epochs_.begin(), epochs_.end(),
                                  [epoch](const EpochStart& entry) { return entry.epoch > epoch; });
  if (after == epochs_.begin() || after == epochs_.end()) return {};
  return {std::prev(after)->epoch, after->start_offset};
}

}  // namespace ktrial::fakebroker
