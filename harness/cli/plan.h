// SPDX-License-Identifier: Apache-2.0
// What a run is going to do: scenarios × variants × clients, as jobs.
#pragma once

#include "harness/driver/build_driver.h"
#include "harness/driver/driver_registry.h"
#include "harness/run/catalogue.h"
#include "harness/run/scheduler.h"

#include <string>
#include <vector>

namespace ktrial::harness {

struct Assets {
  Places places;
  DriverRegistry drivers;
  Catalogue catalogue;

  static Result<Assets> load();
};

struct PlanOptions {
  int repeat = 1;
  double time_scale = 1;
  double accelerate = 1;
  bool sandboxed = true;
  std::vector<std::string> mutants;  // all at once, for the reference client
  std::string suffix;                // of the case's folder
};

// The jobs of one scenario file for one client: its variants, `repeat` times each.
Result<std::vector<Job>> plan_jobs(const Assets& assets, const ScenarioFile& file,
                                   const ClientChoice& client, const PlanOptions& options);

// Builds what needs building, saying so on stderr. The names of the clients whose build failed
// come back with the reason.
std::map<std::string, std::string> build_drivers(const Assets& assets,
                                                 const std::vector<ClientChoice>& clients);

}  // namespace ktrial::harness
