// SPDX-License-Identifier: Apache-2.0
#include "clients/reference/range_assignor.h"

#include <algorithm>

namespace ktrial::client {

Assignment RangeAssignor::assign(const Subscriptions& subscriptions,
                                 const PartitionCounts& partitions) const {
  Assignment assignment;
  for (const auto& [member, subscription] : subscriptions) assignment[member];
  for (const auto& [topic, count] : partitions) {
    std::vector<std::vector<TopicPartition>*> takers;
    for (const auto& [member, subscription] : subscriptions) {
      if (subscription.topics.contains(topic)) takers.push_back(&assignment[member]);
    }
    if (takers.empty()) continue;
    const auto size = static_cast<std::int32_t>(takers.size());
    std::int32_t next = 0;
    for (std::int32_t i = 0; i < size; ++i) {
      const std::int32_t share = count / size + (i < count % size ? 1 : 0);
      for (const std::int32_t end = next + share; next < end; ++next) {
        takers[static_cast<std::size_t>(i)]->push_back({topic, next});
      }
    }
  }
  return assignment;
}

}  // namespace ktrial::client
