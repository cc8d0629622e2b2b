// SPDX-License-Identifier: Apache-2.0
// OffsetCommit (8), v2-10: topics by name up to v9, by id from v10 on. Offsets never expire.
#include "fakebroker/handlers/authorization.h"
#include "fakebroker/handlers/coordination.h"
#include "fakebroker/handlers/handlers.h"
#include "fakebroker/handlers/refusals.h"
#include "protocol/messages/offset_commit_request.h"
#include "protocol/messages/offset_commit_response.h"

#include <algorithm>

namespace ktrial::fakebroker {
namespace {

using protocol::KafkaError;
using protocol::OffsetCommitRequest;
using protocol::OffsetCommitResponse;
using protocol::offset_commit_request::OffsetCommitRequestPartition;
using protocol::offset_commit_request::OffsetCommitRequestTopic;

constexpr std::int16_t kTopicIdsFrom = 10;
constexpr std::int16_t kMemberEpochFrom = 9;

// Whether the group takes offsets from the sender.
KafkaError check_sender(RequestContext& ctx, const OffsetCommitRequest& request) {
  const KafkaError error = check_coordinator(ctx, request.group_id);
  if (error != KafkaError::kNone) return error;
  const std::int32_t epoch = request.generation_id_or_member_epoch;
  Group* const group = ctx.groups().find(request.group_id);
  if (group == nullptr) {
    if (epoch < 0) return KafkaError::kNone;
    return ctx.version() >= kMemberEpochFrom ? KafkaError::kGroupIdNotFound
                                             : KafkaError::kIllegalGeneration;
  }
  return group->check_commit(request.member_id, request.group_instance_id, epoch, ctx.version());
}

KafkaError commit(RequestContext& ctx, const OffsetCommitRequest& request, const Topic& topic,
                  const OffsetCommitRequestPartition& partition) {
  if (topic.partition(partition.partition_index) == nullptr)
    return KafkaError::kUnknownTopicOrPartition;
  std::string metadata = partition.committed_metadata.value_or("");
  if (metadata.size() > ctx.groups().settings().max_metadata_bytes)
    return KafkaError::kOffsetMetadataTooLarge;
  ctx.groups()
      .open(request.group_id)
      .offsets.commit(
          topic.name, partition.partition_index,
          {partition.committed_offset, partition.committed_leader_epoch, std::move(metadata)});
  return KafkaError::kNone;
}

template <class Error>
OffsetCommitResponse answer(const OffsetCommitRequest& request, Error error_of) {
  OffsetCommitResponse response;
  for (const OffsetCommitRequestTopic& topic : request.topics) {
    auto& topic_result = response.topics.emplace_back();
    topic_result.name = topic.name;
    topic_result.topic_id = topic.topic_id;
    for (const OffsetCommitRequestPartition& partition : topic.partitions) {
      auto& result = topic_result.partitions.emplace_back();
      result.partition_index = partition.partition_index;
      result.error_code = error_of(topic, partition);
    }
  }
  return response;
}

}  // namespace

Reply offset_commit(RequestContext& ctx, const OffsetCommitRequest& request) {
  const bool by_id = ctx.version() >= kTopicIdsFrom;
  const auto find = [&](const OffsetCommitRequestTopic& topic) -> const Topic* {
    return by_id ? ctx.cluster.topics().find(topic.topic_id)
                 : ctx.cluster.topics().find(topic.name);
  };
  // A request that names no known topic never reaches the group.
  const bool any_known = std::any_of(request.topics.begin(), request.topics.end(),
                                     [&](const auto& topic) { return find(topic) != nullptr; });
  const KafkaError refused = any_known ? check_sender(ctx, request) : KafkaError::kNone;
  return answer(request, [&](const OffsetCommitRequestTopic& named,
                             const OffsetCommitRequestPartition& partition) {
    const Topic* const topic = find(named);
    const std::string& name = topic != nullptr ? topic->name : named.name;
    if (!name.empty() && !may_topic(ctx, AclOperation::kRead, name))
      return code(KafkaError::kTopicAuthorizationFailed);
    if (topic == nullptr) {
      return code(by_id ? KafkaError::kUnknownTopicId : KafkaError::kUnknownTopicOrPartition);
    }
    return code(refused != KafkaError::kNone ? refused : commit(ctx, request, *topic, partition));
  });
}

Reply refuse_offset_commit(RequestContext&, const OffsetCommitRequest& request,
                           std::int16_t error) {
  return answer(request, [error](const auto&, const auto&) { return error; });
}

}  // namespace ktrial::fakebroker
