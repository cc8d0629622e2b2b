// SPDX-License-Identifier: Apache-2.0
#include "clients/reference/round_robin_assignor.h"

#include <algorithm>

namespace ktrial::client {

Assignment RoundRobinAssignor::assign(const Subscriptions& subscriptions,
                                      const PartitionCounts& partitions) const {
  Assignment assignment;
  for (const auto& [member, subscription] : subscriptions) assignment[member];
  auto turn = subscriptions.begin();
  for (const auto& [topic, count] : partitions) {
    const bool wanted = std::ranges::any_of(
        subscriptions, [&](const auto& entry) { return entry.second.topics.contains(topic); });
    if (!wanted) continue;
    for (std::int32_t partition = 0; partition < count;) {
      if (turn == subscriptions.end()) turn = subscriptions.begin();
      if (turn->second.topics.contains(topic)) {
        assignment[turn->first].push_back({topic, partition++});
      }
      ++turn;
    }
  }
  return assignment;
}

}  // namespace ktrial::client
