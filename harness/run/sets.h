// SPDX-License-Identifier: Apache-2.0
// Named sets of scenarios (scenarios/sets.yaml): what `--set` chooses from.
#pragma once

#include "common/result.h"

#include <string>
#include <vector>

namespace ktrial::harness {

struct ScenarioSet {
  std::string name, title;
  std::vector<std::string> globs;
  int jobs = 0;             // cases at once; 0: as many as the host allows
  bool on_request = false;  // its scenarios are not part of a run that names nothing
};

// An Error names file, line and column.
Result<std::vector<ScenarioSet>> read_sets(const std::string& path);

}  // namespace ktrial::harness
