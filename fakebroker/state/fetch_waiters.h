// SPDX-License-Identifier: Apache-2.0
// FetchWaiters: long polls. A waiter names the partitions it waits for; touching one lets it try to
// complete, and its deadline makes it.
#pragma once

#include "common/clock.h"

#include <cstdint>
#include <functional>
#include <unordered_map>
#include <vector>

namespace ktrial::fakebroker {

class FetchWaiters {
 public:
  // Answers and returns true, or returns false to wait on; must answer if `expired`.
  using TryComplete = std::function<bool(bool expired)>;

  explicit FetchWaiters(TimerService& timers) : timers_(timers) {}

  void add(std::vector<std::uint64_t> partitions, Nanos max_wait, TryComplete try_complete);
  // The partition grew, moved or went away.
  void touch(std::uint64_t partition);
  [[nodiscard]] std::size_t size() const { return waiters_.size(); }

 private:
  struct Waiter {
    std::vector<std::uint64_t> partitions;
    TimerService::Id timer = 0;
    TryComplete try_complete;
  };
  void expire(std::uint64_t id);
  Waiter take(std::uint64_t id);

  TimerService& timers_;
  std::uint64_t last_id_ = 0;
  std::unordered_map<std::uint64_t, Waiter> waiters_;
  std::unordered_map<std::uint64_t, std::vector<std::uint64_t>> by_partition_;
};

}  // namespace ktrial::fakebroker
