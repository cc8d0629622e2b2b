// SPDX-License-Identifier: Apache-2.0
// A file of topics for `ktrial cluster`: what a scenario has under `topics:`, alone.
#pragma once

#include "common/result.h"
#include "harness/scenario/position.h"
#include "harness/scenario/scenario.h"

#include <string>
#include <string_view>
#include <vector>

namespace ktrial::harness {

struct PlacedTopic {
  TopicPart topic;
  Position at;
};

// Of a cluster with broker ids 1 to `brokers`. A fault tells file, line and column.
Result<std::vector<PlacedTopic>> parse_topics(std::string_view text, std::string name, int brokers);
Result<std::vector<PlacedTopic>> read_topics_file(const std::string& path, int brokers);

}  // namespace ktrial::harness
