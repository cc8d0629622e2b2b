// SPDX-License-Identifier: Apache-2.0
// AlterPartitionReassignments (45), v0-1 (KIP-455): gives partitions other replicas. It takes place
// at once, so that none is ever under way.
#include "fakebroker/handlers/handlers.h"
#include "fakebroker/handlers/refusals.h"
#include "fakebroker/handlers/replica_list.h"
#include "fakebroker/request_context.h"
#include "protocol/messages/alter_partition_reassignments_request.h"
#include "protocol/messages/alter_partition_reassignments_response.h"

#include <fmt/core.h>

#include <algorithm>

namespace ktrial::fakebroker {
namespace {

using protocol::AlterPartitionReassignmentsRequest;
using protocol::AlterPartitionReassignmentsResponse;
using protocol::KafkaError;
using protocol::alter_partition_reassignments_request::ReassignablePartition;
using protocol::alter_partition_reassignments_response::ReassignablePartitionResponse;

struct Fault {
  KafkaError error;
  std::string message;
};

// The leader stays if it may.
int leader_of(RequestContext& ctx, const Partition& partition,
              const std::vector<std::int32_t>& replicas) {
  const auto found = std::find(replicas.begin(), replicas.end(), partition.leader);
  if (found != replicas.end()) return *found;
  const auto up = std::find_if(replicas.begin(), replicas.end(),
                               [&ctx](std::int32_t broker) { return ctx.cluster.is_up(broker); });
  return up == replicas.end() ? -1 : *up;
}

std::optional<Fault> reassign(RequestContext& ctx, const std::string& name,
                              const ReassignablePartition& wanted, bool may_change_factor) {
  const Topic* const topic = ctx.cluster.topics().find(name);
  if (topic == nullptr) {
    return Fault{KafkaError::kUnknownTopicOrPartition,
                 fmt::format("Unable to find a topic named {}.", name)};
  }
  Partition* const partition = topic->partition(wanted.partition_index);
  if (partition == nullptr) {
    return Fault{KafkaError::kUnknownTopicOrPartition,
                 fmt::format("Unable to find partition {}:{}.", name, wanted.partition_index)};
  }
  if (!wanted.replicas) {
    return Fault{KafkaError::kNoReassignmentInProgress, {}};
  }
  if (auto fault = fault_of_replica_list(ctx, *wanted.replicas))
    return Fault{KafkaError::kInvalidReplicaAssignment, std::move(*fault)};
  if (!may_change_factor && wanted.replicas->size() != partition->replicas.size()) {
    return Fault{KafkaError::kInvalidReplicationFactor,
                 fmt::format("The replication factor is changed from {} to {}",
                             partition->replicas.size(), wanted.replicas->size())};
  }
  ctx.cluster.replication().reassign(*partition, *wanted.replicas,
                                     leader_of(ctx, *partition, *wanted.replicas));
  return std::nullopt;
}

}  // namespace

Reply alter_partition_reassignments(RequestContext& ctx,
                                    const AlterPartitionReassignmentsRequest& request) {
  AlterPartitionReassignmentsResponse response;
  if (!request.topics.empty()) response.error_message = std::nullopt;
  response.allow_replication_factor_change = request.allow_replication_factor_change;
  for (const auto& wanted : request.topics) {
    auto& topic = response.responses.emplace_back();
    topic.name = wanted.name;
    for (const ReassignablePartition& partition : wanted.partitions) {
      const auto fault =
          reassign(ctx, wanted.name, partition, request.allow_replication_factor_change);
      ReassignablePartitionResponse& result = topic.partitions.emplace_back();
      result.partition_index = partition.partition_index;
      result.error_code = fault ? code(fault->error) : std::int16_t{0};
      result.error_message = std::nullopt;
      if (fault && !fault->message.empty()) result.error_message = fault->message;
    }
  }
  return response;
}

Reply refuse_alter_partition_reassignments(RequestContext&,
                                           const AlterPartitionReassignmentsRequest& request,
                                           std::int16_t error) {
  AlterPartitionReassignmentsResponse response;
  response.error_code = error;
  response.error_message = std::nullopt;
  for (const auto& wanted : request.topics) {
    auto& topic = response.responses.emplace_back();
    topic.name = wanted.name;
    for (const ReassignablePartition& partition : wanted.partitions) {
      ReassignablePartitionResponse& result = topic.partitions.emplace_back();
      result.partition_index = partition.partition_index;
      result.error_code = error;
      result.error_message = std::nullopt;
    }
  }
  return response;
}

}  // namespace ktrial::fakebroker
