// SPDX-License-Identifier: Apache-2.0
// DescribeTopicPartitions (75), v0 (KIP-966): topics in order of name, at most `limit` partitions a
// page, with a cursor to the next one.
#include "fakebroker/handlers/authorization.h"
#include "fakebroker/handlers/handlers.h"
#include "fakebroker/request_context.h"
#include "protocol/messages/describe_topic_partitions_request.h"
#include "protocol/messages/describe_topic_partitions_response.h"

#include <algorithm>
#include <set>

namespace ktrial::fakebroker {
namespace {

using protocol::DescribeTopicPartitionsRequest;
using protocol::DescribeTopicPartitionsResponse;
using protocol::KafkaError;
using protocol::describe_topic_partitions_response::Cursor;
using protocol::describe_topic_partitions_response::DescribeTopicPartitionsResponsePartition;

constexpr std::int32_t kMostPartitions = 2000;  // max.request.partition.size.limit

std::set<std::string> wanted_names(RequestContext& ctx,
                                   const DescribeTopicPartitionsRequest& request) {
  std::set<std::string> names;
  for (const auto& topic : request.topics) names.insert(topic.name);
  if (request.topics.empty()) {
    for (const auto& [name, topic] : ctx.cluster.topics().all()) names.insert(name);
  }
  if (request.cursor) names.erase(names.begin(), names.lower_bound(request.cursor->topic_name));
  return names;
}

DescribeTopicPartitionsResponsePartition describe(const RequestContext& ctx,
                                                  const Partition& partition) {
  DescribeTopicPartitionsResponsePartition response;
  response.partition_index = partition.index;
  response.leader_id = partition.leader;
  response.leader_epoch = partition.leader_epoch;
  response.replica_nodes = partition.replicas;
  response.isr_nodes = partition.in_sync.of(partition.replicas);
  response.offline_replicas = ctx.cluster.offline_replicas(partition);
  auto& eligible = response.eligible_leader_replicas.emplace();
  for (const auto& behind : partition.in_sync.behind()) {
    if (behind.eligible) eligible.push_back(behind.broker);
  }
  response.last_known_elr.emplace();
  return response;
}

}  // namespace

Reply describe_topic_partitions(RequestContext& ctx,
                                const DescribeTopicPartitionsRequest& request) {
  DescribeTopicPartitionsResponse response;
  if (request.cursor && request.cursor->partition_index < 0) {
    for (const auto& wanted : request.topics) {
      auto& topic = response.topics.emplace_back();
      topic.name = wanted.name;
      topic.error_code = code(KafkaError::kInvalidRequest);
    }
    return response;
  }
  std::int32_t room = std::clamp(request.response_partition_limit, 1, kMostPartitions);
  std::vector<std::string> refused;  // told last; not at all if they were not named
  for (const std::string& name : wanted_names(ctx, request)) {
    if (!may_topic(ctx, AclOperation::kDescribe, name)) {
      if (!request.topics.empty()) refused.push_back(name);
      continue;
    }
    const Topic* const found = ctx.cluster.topics().find(name);
    const bool resumed = request.cursor && request.cursor->topic_name == name;
    std::size_t next =
        resumed ? static_cast<std::size_t>(std::max(request.cursor->partition_index, 0)) : 0;
    if (room == 0) {
      response.next_cursor = Cursor{name, static_cast<std::int32_t>(next), {}};
      break;
    }
    auto& topic = response.topics.emplace_back();
    topic.name = name;
    topic.topic_authorized_operations = may_of(ctx, kTopicOperations, ResourceType::kTopic, name);
    if (found == nullptr) {
      topic.error_code = code(Topics::is_valid_name(name) ? KafkaError::kUnknownTopicOrPartition
                                                          : KafkaError::kInvalidTopicException);
      continue;
    }
    topic.topic_id = found->id;
    topic.is_internal = found->internal;
    for (; next < found->partitions.size() && room > 0; ++next, --room)
      topic.partitions.push_back(describe(ctx, *found->partitions[next]));
    if (next < found->partitions.size()) {
      response.next_cursor = Cursor{name, static_cast<std::int32_t>(next), {}};
      break;
    }
  }
  for (std::string& name : refused) {
    auto& topic = response.topics.emplace_back();
    topic.name = std::move(name);
    topic.error_code = code(KafkaError::kTopicAuthorizationFailed);
  }
  return response;
}

}  // namespace ktrial::fakebroker
