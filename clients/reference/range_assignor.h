// SPDX-License-Identifier: Apache-2.0
// The range assignor: a topic's partitions in order, in as equal runs as can be, to its members in
// order of their ids.
#pragma once

#include "clients/reference/outcome.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace ktrial::client {

using Assignment = std::map<std::string, std::vector<TopicPartition>>;

// `subscriptions` by member id; `partitions` by topic, topics without partitions left out.
inline Assignment assign_range(const std::map<std::string, std::set<std::string>>& subscriptions,
                               const std::map<std::string, std::int32_t>& partitions) {
  Assignment assignment;
  for (const auto& [member, topics] : subscriptions) assignment[member];
  for (const auto& [topic, count] : partitions) {
    std::vector<std::string> members;
    for (const auto& [member, topics] : subscriptions) {
      if (topics.contains(topic)) members.push_back(member);
    }
    if (members.empty()) continue;
    const auto size = static_cast<std::int32_t>(members.size());
    std::int32_t next = 0;
    for (std::int32_t i = 0; i < size; ++i) {
      const std::int32_t share = count / size + (i < count % size ? 1 : 0);
      for (std::int32_t end = next + share; next < end; ++next) {
        assignment[members[static_cast<std::size_t>(i)]].push_back({topic, next});
      }
    }
  }
  return assignment;
}

}  // namespace ktrial::client
