// SPDX-License-Identifier: Apache-2.0
// The scenarios there are: every .yaml below scenarios/.
#pragma once

#include "harness/scenario/scenario_file.h"

#include <filesystem>
#include <string>
#include <vector>

namespace ktrial::harness {

struct Catalogue {
  std::vector<ScenarioFile> files;  // by id

  // The first fault of any file is an Error with its place: nothing is run beside a broken file.
  static Result<Catalogue> read(const std::filesystem::path& folder);
  // Those whose id matches one of the globs ("conn/*", "**close**"); none given: all. A path to a
  // .yaml file is read from there. A glob that matches nothing is an Error.
  [[nodiscard]] Result<std::vector<const ScenarioFile*>> select(
      const std::vector<std::string>& globs);
};

}  // namespace ktrial::harness
