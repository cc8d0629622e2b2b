// SPDX-License-Identifier: Apache-2.0
// ElectLeaders (43), v0-2: makes the first replica the leader, if it is in sync (preferred), or
// whichever is up where there is no leader (unclean, KIP-460), which may lose records.
#include "fakebroker/handlers/handlers.h"
#include "fakebroker/handlers/refusals.h"
#include "fakebroker/request_context.h"
#include "protocol/messages/elect_leaders_request.h"
#include "protocol/messages/elect_leaders_response.h"

#include <fmt/core.h>

#include <algorithm>

namespace ktrial::fakebroker {
namespace {

using protocol::ElectLeadersRequest;
using protocol::ElectLeadersResponse;
using protocol::KafkaError;
using protocol::elect_leaders_response::PartitionResult;

constexpr std::int8_t kPreferred = 0;
constexpr std::int8_t kUnclean = 1;
constexpr int kNoLeader = -1;

PartitionResult failed(KafkaError error, std::string message) {
  PartitionResult result;
  result.error_code = code(error);
  result.error_message = std::move(message);
  return result;
}

// The one to lead, or kNoLeader.
int candidate(RequestContext& ctx, const Partition& partition, std::int8_t type) {
  const Replication& replication = ctx.cluster.replication();
  if (type == kUnclean) return replication.candidate(partition, true);
  const std::int32_t preferred = partition.replicas.front();
  const bool may =
      replication.can_serve(partition, preferred) && partition.in_sync.find(preferred) == nullptr;
  return may ? preferred : kNoLeader;
}

PartitionResult elect(RequestContext& ctx, Partition& partition, std::int8_t type) {
  const bool has_it = type == kPreferred ? partition.leader == partition.replicas.front()
                                         : partition.leader != kNoLeader;
  if (has_it) {
    return failed(KafkaError::kElectionNotNeeded,
                  "Leader election not needed for topic partition.");
  }
  const int leader = candidate(ctx, partition, type);
  if (leader == kNoLeader) {
    return type == kPreferred ? failed(KafkaError::kPreferredLeaderNotAvailable,
                                       "The preferred leader was not available.")
                              : failed(KafkaError::kEligibleLeadersNotAvailable,
                                       "Eligible topic partition leaders are not available.");
  }
  ctx.cluster.replication().elect(partition, leader);
  PartitionResult result;
  result.error_message = std::nullopt;
  return result;
}

PartitionResult elect(RequestContext& ctx, const std::string& name, std::int32_t index,
                      std::int8_t type) {
  const Topic* const topic = ctx.cluster.topics().find(name);
  if (topic == nullptr)
    return failed(KafkaError::kUnknownTopicOrPartition, "No such topic as " + name);
  Partition* const partition = topic->partition(index);
  if (partition == nullptr) {
    return failed(KafkaError::kUnknownTopicOrPartition,
                  fmt::format("No such partition as {}-{}", name, index));
  }
  return elect(ctx, *partition, type);
}

// Of all partitions, only those that needed one are told of.
void elect_everywhere(RequestContext& ctx, ElectLeadersResponse& response, std::int8_t type) {
  for (const auto& [name, topic] : ctx.cluster.topics().all()) {
    auto& result = response.replica_election_results.emplace_back();
    result.topic = name;
    for (const auto& partition : topic->partitions) {
      PartitionResult one = elect(ctx, *partition, type);
      if (one.error_code == code(KafkaError::kElectionNotNeeded)) continue;
      one.partition_id = partition->index;
      result.partition_result.push_back(std::move(one));
    }
  }
}

template <class ElectOne>
void elect_each(const ElectLeadersRequest& request, ElectLeadersResponse& response,
                ElectOne elect_one) {
  if (!request.topic_partitions) return;
  for (const auto& topic : *request.topic_partitions) {
    auto& result = response.replica_election_results.emplace_back();
    result.topic = topic.topic;
    for (const std::int32_t index : topic.partitions) {
      result.partition_result.push_back(elect_one(topic.topic, index));
      result.partition_result.back().partition_id = index;
    }
  }
}

}  // namespace

Reply elect_leaders(RequestContext& ctx, const ElectLeadersRequest& request) {
  const std::int8_t type = request.election_type;
  ElectLeadersResponse response;
  if (type != kPreferred && type != kUnclean) {
    response.error_code = code(KafkaError::kInvalidRequest);
    elect_each(request, response, [type](const std::string&, std::int32_t) {
      return failed(KafkaError::kInvalidRequest, fmt::format("Unknown election type {}", type));
    });
    return response;
  }
  if (!request.topic_partitions) {
    elect_everywhere(ctx, response, type);
  } else {
    elect_each(request, response, [&](const std::string& topic, std::int32_t index) {
      return elect(ctx, topic, index, type);
    });
  }
  return response;
}

Reply refuse_elect_leaders(RequestContext&, const ElectLeadersRequest& request,
                           std::int16_t error) {
  ElectLeadersResponse response;
  response.error_code = error;
  elect_each(request, response, [error](const std::string&, std::int32_t) {
    PartitionResult result;
    result.error_code = error;
    result.error_message = std::nullopt;
    return result;
  });
  return response;
}

}  // namespace ktrial::fakebroker
