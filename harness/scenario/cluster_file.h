// SPDX-License-Identifier: Apache-2.0
// A file for `ktrial cluster`: what a scenario has under `cluster:`, alone.
#pragma once

#include "common/result.h"
#include "harness/scenario/scenario.h"

#include <string>
#include <string_view>

namespace ktrial::harness {

// A fault tells file, line and column.
Result<ClusterPart> parse_cluster(std::string_view text, std::string name);
Result<ClusterPart> read_cluster_file(const std::string& path);

}  // namespace ktrial::harness
