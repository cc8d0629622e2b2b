// SPDX-License-Identifier: Apache-2.0
#include "harness/run/catalogue.h"

#include "harness/check/load_scenario.h"

#include <fmt/format.h>

#include <fnmatch.h>

#include <algorithm>
#include <set>

namespace ktrial::harness {

namespace fs = std::filesystem;

Result<Catalogue> Catalogue::read(const fs::path& folder) {
  std::vector<fs::path> paths;
  std::error_code bad;
  for (const auto& entry : fs::recursive_directory_iterator(folder, bad)) {
    if (entry.path().extension() == ".yaml") paths.push_back(entry.path());
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
  std::sort(catalogue.files.begin(), catalogue.files.end(),
            [](const ScenarioFile& a, const ScenarioFile& b) { return a.id() < b.id(); });
  return catalogue;
}

Result<std::vector<const ScenarioFile*>> Catalogue::select(const std::vector<std::string>& globs) {
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
      if (file.path() != glob && fnmatch(glob.c_str(), file.id().c_str(), 0) != 0) continue;
      wanted = true;
      used.insert(glob);
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
