// SPDX-License-Identifier: Apache-2.0
// How good the host's timing is, measured for a moment at the start of a run.
#pragma once

#include "common/clock.h"

#include <boost/json.hpp>

namespace ktrial::harness {

struct Calibration {
  double p50_ms = 0, p99_ms = 0, max_ms = 0;  // lateness of a sleep of 1 ms

  // Cases at once: they mostly wait, but a host that is late anyway gets fewer.
  [[nodiscard]] int parallel_cases() const;
  [[nodiscard]] boost::json::object to_json() const;
};

Calibration calibrate(Millis time);

// Processor, cores, kernel, memory.
boost::json::object host_facts();

}  // namespace ktrial::harness
