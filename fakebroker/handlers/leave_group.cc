// SPDX-License-Identifier: Apache-2.0
// LeaveGroup (13), v0-5: one member up to v2, many from v3 on. A member of a KIP-848 group leaves
// through its heartbeat, not here.
#include "fakebroker/handlers/coordination.h"
#include "fakebroker/handlers/handlers.h"
#include "protocol/messages/leave_group_request.h"
#include "protocol/messages/leave_group_response.h"

namespace ktrial::fakebroker {
namespace {

using protocol::KafkaError;

KafkaError leave(RequestContext& ctx, const std::string& group_id, const std::string& member_id,
                 const std::optional<std::string>& instance_id) {
  const Group* const group = ctx.groups().find(group_id);
  if (group == nullptr || !group->classic) return KafkaError::kUnknownMemberId;
  return group->classic->leave(member_id, instance_id);
}

}  // namespace

Reply leave_group(RequestContext& ctx, const protocol::LeaveGroupRequest& request) {
  constexpr std::int16_t kManyMembersFrom = 3;
  protocol::LeaveGroupResponse response;
  const KafkaError error = check_group(ctx, request.group_id);
  response.error_code = code(error);
  if (error != KafkaError::kNone) return response;
  if (ctx.version() < kManyMembersFrom) {
    response.error_code = code(leave(ctx, request.group_id, request.member_id, std::nullopt));
    return response;
  }
  for (const auto& member : request.members) {
    auto& result = response.members.emplace_back();
    result.member_id = member.member_id;
    result.group_instance_id = member.group_instance_id;
    result.error_code =
        code(leave(ctx, request.group_id, member.member_id, member.group_instance_id));
  }
  return response;
}

}  // namespace ktrial::fakebroker
