// SPDX-License-Identifier: Apache-2.0
// The scenarios there are: every .yaml below scenarios/ but the lists sets.yaml,
// claims.yaml and known.yaml.
#pragma once

#include "harness/run/claims.h"
#include "harness/run/known_failures.h"
#include "harness/run/sets.h"
#include "harness/scenario/scenario_file.h"

#include <filesystem>
#include <string>
#include <vector>

namespace ktrial::harness {

struct Catalogue {
  std::vector<ScenarioFile> files;  // by id
  std::vector<ScenarioSet> sets;
  std::vector<Claim> claims;
  std::vector<KnownFailure> known_failures;

  // The first fault of any file is an Error with its place: nothing is run beside a broken file.
  static Result<Catalogue> read(const std::filesystem::path& folder);
  // Those whose id matches one of the globs ("conn/*", "**close**") and that belong to the set. No
  // globs: the whole set; no set ("") either: all but those of sets that run on request. A path to
  // a .yaml file is read from there. A glob that matches nothing is an Error.
  [[nodiscard]] Result<std::vector<const ScenarioFile*>> select(
      const std::vector<std::string>& globs, const std::string& set = {});
};

}  // namespace ktrial::harness
