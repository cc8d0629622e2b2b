// SPDX-License-Identifier: Apache-2.0
// ExponentialBackoff: pauses that double from a base to a cap, each off by a random fifth, so that
// a fleet of clients does not come back in step (KIP-144, KIP-580).
#pragma once

#include "common/clock.h"
#include "common/rng.h"

#include <algorithm>
#include <cmath>

namespace ktrial::client {

struct ExponentialBackoff {
  Millis base{100};
  Millis cap{1'000};
  double factor = 2;
  double jitter = 0.2;

  // The pause after `failures` >= 1 failures in a row; never more than the cap.
  [[nodiscard]] Nanos pause(unsigned failures, Rng& rng) const {
    const double limit = static_cast<double>(std::max(base, cap).count());
    const unsigned steps = std::min(failures == 0 ? 0U : failures - 1, 32U);
    const double grown = static_cast<double>(base.count()) * std::pow(factor, steps);
    const double spread = std::min(grown, limit) * rng.between(1 - jitter, 1 + jitter);
    return Nanos(static_cast<Nanos::rep>(std::min(spread, limit) * 1e6));
  }
};

}  // namespace ktrial::client
