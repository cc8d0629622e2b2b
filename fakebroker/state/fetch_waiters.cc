// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/state/fetch_waiters.h"

#include <algorithm>

namespace ktrial::fakebroker {

void FetchWaiters::add(std::vector<std::uint64_t> partitions, Nanos max_wait,
                       TryComplete try_complete) {
  const std::uint64_t id = ++last_id_;
  for (const std::uint64_t partition : partitions) by_partition_[partition].push_back(id);
  const TimerService::Id timer = timers_.after(max_wait, [this, id] { expire(id); });
  waiters_.emplace(id, Waiter{std::move(partitions), timer, std::move(try_complete)});
}

void FetchWaiters::touch(std::uint64_t partition) {
  const auto waiting = by_partition_.find(partition);
  if (waiting == by_partition_.end()) return;
  const std::vector<std::uint64_t> ids = waiting->second;  // completing edits the list
  for (const std::uint64_t id : ids) {
    const auto found = waiters_.find(id);
    if (found == waiters_.end() || !found->second.try_complete(false)) continue;
    timers_.cancel(take(id).timer);
  }
}

void FetchWaiters::expire(std::uint64_t id) {
  const Waiter waiter = take(id);
  waiter.try_complete(true);
}

FetchWaiters::Waiter FetchWaiters::take(std::uint64_t id) {
  auto node = waiters_.extract(id);
  for (const std::uint64_t partition : node.mapped().partitions) {
    const auto list = by_partition_.find(partition);
    std::erase(list->second, id);
    if (list->second.empty()) by_partition_.erase(list);
  }
  return std::move(node.mapped());
}

}  // namespace ktrial::fakebroker
