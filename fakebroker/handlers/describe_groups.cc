// SPDX-License-Identifier: Apache-2.0
// DescribeGroups (15), v0-6: classic groups. What is none is "Dead", from v6 on with an error too.
#include "fakebroker/handlers/authorization.h"
#include "fakebroker/handlers/coordination.h"
#include "fakebroker/handlers/handlers.h"
#include "protocol/messages/describe_groups_request.h"
#include "protocol/messages/describe_groups_response.h"

namespace ktrial::fakebroker {
namespace {

using protocol::DescribeGroupsRequest;
using protocol::KafkaError;
using protocol::describe_groups_response::DescribedGroup;

constexpr std::int16_t kNotFoundErrorFrom = 6;

void describe_dead(DescribedGroup& result, std::int16_t version, std::string why) {
  result.group_state = "Dead";
  if (version < kNotFoundErrorFrom) return;
  result.error_code = code(KafkaError::kGroupIdNotFound);
  result.error_message = std::move(why);
}

void describe(DescribedGroup& result, const ClassicGroup& group) {
  // Between generations there is no protocol.
  const bool stable = group.state() == ClassicGroup::State::kStable;
  result.group_state = group.state_name();
  result.protocol_type = group.protocol_type();
  if (stable) result.protocol_data = group.protocol_name();
  for (const auto& [id, member] : group.members()) {
    auto& entry = result.members.emplace_back();
    entry.member_id = id;
    entry.group_instance_id = member.instance_id;
    entry.client_id = member.client.id;
    entry.client_host = member.client.host;
    entry.member_assignment = member.assignment;  // of the last generation that had one
    if (stable) entry.member_metadata = member.metadata(group.protocol_name());
  }
}

}  // namespace

Reply describe_groups(RequestContext& ctx, const DescribeGroupsRequest& request) {
  protocol::DescribeGroupsResponse response;
  for (const std::string& id : request.groups) {
    DescribedGroup& result = response.groups.emplace_back();
    result.group_id = id;
    const KafkaError error = may(ctx, AclOperation::kDescribe, ResourceType::kGroup, id)
                                 ? check_group(ctx, id)
                                 : KafkaError::kGroupAuthorizationFailed;
    result.error_code = code(error);
    if (error != KafkaError::kNone) continue;
    const Group* const group = ctx.groups().find(id);
    if (group == nullptr) {
      describe_dead(result, ctx.version(), "Group " + id + " not found.");
    } else if (!group->classic) {
      describe_dead(result, ctx.version(), "Group " + id + " is not a classic group.");
    } else {
      describe(result, *group->classic);
    }
    if (request.include_authorized_operations && result.error_code == 0)
      result.authorized_operations = may_of(ctx, kGroupOperations, ResourceType::kGroup, id);
  }
  return response;
}

}  // namespace ktrial::fakebroker
