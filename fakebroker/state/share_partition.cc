// SPDX-License-Identifier: Apache-2.0
// Where a share partition stands, and what becomes of locks that are not acknowledged.
// Acquiring: share_partition_acquire.cc; acknowledging: share_partition_acknowledge.cc.
#include "fakebroker/state/share_partition.h"

#include <algorithm>

namespace ktrial::fakebroker {

SharePartition::SharePartition(std::int64_t start)
    : start_(start), end_(start), written_start_(start) {}

void SharePartition::open(std::int64_t start) {
  start_ = start;
  end_ = start;
}

SharePartition::Batches::iterator SharePartition::batch_of(std::int64_t offset) {
  const auto after = batches_.upper_bound(offset);
  return after == batches_.begin() ? batches_.end() : std::prev(after);
}

std::int64_t SharePartition::counted(std::int64_t first, std::int64_t last) const {
  return std::max<std::int64_t>(last - std::max(first, start_) + 1, 0);
}

std::int64_t SharePartition::next_fetch_offset() const {
  if (!may_be_free_) return end_;
  for (const auto& [first, batch] : batches_) {
    for (std::size_t i = 0; i < batch.deliveries.size(); ++i) {
      const std::int64_t offset = first + static_cast<std::int64_t>(i);
      if (batch.deliveries[i].state == DeliveryState::kAvailable &&
          (offset >= start_ || !batch.per_offset))
        return std::max(offset, start_);
    }
  }
  return end_;
}

bool SharePartition::can_acquire(const ShareSettings& settings) const {
  return next_fetch_offset() != end_ || in_flight() < settings.max_record_locks;
}

void SharePartition::lock(Delivery& delivery, const std::string& member,
                          const ShareSettings& settings, TimePoint now) {
  delivery.state = DeliveryState::kAcquired;
  delivery.member = member;
  delivery.lock_until = now + settings.record_lock;
}

void SharePartition::finish(std::int64_t first, std::int64_t last, Delivery& delivery,
                            DeliveryState state) {
  if (!delivery.done()) done_ += counted(first, last);
  delivery.state = state;
  delivery.member.clear();
}

void SharePartition::set_free(std::int64_t first, std::int64_t last, Delivery& delivery,
                              const ShareSettings& settings) {
  if (delivery.count >= settings.delivery_count_limit)
    return finish(first, last, delivery, DeliveryState::kArchived);
  delivery.state = DeliveryState::kAvailable;
  delivery.member.clear();
  may_be_free_ = true;
}

void SharePartition::release(const std::string& member, const ShareSettings& settings) {
  bool any = false;
  for (auto& [first, batch] : batches_) {
    batch.for_each(batch.first, batch.last, [&](auto from, auto to, Delivery& delivery) {
      if (delivery.state != DeliveryState::kAcquired || delivery.member != member) return;
      set_free(from, to, delivery, settings);
      any = true;
    });
  }
  if (!any) return;
  write();
  advance();
}

bool SharePartition::expire(const ShareSettings& settings, TimePoint now) {
  bool any = false;
  for (auto& [first, batch] : batches_) {
    batch.for_each(batch.first, batch.last, [&](auto from, auto to, Delivery& delivery) {
      if (delivery.state != DeliveryState::kAcquired || delivery.lock_until > now) return;
      set_free(from, to, delivery, settings);
      any = true;
    });
  }
  if (!any) return false;
  write();
  advance();
  return true;
}

std::optional<TimePoint> SharePartition::next_expiry() const {
  std::optional<TimePoint> next;
  for (const auto& [first, batch] : batches_) {
    for (const Delivery& delivery : batch.deliveries) {
      if (delivery.state == DeliveryState::kAcquired && (!next || delivery.lock_until < *next))
        next = delivery.lock_until;
    }
  }
  return next;
}

void SharePartition::log_start_moved(std::int64_t offset) {
  if (!is_open() || offset <= start_) return;
  start_ = offset;
  end_ = std::max(end_, start_);
  std::erase_if(batches_, [offset](const auto& entry) { return entry.second.last < offset; });
  if (batches_.empty()) end_ = start_;
  done_ = 0;
  for (auto& [first, batch] : batches_) {
    if (batch.first < start_) {
      batch.split();
      batch.for_each(batch.first, start_ - 1, [](auto, auto, Delivery& delivery) {
        delivery = {.state = DeliveryState::kArchived, .count = delivery.count};
      });
    }
    batch.for_each(start_, batch.last, [&](auto from, auto to, const Delivery& delivery) {
      if (delivery.done()) done_ += counted(from, to);
    });
  }
}

void SharePartition::reload() {
  if (written_start_ == kUnset) {
    *this = SharePartition();
    return;
  }
  for (auto& [first, batch] : batches_) {
    for (Delivery& delivery : batch.deliveries) {
      if (delivery.state != DeliveryState::kAcquired) continue;
      delivery.state = DeliveryState::kAvailable;
      delivery.member.clear();
      --delivery.count;
    }
  }
  const auto never_written = [](const InFlightBatch& batch) {
    return std::all_of(batch.deliveries.begin(), batch.deliveries.end(), [](const Delivery& one) {
      return one.state == DeliveryState::kAvailable && one.count == 0;
    });
  };
  while (!batches_.empty() && never_written(std::prev(batches_.end())->second)) {
    end_ = std::max(std::prev(batches_.end())->first, start_);
    batches_.erase(std::prev(batches_.end()));
  }
  may_be_free_ = true;
}

void SharePartition::write() {
  written_start_ = start_;
  written_done_ = done_;
}

// The start moves over what is done with; batches that are wholly below it are forgotten.
void SharePartition::advance() {
  const std::int64_t before = start_;
  while (!batches_.empty()) {
    InFlightBatch& batch = batches_.begin()->second;
    std::int64_t offset = std::max(batch.first, start_);
    while (offset <= batch.last && batch.at(offset).done())
      offset = batch.per_offset ? offset + 1 : batch.last + 1;
    start_ = offset;
    if (offset <= batch.last) break;
    batches_.erase(batches_.begin());
  }
  done_ = batches_.empty() ? 0 : done_ - (start_ - before);
  if (batches_.empty()) end_ = start_;
}

}  // namespace ktrial::fakebroker
