// SPDX-License-Identifier: Apache-2.0
// Leadership: the checks that every request to a partition's leader shares, and the hints to the
// new leader that newer versions get with the error (KIP-951).
#pragma once

#include "fakebroker/request_context.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace ktrial::fakebroker {

// In the broker's order: the disk, the epoch, then who leads.
inline protocol::KafkaError check_leader(const RequestContext& ctx, const Partition& partition,
                                         std::int32_t known_epoch = -1) {
  using protocol::KafkaError;
  if (std::ranges::find(partition.offline, ctx.broker) != partition.offline.end())
    return KafkaError::kKafkaStorageError;
  if (known_epoch != -1 && known_epoch < partition.leader_epoch)
    return KafkaError::kFencedLeaderEpoch;
  if (known_epoch != -1 && known_epoch > partition.leader_epoch)
    return KafkaError::kUnknownLeaderEpoch;
  return partition.leader == ctx.broker ? KafkaError::kNone : KafkaError::kNotLeaderOrFollower;
}

inline bool is_replica(const RequestContext& ctx, const Partition& partition) {
  return std::find(partition.replicas.begin(), partition.replicas.end(), ctx.broker) !=
         partition.replicas.end();
}

// For what any replica answers.
inline protocol::KafkaError check_replica(const RequestContext& ctx, const Partition& partition) {
  const protocol::KafkaError error = check_leader(ctx, partition);
  const bool elsewhere = error == protocol::KafkaError::kNotLeaderOrFollower;
  return elsewhere && is_replica(ctx, partition) ? protocol::KafkaError::kNone : error;
}

// Adds the leader's address to a response's endpoints, once.
template <class Endpoint>
void add_endpoint(RequestContext& ctx, std::vector<Endpoint>& endpoints, std::int32_t broker) {
  const Node* const node = ctx.cluster.find_node(broker);
  const bool known = std::any_of(endpoints.begin(), endpoints.end(),
                                 [&](const Endpoint& e) { return e.node_id == broker; });
  if (node == nullptr || known) return;
  Endpoint endpoint;
  endpoint.node_id = node->id;
  auto reached = ctx.endpoint_of(*node);
  endpoint.host = std::move(reached.host);
  endpoint.port = reached.port;
  endpoint.rack = node->rack;
  endpoints.push_back(std::move(endpoint));
}

// What an unknown topic is called: by name, or by id where the version has ids.
inline protocol::KafkaError unknown_topic(const protocol::Uuid& id) {
  return id.is_zero() ? protocol::KafkaError::kUnknownTopicOrPartition
                      : protocol::KafkaError::kUnknownTopicId;
}

}  // namespace ktrial::fakebroker
