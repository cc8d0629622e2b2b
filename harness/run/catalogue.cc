// SPDX-License-Identifier: Apache-2.0
#include "harness/run/catalogue.h"

#include "harness/check/load_scenario.h"
#include "harness/scenario/diagnostics.h"

#include <fmt/format.h>

#include <fnmatch.h>

#include <algorithm>
#include <set>

namespace ktrial::harness {

namespace fs = std::filesystem;

namespace {

// Beside the scenarios, not scenarios.
constexpr const char* kSets = "sets.yaml";
constexpr const char* kClaims = "claims.yaml";
constexpr const char* kKnownFailures = "known.yaml";

bool matches(const ScenarioFile& file, const std::string& glob) {
  return fnmatch(glob.c_str(), file.id().c_str(), 0) == 0;
}

bool belongs(const ScenarioFile& file, const ScenarioSet& set) {
  return std::any_of(set.globs.begin(), set.globs.end(),
                     [&file](const std::string& glob) { return matches(file, glob); });
}

// A check may decide only claims that there are.
Result<void> claims_exist(const Catalogue& catalogue) {
  std::vector<std::string> known;
  for (const Claim& claim : catalogue.claims) known.push_back(claim.id);
  Diagnostics diagnostics;
  for (const ScenarioFile& file : catalogue.files) {
    for (const Axes& axes : file.variants()) {
      CaseContext open;
      open.axes = axes;
      const auto scenario = file.bind(open);
      if (!scenario) continue;
      for (const CheckSpec& check : scenario->checks) {
        for (const std::string& claim : check.decides) {
          if (find_claim(catalogue.claims, claim) == nullptr)
            diagnostics.error(check.at, fmt::format("check '{}' decides '{}', which is no claim{}",
                                                    check.id, claim, hint(claim, known)));
        }
      }
    }
  }
  return diagnostics.result();
}

}  // namespace

Result<Catalogue> Catalogue::read(const fs::path& folder) {
  std::vector<fs::path> paths;
  std::error_code bad;
  for (const auto& entry : fs::recursive_directory_iterator(folder, bad)) {
    const bool list = entry.path() == folder / kSets || entry.path() == folder / kClaims ||
                      entry.path() == folder / kKnownFailures;
    if (entry.path().extension() == ".yaml" && !list) paths.push_back(entry.path());
  }
  if (bad) return fail(Errc::kNotFound, "no such folder of scenarios", folder.string());
  std::sort(paths.begin(), paths.end());
  Catalogue catalogue;
  std::set<std::string> ids;
  for (const fs::path& path : paths) {
    auto file = load_scenario(path.string());
    if (!file) return tl::unexpected<Error>(file.error());
    if (!ids.insert(file->id()).second)
      return fail(Errc::kInvalidArgument, "the id '" + file->id() + "' is used twice",
                  path.string());
    catalogue.files.push_back(std::move(*file));
  }
  if (const fs::path path = folder / kSets; fs::exists(path, bad)) {
    auto sets = read_sets(path.string());
    if (!sets) return tl::unexpected<Error>(sets.error());
    catalogue.sets = std::move(*sets);
  }
  if (const fs::path path = folder / kClaims; fs::exists(path, bad)) {
    auto claims = read_claims(path.string());
    if (!claims) return tl::unexpected<Error>(claims.error());
    catalogue.claims = std::move(*claims);
  }
  if (const fs::path path = folder / kKnownFailures; fs::exists(path, bad)) {
    auto known = read_known_failures(path.string());
    if (!known) return tl::unexpected<Error>(known.error());
    catalogue.known_failures = std::move(*known);
  }
  KTRIAL_TRY(claims_exist(catalogue));
  std::sort(catalogue.files.begin(), catalogue.files.end(),
            [](const ScenarioFile& a, const ScenarioFile& b) { return a.id() < b.id(); });
  return catalogue;
}

Result<std::vector<const ScenarioFile*>> Catalogue::select(const std::vector<std::string>& globs,
                                                           const std::string& set) {
  const auto chosen = std::find_if(sets.begin(), sets.end(),
                                   [&set](const ScenarioSet& one) { return one.name == set; });
  if (!set.empty() && chosen == sets.end())
    return fail(Errc::kNotFound,
                fmt::format("no set is called '{}'; `ktrial list sets` shows what there is", set),
                "--set");
  for (const std::string& glob : globs) {
    if (!glob.ends_with(".yaml")) continue;
    auto file = load_scenario(glob);
    if (!file) return tl::unexpected<Error>(file.error());
    std::erase_if(files, [&file](const ScenarioFile& other) { return other.id() == file->id(); });
    files.push_back(std::move(*file));
  }
  std::vector<const ScenarioFile*> selected;
  std::set<std::string> used;
  for (const ScenarioFile& file : files) {
    bool wanted = globs.empty();
    for (const std::string& glob : globs) {
      if (file.path() != glob && !matches(file, glob)) continue;
      wanted = true;
      used.insert(glob);
    }
    if (!set.empty()) {
      wanted = wanted && belongs(file, *chosen);
    } else if (globs.empty()) {
      wanted = std::none_of(sets.begin(), sets.end(), [&file](const ScenarioSet& one) {
        return one.on_request && belongs(file, one);
      });
    }
    if (wanted) selected.push_back(&file);
  }
  for (const std::string& glob : globs) {
    if (!used.contains(glob))
      return fail(
          Errc::kNotFound,
          fmt::format("no scenario matches '{}'; `ktrial list scenarios` shows what there is",
                      glob));
  }
  return selected;
}

}  // namespace ktrial::harness
