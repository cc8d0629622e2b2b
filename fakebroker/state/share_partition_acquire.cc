// SPDX-License-Identifier: Apache-2.0
// Who gets which records: first those that were released, then new ones. A batch that fails again
// and again is handed out in ever smaller parts, and its records one by one before they are given
// up, so that one bad record does not take its neighbours along (KIP-1206, KAFKA-19020).
#include "fakebroker/state/share_partition.h"

#include <algorithm>

namespace ktrial::fakebroker {
namespace {

// From this delivery count on a batch is handed out in parts.
std::int32_t careful_from(const ShareSettings& settings) {
  return std::max(2, (settings.delivery_count_limit + 1) / 2);
}

// Neighbours that were delivered as often are one range.
void append(std::vector<AcquiredRange>& ranges, std::size_t own, std::int64_t offset,
            std::int16_t count) {
  if (ranges.size() > own && ranges.back().last + 1 == offset &&
      ranges.back().delivery_count == count) {
    ranges.back().last = offset;
  } else {
    ranges.push_back({offset, offset, count});
  }
}

// The end of the record batch that `offset` is in: batches are not split.
std::int64_t end_of_batch(std::span<const FetchedBatch> fetched, std::int64_t offset) {
  for (const FetchedBatch& batch : fetched) {
    if (offset >= batch.first && offset <= batch.last) return batch.last;
  }
  return offset;
}

// What is left of the ranges without [first, last].
std::vector<AcquiredRange> without(const std::vector<AcquiredRange>& ranges, std::int64_t first,
                                   std::int64_t last) {
  std::vector<AcquiredRange> left;
  for (const AcquiredRange& range : ranges) {
    if (range.last < first || range.first > last) {
      left.push_back(range);
      continue;
    }
    if (range.first < first) left.push_back({range.first, first - 1, range.delivery_count});
    if (range.last > last) left.push_back({last + 1, range.last, range.delivery_count});
  }
  return left;
}

}  // namespace

std::vector<AcquiredRange> SharePartition::acquire(const Wanted& wanted,
                                                   std::span<const FetchedBatch> fetched,
                                                   const ShareSettings& settings, TimePoint now) {
  std::vector<AcquiredRange> acquired;
  if (fetched.empty() || wanted.max_records <= 0 || fetched.back().last < start_) return acquired;
  std::int64_t to = fetched.back().last;
  std::int64_t room =
      std::min<std::int64_t>(wanted.max_records, settings.max_record_locks - in_flight());
  if (room <= 0) {
    // All locks are taken: only what was released among them may be had.
    if (wanted.fetch_offset >= end_) return acquired;
    room = std::min<std::int64_t>(wanted.max_records, end_ - wanted.fetch_offset);
    to = std::min(to, end_ - 1);
  }
  const std::int64_t from = fetched.front().first;
  auto next = batch_of(from);
  if (next == batches_.end() || next->second.last < from) next = batches_.lower_bound(from);
  std::int64_t new_from = std::max(from, start_);
  std::int64_t count = 0;
  bool stop = false;
  for (; next != batches_.end() && next->first <= to; ++next) {
    new_from = next->second.last + 1;
    if (count < room && !stop) {
      count += acquire_again(next->second, wanted, room - count, from, to, stop, settings, now,
                             acquired);
    }
  }
  if (!stop && count < room && new_from <= to)
    acquire_new(wanted, fetched, new_from, to, room - count, settings, now, acquired);
  archive_aborted(fetched, acquired);
  return acquired;
}

std::int64_t SharePartition::acquire_again(InFlightBatch& batch, const Wanted& wanted,
                                           std::int64_t room, std::int64_t from, std::int64_t to,
                                           bool& stop, const ShareSettings& settings, TimePoint now,
                                           std::vector<AcquiredRange>& acquired) {
  std::int16_t most = -1;
  batch.for_each(from, to, [&](auto, auto, const Delivery& delivery) {
    if (delivery.state == DeliveryState::kAvailable) most = std::max(most, delivery.count);
  });
  if (most < 0) return 0;  // nothing is free
  const bool careful = most >= careful_from(settings);
  if (careful && !acquired.empty()) {
    stop = true;
    return 0;
  }
  const bool in_part = wanted.record_limit && batch.size() > room;
  if (batch.within(from, to) && !batch.per_offset && !in_part && !careful) {
    Delivery& delivery = batch.deliveries.front();
    ++delivery.count;
    lock(delivery, wanted.member, settings, now);
    acquired.push_back({batch.first, batch.last, delivery.count});
    return batch.size();
  }
  batch.split();
  const std::int64_t got = acquire_some(batch, wanted, room, from, to, settings, now, acquired);
  stop = careful && got > 0;
  return got;
}

std::int64_t SharePartition::acquire_some(InFlightBatch& batch, const Wanted& wanted,
                                          std::int64_t room, std::int64_t from, std::int64_t to,
                                          const ShareSettings& settings, TimePoint now,
                                          std::vector<AcquiredRange>& acquired) {
  const std::size_t own = acquired.size();
  const std::int32_t limit = settings.delivery_count_limit;
  const bool last_alone = limit > 2;
  std::int64_t at_most = wanted.record_limit ? room : batch.size();
  std::int64_t got = 0;
  bool slowed = false;
  for (std::int64_t offset = std::max({batch.first, from, start_});
       offset <= std::min(batch.last, to) && got < at_most; ++offset) {
    Delivery& delivery = batch.at(offset);
    if (delivery.state != DeliveryState::kAvailable) continue;
    if (last_alone && delivery.count == limit - 1 && got > 0) break;
    if (delivery.count >= careful_from(settings) && !slowed) {
      slowed = true;
      const int halvings = delivery.count - careful_from(settings) + 1;
      at_most = std::min(at_most, std::max<std::int64_t>(1, batch.size() >> halvings));
    }
    ++delivery.count;
    lock(delivery, wanted.member, settings, now);
    append(acquired, own, offset, delivery.count);
    ++got;
    if (last_alone && delivery.count == limit) break;
  }
  return got;
}

void SharePartition::acquire_new(const Wanted& wanted, std::span<const FetchedBatch> fetched,
                                 std::int64_t from, std::int64_t to, std::int64_t room,
                                 const ShareSettings& settings, TimePoint now,
                                 std::vector<AcquiredRange>& acquired) {
  std::int64_t last = to;
  if (room < last - from + 1) last = std::min(to, end_of_batch(fetched, from + room - 1));
  const auto add = [&](std::int64_t first, std::int64_t end) -> InFlightBatch& {
    InFlightBatch& batch = batches_[first];
    batch = {first, end, false, {Delivery{.count = 1}}};
    lock(batch.deliveries.front(), wanted.member, settings, now);
    return batch;
  };
  std::int64_t first = from;
  if (wanted.record_limit && last - first + 1 > room) {
    InFlightBatch& batch = add(first, last);
    batch.split();
    batch.for_each(first + room, last, [](auto, auto, Delivery& delivery) { delivery = {}; });
    may_be_free_ = true;
    acquired.push_back({first, first + room - 1, 1});
  } else {
    const bool cut = !wanted.record_limit && last - first + 1 > wanted.batch_size;
    for (const FetchedBatch& batch : fetched) {
      if (!cut || batch.first > last) break;
      if (batch.first - first < wanted.batch_size || batch.first <= first) continue;
      add(first, batch.first - 1);
      acquired.push_back({first, batch.first - 1, 1});
      first = batch.first;
    }
    add(first, last);
    acquired.push_back({first, last, 1});
  }
  if (batches_.begin()->first == from) start_ = from;
  end_ = std::max(end_, last + 1);
}

void SharePartition::archive_aborted(std::span<const FetchedBatch> fetched,
                                     std::vector<AcquiredRange>& acquired) {
  for (const FetchedBatch& gone : fetched) {
    if (!gone.aborted) continue;
    for (auto at = batches_.begin(); at != batches_.end() && at->first <= gone.last; ++at) {
      InFlightBatch& batch = at->second;
      if (batch.last < gone.first) continue;
      if (!batch.within(gone.first, gone.last)) batch.split();
      batch.for_each(gone.first, gone.last, [&](auto first, auto last, Delivery& delivery) {
        if (delivery.state == DeliveryState::kAcquired)
          finish(first, last, delivery, DeliveryState::kArchived);
      });
    }
    acquired = without(acquired, gone.first, gone.last);
  }
}

}  // namespace ktrial::fakebroker
