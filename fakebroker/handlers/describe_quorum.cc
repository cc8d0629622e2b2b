// SPDX-License-Identifier: Apache-2.0
// DescribeQuorum (55), v0-2 (KIP-595): every broker is a controller too, and none is behind.
#include "fakebroker/handlers/authorization.h"
#include "fakebroker/handlers/authorization_words.h"
#include "fakebroker/handlers/handlers.h"
#include "fakebroker/request_context.h"
#include "protocol/messages/describe_quorum_request.h"
#include "protocol/messages/describe_quorum_response.h"

#include <string_view>

namespace ktrial::fakebroker {
namespace {

using protocol::DescribeQuorumRequest;
using protocol::DescribeQuorumResponse;
using protocol::KafkaError;
using protocol::describe_quorum_response::PartitionData;

constexpr std::string_view kMetadataTopic = "__cluster_metadata";
constexpr std::int32_t kEpoch = 1;

bool is_metadata(const DescribeQuorumRequest& request) {
  return request.topics.size() == 1 && request.topics[0].topic_name == kMetadataTopic &&
         request.topics[0].partitions.size() == 1 &&
         request.topics[0].partitions[0].partition_index == 0;
}

void describe(RequestContext& ctx, PartitionData& partition) {
  const std::int64_t now = ctx.cluster.clock().wall_ms();
  partition.leader_id = ctx.cluster.controller();
  partition.leader_epoch = kEpoch;
  partition.high_watermark = ctx.cluster.metadata_end_offset();
  for (const Node& node : ctx.cluster.nodes()) {
    auto& voter = partition.current_voters.emplace_back();
    voter.replica_id = node.id;
    voter.log_end_offset = node.up ? partition.high_watermark : -1;
    voter.last_fetch_timestamp = node.up ? now : -1;
    voter.last_caught_up_timestamp = node.up ? now : -1;
  }
}

}  // namespace

Reply describe_quorum(RequestContext& ctx, const DescribeQuorumRequest& request) {
  DescribeQuorumResponse response;
  if (!may_cluster(ctx, AclOperation::kDescribe)) {
    response.error_code = code(KafkaError::kClusterAuthorizationFailed);
    response.error_message = words_of_denial(KafkaError::kClusterAuthorizationFailed);
    return response;
  }
  const bool known = is_metadata(request);
  for (const auto& wanted : request.topics) {
    auto& topic = response.topics.emplace_back();
    topic.topic_name = wanted.topic_name;
    for (const auto& partition : wanted.partitions) {
      PartitionData& result = topic.partitions.emplace_back();
      result.partition_index = partition.partition_index;
      if (known) {
        describe(ctx, result);
      } else {
        result.error_code = code(KafkaError::kUnknownTopicOrPartition);
        result.error_message = "This server does not host this topic-partition.";
      }
    }
  }
  if (!known) return response;
  for (const Node& node : ctx.cluster.nodes()) {
    auto& described = response.nodes.emplace_back();
    described.node_id = node.id;
    auto& listener = described.listeners.emplace_back();
    listener.name = "CONTROLLER";
    listener.host = node.host;
    listener.port = node.port;
  }
  return response;
}

}  // namespace ktrial::fakebroker
