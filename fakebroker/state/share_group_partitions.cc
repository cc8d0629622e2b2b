// SPDX-License-Identifier: Apache-2.0
// The partitions that a share group has initialized, and the clocks of their locks.
#include "fakebroker/state/share_group.h"

#include <algorithm>

namespace ktrial::fakebroker {

SharePartition* ShareGroup::partition(const protocol::Uuid& topic, std::int32_t index,
                                      std::int32_t leader_epoch) {
  const auto found = partitions_.find({topic, index});
  if (found == partitions_.end()) return nullptr;
  Tracked& tracked = found->second;
  if (std::exchange(tracked.leader_epoch, leader_epoch) != leader_epoch) tracked.state.reload();
  return &tracked.state;
}

ShareGroup::Written ShareGroup::written(const protocol::Uuid& topic, std::int32_t index) const {
  const auto found = partitions_.find({topic, index});
  if (found == partitions_.end()) return {};
  const Tracked& tracked = found->second;
  return {tracked.state.written_start(), tracked.state.written_done(), tracked.leader_epoch};
}

Assignment ShareGroup::initialized() const {
  Assignment all;
  for (const auto& [place, tracked] : partitions_) all[place.first].insert(place.second);
  return all;
}

void ShareGroup::watch_locks(const protocol::Uuid& topic, std::int32_t index) {
  const Place place{topic, index};
  const auto found = partitions_.find(place);
  if (found == partitions_.end()) return;
  Tracked& tracked = found->second;
  // Later locks run out later; only a shorter duration makes it worth looking.
  const TimePoint now = services_.group.clock.now();
  if (tracked.lock_timer != 0 && tracked.lock_timer_due <= now + settings().record_lock) return;
  const auto due = tracked.state.next_expiry();
  if (!due) return;
  cancel(tracked.lock_timer);
  tracked.lock_timer_due = *due;
  tracked.lock_timer = services_.group.timers.after(std::max(*due - now, Nanos(0)),
                                                    [this, place] { on_lock_timer(place); });
}

void ShareGroup::on_lock_timer(const Place& place) {
  Tracked& tracked = partitions_.at(place);
  tracked.lock_timer = 0;
  const bool freed = tracked.state.expire(settings(), services_.group.clock.now());
  watch_locks(place.first, place.second);
  if (freed) services_.freed(place.first, place.second);
}

void ShareGroup::set_start(const protocol::Uuid& topic, std::int32_t index, std::int64_t start) {
  Tracked& tracked = partitions_[{topic, index}];
  cancel(tracked.lock_timer);
  tracked.state = SharePartition(start);
}

bool ShareGroup::forget(const protocol::Uuid& topic) {
  bool any = false;
  for (auto at = partitions_.begin(); at != partitions_.end();) {
    if (at->first.first != topic) {
      ++at;
      continue;
    }
    cancel(at->second.lock_timer);
    at = partitions_.erase(at);
    any = true;
  }
  return any;
}

}  // namespace ktrial::fakebroker
