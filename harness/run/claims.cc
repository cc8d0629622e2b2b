// SPDX-License-Identifier: Apache-2.0
#include "harness/run/claims.h"

#include "harness/scenario/reader.h"

#include <algorithm>

namespace ktrial::harness {

Result<std::vector<Claim>> read_claims(const std::string& path) {
  const auto root = read_yaml(path);
  if (!root) return tl::unexpected<Error>(root.error());
  Diagnostics diagnostics;
  Reader reader(diagnostics, Scope{});
  std::vector<Claim> claims;
  if (!root->is_map()) reader.error(root->at, "claims are a map: {C1: {claim}}");
  for (const NodeEntry& entry : root->entries) {
    Claim claim;
    claim.id = entry.key;
    MapReader map(reader, entry.value, "claim '" + entry.key + "'");
    if (const Node* text = map.require("claim")) claim.text = reader.text(*text).value_or("");
    if (const Node* why = map.take("unobservable"))
      claim.unobservable = reader.text(*why).value_or("");
    map.finish();
    claims.push_back(std::move(claim));
  }
  if (auto read = diagnostics.result(); !read) return tl::unexpected<Error>(read.error());
  return claims;
}

const Claim* find_claim(const std::vector<Claim>& claims, std::string_view id) {
  const auto found = std::find_if(claims.begin(), claims.end(),
                                  [id](const Claim& claim) { return claim.id == id; });
  return found == claims.end() ? nullptr : &*found;
}

}  // namespace ktrial::harness
