// SPDX-License-Identifier: Apache-2.0
// Running a driver on a faster clock: under libfaketime and a shim of ours for the waits that it
// leaves on real time. Brokers and capture stay on real time.
#pragma once

#include "harness/driver/build_driver.h"

#include <string>
#include <vector>

namespace ktrial::harness {

// `command` with what makes its clocks run `factor` times as fast. kNotFound: no libfaketime here.
Result<std::vector<std::string>> accelerated(const Places& places, std::vector<std::string> command,
                                             double factor);

}  // namespace ktrial::harness
