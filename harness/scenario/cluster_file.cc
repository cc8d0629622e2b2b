// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/cluster_file.h"

#include "harness/scenario/read_parts.h"

namespace ktrial::harness {
namespace {

Result<ClusterPart> cluster_of_root(const Node& root) {
  Diagnostics diagnostics;
  Reader reader(diagnostics, Scope{});
  ClusterPart cluster = read_cluster(reader, root);
  KTRIAL_TRY(diagnostics.result());
  return cluster;
}

}  // namespace

Result<ClusterPart> parse_cluster(std::string_view text, std::string name) {
  const Result<Node> root = parse_yaml(text, std::move(name));
  KTRIAL_TRY(root);
  return cluster_of_root(*root);
}

Result<ClusterPart> read_cluster_file(const std::string& path) {
  const Result<Node> root = read_yaml(path);
  KTRIAL_TRY(root);
  return cluster_of_root(*root);
}

}  // namespace ktrial::harness
