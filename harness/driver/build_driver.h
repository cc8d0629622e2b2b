// SPDX-License-Identifier: Apache-2.0
// Builds a driver on first use, and again when its sources change.
#pragma once

#include "common/result.h"
#include "harness/driver/driver_registry.h"

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace ktrial::harness {

struct Places {
  std::filesystem::path home;  // the checkout: scenarios/, clients/
  std::filesystem::path bin;   // where this program and the reference driver are

  [[nodiscard]] std::filesystem::path build_of(const ClientChoice& choice) const;
  // From KTRIAL_HOME or the source folder compiled in, and /proc/self/exe.
  static Places find();
};

// True if a build would have to run first.
bool needs_build(const Places& places, const ClientChoice& choice);

// An Error names the log of the failed build. Several processes may ask at once: one builds.
Result<void> build_driver(const Places& places, const ClientChoice& choice);

// argv of the driver, its placeholders filled in.
std::vector<std::string> run_command(const Places& places, const ClientChoice& choice);

}  // namespace ktrial::harness
