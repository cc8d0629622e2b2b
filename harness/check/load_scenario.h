// SPDX-License-Identifier: Apache-2.0
// The way in for the runner: a scenario file with the judge's grammar.
#pragma once

#include "harness/scenario/scenario_file.h"

namespace ktrial::harness {

Result<ScenarioFile> load_scenario(const std::string& path);
Result<ScenarioFile> parse_scenario(std::string_view text, std::string name);

}  // namespace ktrial::harness
