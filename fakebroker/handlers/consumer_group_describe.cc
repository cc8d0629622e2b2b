// SPDX-License-Identifier: Apache-2.0
// ConsumerGroupDescribe (69), v0-1: groups of KIP-848.
#include "fakebroker/handlers/authorization.h"
#include "fakebroker/handlers/coordination.h"
#include "fakebroker/handlers/handlers.h"
#include "protocol/messages/consumer_group_describe_request.h"
#include "protocol/messages/consumer_group_describe_response.h"

#include <algorithm>

namespace ktrial::fakebroker {
namespace {

using protocol::KafkaError;
using protocol::consumer_group_describe_response::DescribedGroup;
using protocol::consumer_group_describe_response::Member;

constexpr std::int8_t kConsumerMemberType = 1;

template <class Described>
Described show(RequestContext& ctx, const Assignment& assignment) {
  Described shown;
  for (const auto& [topic_id, partitions] : assignment) {
    const Topic* const topic = ctx.cluster.topics().find(topic_id);
    if (topic == nullptr) continue;
    auto& entry = shown.topic_partitions.emplace_back();
    entry.topic_id = topic_id;
    entry.topic_name = topic->name;
    entry.partitions.assign(partitions.begin(), partitions.end());
  }
  return shown;
}

void describe(RequestContext& ctx, DescribedGroup& result, const ConsumerGroup& group) {
  result.group_state = group.state_name();
  result.group_epoch = group.epoch();
  // Nobody is left to compute a target for.
  result.assignment_epoch = group.members().empty() ? group.epoch() : group.target_epoch();
  result.assignor_name = group.assignor();
  for (const auto& [id, member] : group.members()) {
    Member& entry = result.members.emplace_back();
    entry.member_id = id;
    entry.instance_id = member.instance_id;
    entry.rack_id = member.rack;
    entry.member_epoch = member.epoch;
    entry.client_id = member.client.id;
    entry.client_host = member.client.host;
    entry.subscribed_topic_regex = "";
    entry.subscribed_topic_names.assign(member.subscription.begin(), member.subscription.end());
    entry.assignment = show<decltype(entry.assignment)>(ctx, member.assigned);
    entry.target_assignment = show<decltype(entry.target_assignment)>(ctx, group.target_of(id));
    entry.member_type = kConsumerMemberType;
  }
}

// Of a group that reads what the client may not see nothing else is told.
void hide_unseen(RequestContext& ctx, DescribedGroup& result) {
  const auto may_see = [&](const auto& assignment) {
    return std::ranges::all_of(assignment.topic_partitions, [&](const auto& topic) {
      return may_topic(ctx, AclOperation::kDescribe, topic.topic_name);
    });
  };
  const bool all = std::ranges::all_of(result.members, [&](const auto& member) {
    return may_see(member.assignment) && may_see(member.target_assignment);
  });
  if (all) return;
  DescribedGroup hidden;
  hidden.group_id = result.group_id;
  hidden.error_code = code(KafkaError::kTopicAuthorizationFailed);
  hidden.error_message =
      "The group has described topic(s) that the client is not authorized to describe.";
  result = std::move(hidden);
}

}  // namespace

Reply consumer_group_describe(RequestContext& ctx,
                              const protocol::ConsumerGroupDescribeRequest& request) {
  protocol::ConsumerGroupDescribeResponse response;
  for (const std::string& id : request.group_ids) {
    if (may_group(ctx, AclOperation::kDescribe, id)) continue;
    DescribedGroup& result = response.groups.emplace_back();
    result.group_id = id;
    result.error_code = code(KafkaError::kGroupAuthorizationFailed);
  }
  for (const std::string& id : request.group_ids) {
    if (!may_group(ctx, AclOperation::kDescribe, id)) continue;
    DescribedGroup& result = response.groups.emplace_back();
    result.group_id = id;
    const KafkaError error = check_group(ctx, id);
    result.error_code = code(error);
    if (error != KafkaError::kNone) continue;
    const Group* const group = ctx.groups().find(id);
    if (group != nullptr && group->consumer) {
      describe(ctx, result, *group->consumer);
      if (request.include_authorized_operations)
        result.authorized_operations = may_of(ctx, kGroupOperations, ResourceType::kGroup, id);
      hide_unseen(ctx, result);
      continue;
    }
    result.error_code = code(KafkaError::kGroupIdNotFound);
    result.error_message = group == nullptr ? "Group " + id + " not found."
                                            : "Group " + id + " is not a consumer group.";
  }
  return response;
}

}  // namespace ktrial::fakebroker
