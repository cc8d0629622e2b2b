// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/state/rate_window.h"

#include <algorithm>
#include <cmath>

namespace ktrial::fakebroker {

void RateWindow::forget_old(TimePoint now) {
  // One that ended in the window counts, though it began before it.
  std::erase_if(samples_,
                [now](const Sample& sample) { return now - sample.last >= kSamples * kSample; });
}

void RateWindow::record(double value, TimePoint now) {
  forget_old(now);
  if (samples_.empty() || now - samples_.back().start >= kSample) samples_.push_back({now, now, 0});
  samples_.back().value += value;
  samples_.back().last = now;
}

Millis RateWindow::excess(double bound, TimePoint now) const {
  double sum = 0;
  TimePoint oldest = now;
  for (const Sample& sample : samples_) {
    if (now - sample.last >= kSamples * kSample) continue;
    sum += sample.value;
    oldest = std::min(oldest, sample.start);
  }
  auto window = std::chrono::duration_cast<Millis>(now - oldest);
  const auto whole = static_cast<int>(window / kSample);
  if (whole < kSamples - 1) window += (kSamples - 1 - whole) * kSample;
  const double rate = sum / (static_cast<double>(window.count()) / 1'000);
  if (rate <= bound) return Millis(0);
  const double wait = (rate - bound) / bound * static_cast<double>(window.count());
  // The field that carries it has 32 bits.
  return Millis(std::llround(std::min(wait, 2'147'483'647.0)));
}

}  // namespace ktrial::fakebroker
