// SPDX-License-Identifier: Apache-2.0
// Clock and TimerService: time as a dependency. State machines take these, so that a test moves
// time by hand (manual_clock.h) and never sleeps. The real TimerService is
// common/net/asio_timers.h.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>

namespace ktrial {

using Nanos = std::chrono::nanoseconds;
using Millis = std::chrono::milliseconds;
// A monotonic instant; only differences mean anything.
using TimePoint = std::chrono::time_point<std::chrono::steady_clock, Nanos>;

class Clock {
 public:
  virtual ~Clock() = default;
  [[nodiscard]] virtual TimePoint now() const = 0;
  // Wall clock, milliseconds since 1970 UTC: for record timestamps only.
  [[nodiscard]] virtual std::int64_t wall_ms() const = 0;
};

class SystemClock final : public Clock {
 public:
  [[nodiscard]] TimePoint now() const override;
  [[nodiscard]] std::int64_t wall_ms() const override;
};

// One-shot timers. Callbacks run on the owner's thread, never inside after().
class TimerService {
 public:
  using Id = std::uint64_t;  // 0 is never a timer
  virtual ~TimerService() = default;
  virtual Id after(Nanos delay, std::function<void()> fn) = 0;
  // Cancelling a timer that ran or was cancelled does nothing.
  virtual void cancel(Id id) = 0;
};

}  // namespace ktrial
