// SPDX-License-Identifier: Apache-2.0
// ManualClock: Clock and TimerService for tests; time moves only in advance(), which runs the due
// timers in order of their deadlines.
#pragma once

#include "common/clock.h"

#include <map>
#include <utility>

namespace ktrial {

class ManualClock final : public Clock, public TimerService {
 public:
  [[nodiscard]] TimePoint now() const override { return now_; }
  [[nodiscard]] std::int64_t wall_ms() const override {
    return kWallStart + std::chrono::duration_cast<Millis>(now_ - TimePoint{}).count();
  }
  Id after(Nanos delay, std::function<void()> fn) override {
    const Id id = ++last_id_;
    timers_.emplace(Key{now_ + delay, id}, std::move(fn));
    return id;
  }
  void cancel(Id id) override {
    std::erase_if(timers_, [id](const auto& entry) { return entry.first.second == id; });
  }
  void advance(Nanos by) {
    const TimePoint until = now_ + by;
    while (!timers_.empty() && timers_.begin()->first.first <= until) {
      auto node = timers_.extract(timers_.begin());
      now_ = std::max(now_, node.key().first);
      node.mapped()();
    }
    now_ = until;
  }
  [[nodiscard]] std::size_t pending() const { return timers_.size(); }

 private:
  static constexpr std::int64_t kWallStart = 1'700'000'000'000;
  using Key = std::pair<TimePoint, Id>;
  TimePoint now_{};
  Id last_id_ = 0;
  std::map<Key, std::function<void()>> timers_;
};

}  // namespace ktrial
