// SPDX-License-Identifier: Apache-2.0
// ShareGroupDescribe (77), v1 (KIP-932).
#include "fakebroker/handlers/authorization.h"
#include "fakebroker/handlers/coordination.h"
#include "fakebroker/handlers/handlers.h"
#include "protocol/messages/share_group_describe_request.h"
#include "protocol/messages/share_group_describe_response.h"

#include <algorithm>

namespace ktrial::fakebroker {
namespace {

using protocol::KafkaError;
using protocol::share_group_describe_response::DescribedGroup;

void describe(RequestContext& ctx, DescribedGroup& result, const ShareGroup& group) {
  result.group_state = group.state_name();
  result.group_epoch = group.epoch();
  result.assignment_epoch = group.target_epoch();
  result.assignor_name = kShareAssignor;
  for (const auto& [id, member] : group.members()) {
    auto& entry = result.members.emplace_back();
    entry.member_id = id;
    entry.rack_id = member.rack;
    entry.member_epoch = member.epoch;
    entry.client_id = member.client.id;
    entry.client_host = member.client.host;
    entry.subscribed_topic_names.assign(member.subscription.begin(), member.subscription.end());
    for (const auto& [topic_id, partitions] : member.assigned) {
      const Topic* const topic = ctx.cluster.topics().find(topic_id);
      if (topic == nullptr) continue;
      auto& assigned = entry.assignment.topic_partitions.emplace_back();
      assigned.topic_id = topic_id;
      assigned.topic_name = topic->name;
      assigned.partitions.assign(partitions.begin(), partitions.end());
    }
  }
}

// Of a group that reads what the client may not see nothing else is told.
void hide_unseen(RequestContext& ctx, DescribedGroup& result) {
  const auto may_see = [&](const auto& assignment) {
    return std::ranges::all_of(assignment.topic_partitions, [&](const auto& topic) {
      return may_topic(ctx, AclOperation::kDescribe, topic.topic_name);
    });
  };
  const bool all = std::ranges::all_of(
      result.members, [&](const auto& member) { return may_see(member.assignment); });
  if (all) return;
  DescribedGroup hidden;
  hidden.group_id = result.group_id;
  hidden.error_code = code(KafkaError::kTopicAuthorizationFailed);
  hidden.error_message =
      "The group has described topic(s) that the client is not authorized to describe.";
  result = std::move(hidden);
}

}  // namespace

Reply share_group_describe(RequestContext& ctx,
                           const protocol::ShareGroupDescribeRequest& request) {
  protocol::ShareGroupDescribeResponse response;
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
    if (group != nullptr && group->share) {
      if (request.include_authorized_operations)
        result.authorized_operations = may_of(ctx, kGroupOperations, ResourceType::kGroup, id);
      describe(ctx, result, *group->share);
      hide_unseen(ctx, result);
      continue;
    }
    result.error_code = code(KafkaError::kGroupIdNotFound);
    result.error_message =
        group == nullptr ? "Group " + id + " not found." : "Group " + id + " is not a share group.";
  }
  return response;
}

}  // namespace ktrial::fakebroker
