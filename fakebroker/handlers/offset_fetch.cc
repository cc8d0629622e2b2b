// SPDX-License-Identifier: Apache-2.0
// OffsetFetch (9), v1-10: one group up to v7, many from v8 on; topics by name up to v9, by id from
// v10 on. With require_stable, an offset that a transaction is about to commit is not told.
#include "fakebroker/handlers/authorization.h"
#include "fakebroker/handlers/coordination.h"
#include "fakebroker/handlers/handlers.h"
#include "protocol/messages/offset_fetch_request.h"
#include "protocol/messages/offset_fetch_response.h"

namespace ktrial::fakebroker {
namespace {

using protocol::KafkaError;
using protocol::OffsetFetchRequest;
using protocol::OffsetFetchResponse;
using protocol::offset_fetch_request::OffsetFetchRequestGroup;
using protocol::offset_fetch_request::OffsetFetchRequestTopics;
using protocol::offset_fetch_response::OffsetFetchResponseGroup;
using protocol::offset_fetch_response::OffsetFetchResponsePartitions;
using protocol::offset_fetch_response::OffsetFetchResponseTopics;

constexpr std::int16_t kManyGroupsFrom = 8;
constexpr std::int16_t kTopicIdsFrom = 10;
constexpr std::int16_t kGroupErrorFrom = 2;

KafkaError check_sender(RequestContext& ctx, const OffsetFetchRequestGroup& request) {
  if (!may(ctx, AclOperation::kDescribe, ResourceType::kGroup, request.group_id))
    return KafkaError::kGroupAuthorizationFailed;
  const KafkaError error = check_coordinator(ctx, request.group_id);
  const Group* const group = ctx.groups().find(request.group_id);
  if (error != KafkaError::kNone || group == nullptr || !group->consumer) return error;
  return group->consumer->check_fetch(request.member_id, request.member_epoch);
}

OffsetFetchResponsePartitions show(const Group* group, std::string_view topic,
                                   std::int32_t partition, bool require_stable) {
  OffsetFetchResponsePartitions shown;
  shown.partition_index = partition;
  if (require_stable && group != nullptr && group->offsets.is_unstable(topic, partition)) {
    shown.committed_offset = -1;
    shown.metadata = "";
    shown.error_code = code(KafkaError::kUnstableOffsetCommit);
    return shown;
  }
  const CommittedOffset committed =
      group == nullptr ? CommittedOffset() : group->offsets.find(topic, partition);
  shown.committed_offset = committed.offset;
  shown.committed_leader_epoch = committed.leader_epoch;
  shown.metadata = committed.metadata;
  return shown;
}

// `group` may be none: then nothing was committed, which is no error.
OffsetFetchResponseTopics fetch(RequestContext& ctx, const Group* group,
                                const OffsetFetchRequestTopics& wanted, bool require_stable) {
  OffsetFetchResponseTopics result;
  result.name = wanted.name;
  result.topic_id = wanted.topic_id;
  std::string name = wanted.name;
  const bool by_id = ctx.version() >= kTopicIdsFrom;
  const Topic* const topic = by_id ? ctx.cluster.topics().find(wanted.topic_id) : nullptr;
  if (topic != nullptr) name = topic->name;
  const bool may_describe = name.empty() || may_topic(ctx, AclOperation::kDescribe, name);
  for (const std::int32_t partition : wanted.partition_indexes) {
    // Of what it may not see, it is told no offset.
    result.partitions.push_back(
        show(may_describe ? group : nullptr, name, partition, require_stable));
    if (!may_describe)
      result.partitions.back().error_code = code(KafkaError::kTopicAuthorizationFailed);
    if (by_id && topic == nullptr)
      result.partitions.back().error_code = code(KafkaError::kUnknownTopicId);
  }
  return result;
}

std::vector<OffsetFetchResponseTopics> fetch_all(RequestContext& ctx, const Group& group,
                                                 bool require_stable) {
  std::vector<OffsetFetchResponseTopics> topics;
  for (const auto& [name, partitions] : group.offsets.all()) {
    const Topic* const topic = ctx.cluster.topics().find(name);
    if (topic == nullptr || !may_topic(ctx, AclOperation::kDescribe, name)) continue;
    auto& result = topics.emplace_back();
    result.name = name;
    result.topic_id = topic->id;
    for (const auto& [partition, committed] : partitions)
      result.partitions.push_back(show(&group, name, partition, require_stable));
  }
  return topics;
}

OffsetFetchResponseGroup fetch(RequestContext& ctx, const OffsetFetchRequestGroup& request,
                               bool require_stable) {
  OffsetFetchResponseGroup result;
  result.group_id = request.group_id;
  const KafkaError error = check_sender(ctx, request);
  result.error_code = code(error);
  if (error != KafkaError::kNone) return result;
  const Group* const group = ctx.groups().find(request.group_id);
  if (!request.topics) {
    if (group != nullptr) result.topics = fetch_all(ctx, *group, require_stable);
    return result;
  }
  for (const OffsetFetchRequestTopics& topic : *request.topics)
    result.topics.push_back(fetch(ctx, group, topic, require_stable));
  return result;
}

OffsetFetchRequestGroup as_group(const OffsetFetchRequest& request) {
  OffsetFetchRequestGroup group;
  group.group_id = request.group_id;
  if (!request.topics) {
    group.topics.reset();
    return group;
  }
  group.topics.emplace();
  for (const auto& topic : *request.topics) {
    auto& entry = group.topics->emplace_back();
    entry.name = topic.name;
    entry.partition_indexes = topic.partition_indexes;
  }
  return group;
}

void add_topic(OffsetFetchResponse& response, const OffsetFetchResponseTopics& topic) {
  auto& entry = response.topics.emplace_back();
  entry.name = topic.name;
  for (const OffsetFetchResponsePartitions& partition : topic.partitions) {
    auto& shown = entry.partitions.emplace_back();
    shown.partition_index = partition.partition_index;
    shown.committed_offset = partition.committed_offset;
    shown.committed_leader_epoch = partition.committed_leader_epoch;
    shown.metadata = partition.metadata;
    shown.error_code = partition.error_code;
  }
}

// Before v2 there is no place for a group's error but with each partition.
void add_partition_errors(OffsetFetchResponse& response, const OffsetFetchRequestGroup& request) {
  for (const OffsetFetchRequestTopics& topic : *request.topics) {
    auto& entry = response.topics.emplace_back();
    entry.name = topic.name;
    for (const std::int32_t partition : topic.partition_indexes) {
      auto& shown = entry.partitions.emplace_back();
      shown.partition_index = partition;
      shown.committed_offset = -1;
      shown.metadata = "";
      shown.error_code = response.error_code;
    }
  }
}

}  // namespace

Reply offset_fetch(RequestContext& ctx, const OffsetFetchRequest& request) {
  OffsetFetchResponse response;
  if (ctx.version() >= kManyGroupsFrom) {
    for (const OffsetFetchRequestGroup& group : request.groups)
      response.groups.push_back(fetch(ctx, group, request.require_stable));
    return response;
  }
  const OffsetFetchRequestGroup group = as_group(request);
  const OffsetFetchResponseGroup result = fetch(ctx, group, request.require_stable);
  response.error_code = result.error_code;
  for (const OffsetFetchResponseTopics& topic : result.topics) add_topic(response, topic);
  if (response.error_code != 0 && ctx.version() < kGroupErrorFrom)
    add_partition_errors(response, group);
  return response;
}

}  // namespace ktrial::fakebroker
