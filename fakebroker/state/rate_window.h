// SPDX-License-Identifier: Apache-2.0
// RateWindow: how much per second, as Kafka's quotas measure it: samples of one second, eleven of
// which count (quota.window.num, quota.window.size.seconds). One that has seen less than ten whole
// seconds takes the missing ones for empty, so that a burst at the start is allowed (KIP-219).
#pragma once

#include "common/clock.h"

#include <deque>

namespace ktrial::fakebroker {

class RateWindow {
 public:
  static constexpr int kSamples = 11;
  static constexpr Millis kSample{1'000};

  // Negative: takes back what was recorded.
  void record(double value, TimePoint now);
  // How long to keep still for the rate to fall to `bound` per second; zero if it is not above.
  [[nodiscard]] Millis excess(double bound, TimePoint now) const;

 private:
  struct Sample {
    TimePoint start;
    TimePoint last;
    double value;
  };
  void forget_old(TimePoint now);

  std::deque<Sample> samples_;  // oldest first
};

}  // namespace ktrial::fakebroker
