// SPDX-License-Identifier: Apache-2.0
// AlterShareGroupOffsets (91), v0 (KIP-932): where a share group without members begins. A group
// that is not there is made.
#include "fakebroker/handlers/authorization.h"
#include "fakebroker/handlers/authorization_words.h"
#include "fakebroker/handlers/coordination.h"
#include "fakebroker/handlers/handlers.h"
#include "fakebroker/handlers/refusals.h"
#include "protocol/messages/alter_share_group_offsets_request.h"
#include "protocol/messages/alter_share_group_offsets_response.h"

namespace ktrial::fakebroker {
namespace {

using protocol::AlterShareGroupOffsetsRequest;
using protocol::AlterShareGroupOffsetsResponse;
using protocol::KafkaError;

AlterShareGroupOffsetsResponse failed(KafkaError error, std::string why) {
  AlterShareGroupOffsetsResponse response;
  response.error_code = code(error);
  response.error_message = std::move(why);
  return response;
}

bool knows(const Topic* topic, std::int32_t partition) {
  return topic != nullptr && topic->partition(partition) != nullptr;
}

// nullptr for one that may not be read, too.
const Topic* readable(RequestContext& ctx, const std::string& name) {
  return may_topic(ctx, AclOperation::kRead, name) ? ctx.cluster.topics().find(name) : nullptr;
}

bool knows_any(RequestContext& ctx, const AlterShareGroupOffsetsRequest& request) {
  for (const auto& topic : request.topics) {
    const Topic* const known = readable(ctx, topic.topic_name);
    for (const auto& partition : topic.partitions)
      if (knows(known, partition.partition_index)) return true;
  }
  return false;
}

// `group`: where offsets of what is known are kept.
AlterShareGroupOffsetsResponse answer(RequestContext& ctx,
                                      const AlterShareGroupOffsetsRequest& request,
                                      ShareGroup* group) {
  AlterShareGroupOffsetsResponse response;
  for (const auto& topic : request.topics) {
    auto& result = response.responses.emplace_back();
    result.topic_name = topic.topic_name;
    const bool may_read = may_topic(ctx, AclOperation::kRead, topic.topic_name);
    const Topic* const named = ctx.cluster.topics().find(topic.topic_name);
    const Topic* const known = may_read ? named : nullptr;
    if (named != nullptr) result.topic_id = named->id;
    for (const auto& partition : topic.partitions) {
      auto& entry = result.partitions.emplace_back();
      entry.partition_index = partition.partition_index;
      if (knows(known, partition.partition_index)) {
        group->set_start(known->id, partition.partition_index, partition.start_offset);
      } else if (!may_read) {
        entry.error_code = code(KafkaError::kTopicAuthorizationFailed);
        entry.error_message = words_of_denial(KafkaError::kTopicAuthorizationFailed);
      } else {
        entry.error_code = code(KafkaError::kUnknownTopicOrPartition);
        entry.error_message = "This server does not host this topic-partition.";
      }
    }
  }
  return response;
}

}  // namespace

Reply alter_share_group_offsets(RequestContext& ctx, const AlterShareGroupOffsetsRequest& request) {
  const std::string& id = request.group_id;
  if (!may_group(ctx, AclOperation::kRead, id)) {
    return failed(KafkaError::kGroupAuthorizationFailed,
                  words_of_denial(KafkaError::kGroupAuthorizationFailed));
  }
  if (id.empty()) return failed(KafkaError::kInvalidGroupId, "The group id is invalid.");
  const KafkaError error = check_coordinator(ctx, id);
  if (error != KafkaError::kNone) return failed(error, "This is not the correct coordinator.");
  // A group comes to be with the first offset that is kept for it.
  if (ctx.groups().find(id) == nullptr && !knows_any(ctx, request))
    return answer(ctx, request, nullptr);
  ShareGroup* const group = ctx.groups().open_share(id);
  if (group == nullptr)
    return failed(KafkaError::kGroupIdNotFound, "Group " + id + " is not a share group.");
  if (!group->empty()) return failed(KafkaError::kNonEmptyGroup, "The group is not empty.");
  return answer(ctx, request, group);
}

}  // namespace ktrial::fakebroker
