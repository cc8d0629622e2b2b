// SPDX-License-Identifier: Apache-2.0
#include "harness/run/sets.h"

#include "harness/scenario/reader.h"

namespace ktrial::harness {

Result<std::vector<ScenarioSet>> read_sets(const std::string& path) {
  const auto root = read_yaml(path);
  if (!root) return tl::unexpected<Error>(root.error());
  Diagnostics diagnostics;
  Reader reader(diagnostics, Scope{});
  std::vector<ScenarioSet> sets;
  if (!root->is_map()) reader.error(root->at, "sets are a map: {name: {title, scenarios}}");
  for (const NodeEntry& entry : root->entries) {
    ScenarioSet set;
    set.name = entry.key;
    MapReader map(reader, entry.value, "set '" + entry.key + "'");
    if (const Node* title = map.require("title")) set.title = reader.text(*title).value_or("");
    if (const Node* globs = map.require("scenarios")) set.globs = reader.texts(*globs);
    if (const Node* jobs = map.take("jobs"))
      set.jobs = static_cast<int>(reader.integer(*jobs, 1, 256).value_or(1));
    if (const Node* on_request = map.take("on_request"))
      set.on_request = reader.boolean(*on_request).value_or(false);
    map.finish();
    sets.push_back(std::move(set));
  }
  if (auto read = diagnostics.result(); !read) return tl::unexpected<Error>(read.error());
  return sets;
}

}  // namespace ktrial::harness
