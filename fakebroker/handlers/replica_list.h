// SPDX-License-Identifier: Apache-2.0
// Whether the brokers that a client wants a partition on can have it.
#pragma once

#include "fakebroker/request_context.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ktrial::fakebroker {

// What the controller says against it (INVALID_REPLICA_ASSIGNMENT); nothing if it may be.
inline std::optional<std::string> fault_of_replica_list(RequestContext& ctx,
                                                        std::vector<std::int32_t> replicas) {
  const std::string what = "The manual partition assignment includes ";
  if (replicas.empty()) return what + "an empty replica list.";
  std::sort(replicas.begin(), replicas.end());
  for (auto broker = replicas.begin(); broker != replicas.end(); ++broker) {
    if (ctx.cluster.find_node(*broker) == nullptr)
      return what + fmt::format("broker {}, but no such broker is registered.", *broker);
    if (broker != replicas.begin() && *std::prev(broker) == *broker)
      return what + fmt::format("the broker {} more than once.", *broker);
  }
  return std::nullopt;
}

// Of a partition that is new.
inline void place_on(RequestContext& ctx, Partition& partition,
                     std::vector<std::int32_t> replicas) {
  partition.replicas = std::move(replicas);
  partition.in_sync = {};
  for (const std::int32_t replica : partition.replicas) {
    if (replica != partition.leader && ctx.cluster.topics().is_down(replica))
      partition.in_sync.leave(replica, 0);
  }
}

// `count` brokers by id, from `first` on and round.
inline std::vector<std::int32_t> replicas_from(RequestContext& ctx, std::int32_t first, int count) {
  std::vector<std::int32_t> brokers;
  for (const auto& node : ctx.cluster.nodes()) brokers.push_back(node.id);
  std::sort(brokers.begin(), brokers.end());
  std::rotate(brokers.begin(), std::find(brokers.begin(), brokers.end(), first), brokers.end());
  if (brokers.size() > static_cast<std::size_t>(count))
    brokers.resize(static_cast<std::size_t>(count));
  return brokers;
}

}  // namespace ktrial::fakebroker
