// SPDX-License-Identifier: Apache-2.0
// CreatePartitions (37), v0-3.
#include "fakebroker/handlers/authorization.h"
#include "fakebroker/handlers/handlers.h"
#include "fakebroker/handlers/mutation_budget.h"
#include "fakebroker/handlers/refusals.h"
#include "fakebroker/handlers/replica_list.h"
#include "fakebroker/request_context.h"
#include "protocol/messages/create_partitions_request.h"
#include "protocol/messages/create_partitions_response.h"

#include <fmt/core.h>

#include <map>

namespace ktrial::fakebroker {
namespace {

using protocol::CreatePartitionsRequest;
using protocol::CreatePartitionsResponse;
using protocol::KafkaError;
using protocol::create_partitions_request::CreatePartitionsTopic;
using protocol::create_partitions_response::CreatePartitionsTopicResult;

// What is wrong with where the client wants them.
std::optional<std::string> fault_of_assignments(RequestContext& ctx, const Topic& topic,
                                                const CreatePartitionsTopic& wanted, int added) {
  if (!wanted.assignments) return std::nullopt;
  if (static_cast<int>(wanted.assignments->size()) != added) {
    return fmt::format("{} partition(s) to add, but {} assignment(s)", added,
                       wanted.assignments->size());
  }
  for (const auto& assignment : *wanted.assignments) {
    if (auto fault = fault_of_replica_list(ctx, assignment.broker_ids)) return fault;
    const std::size_t replicas = topic.partitions.front()->replicas.size();
    if (assignment.broker_ids.size() != replicas) {
      return fmt::format("The topic has {} replica(s) of a partition, the assignment {}.", replicas,
                         assignment.broker_ids.size());
    }
  }
  return std::nullopt;
}

// Where the client wants them, or with as many replicas as the others have.
void place(RequestContext& ctx, Topic& topic, const CreatePartitionsTopic& wanted,
           std::size_t present) {
  const auto replicas = static_cast<int>(topic.partitions.front()->replicas.size());
  for (std::size_t i = present; i < topic.partitions.size(); ++i) {
    Partition& added = *topic.partitions[i];
    if (wanted.assignments) {
      const auto& brokers = (*wanted.assignments)[i - present].broker_ids;
      added.leader = brokers.front();
      place_on(ctx, added, brokers);
    } else {
      place_on(ctx, added, replicas_from(ctx, added.leader, replicas));
    }
  }
}

CreatePartitionsTopicResult grow(RequestContext& ctx, const CreatePartitionsTopic& wanted,
                                 bool validate_only, MutationBudget& budget) {
  CreatePartitionsTopicResult result;
  result.name = wanted.name;
  if (!may_topic(ctx, AclOperation::kAlter, wanted.name)) {
    result.error_code = code(KafkaError::kTopicAuthorizationFailed);
    return result;
  }
  Topic* const topic = ctx.cluster.topics().find(wanted.name);
  if (topic == nullptr) {
    result.error_code = code(KafkaError::kUnknownTopicOrPartition);
    return result;
  }
  const auto present = static_cast<std::int32_t>(topic->partitions.size());
  if (wanted.count > present) {
    if (auto fault = fault_of_assignments(ctx, *topic, wanted, wanted.count - present)) {
      result.error_code = code(KafkaError::kInvalidReplicaAssignment);
      result.error_message = std::move(*fault);
      return result;
    }
  }
  KafkaError error = wanted.count > present ? KafkaError::kNone : KafkaError::kInvalidPartitions;
  if (error == KafkaError::kNone &&
      budget.take(static_cast<std::size_t>(wanted.count - present)) != KafkaError::kNone) {
    result.error_code = code(KafkaError::kThrottlingQuotaExceeded);
    result.error_message = MutationBudget::kWords;
    return result;
  }
  if (error == KafkaError::kNone && !validate_only)
    error = ctx.cluster.topics().grow(*topic, wanted.count);
  if (error == KafkaError::kNone && !validate_only)
    place(ctx, *topic, wanted, static_cast<std::size_t>(present));
  result.error_code = code(error);
  if (error != KafkaError::kNone) {
    result.error_message =
        fmt::format("The topic {} currently has {} partition(s); {} would not be an increase.",
                    wanted.name, present, wanted.count);
  }
  return result;
}

}  // namespace

Reply create_partitions(RequestContext& ctx, const CreatePartitionsRequest& request) {
  constexpr std::int16_t kStrictFrom = 3;
  MutationBudget budget(ctx, kStrictFrom);
  CreatePartitionsResponse response;
  std::map<std::string_view, int> named;
  for (const CreatePartitionsTopic& topic : request.topics) ++named[topic.name];
  for (const CreatePartitionsTopic& topic : request.topics) {
    int& times = named[topic.name];
    if (times == 1) response.results.push_back(grow(ctx, topic, request.validate_only, budget));
    if (times <= 1) continue;
    times = 0;
    auto& result = response.results.emplace_back();
    result.name = topic.name;
    result.error_code = code(KafkaError::kInvalidRequest);
    result.error_message = "Duplicate topic name.";
  }
  response.throttle_time_ms = budget.throttle_ms();
  return response;
}

Reply refuse_create_partitions(RequestContext&, const CreatePartitionsRequest& request,
                               std::int16_t error) {
  CreatePartitionsResponse response;
  for (const CreatePartitionsTopic& topic : request.topics) {
    auto& result = response.results.emplace_back();
    result.name = topic.name;
    result.error_code = error;
  }
  return response;
}

}  // namespace ktrial::fakebroker
