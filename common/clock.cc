// SPDX-License-Identifier: Apache-2.0
#include "common/clock.h"

namespace ktrial {

TimePoint SystemClock::now() const {
  return std::chrono::time_point_cast<Nanos>(std::chrono::steady_clock::now());
}

std::int64_t SystemClock::wall_ms() const {
  return std::chrono::duration_cast<Millis>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

}  // namespace ktrial
