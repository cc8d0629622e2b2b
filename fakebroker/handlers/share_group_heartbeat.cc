// SPDX-License-Identifier: Apache-2.0
// ShareGroupHeartbeat (76), v1 (KIP-932): joins, keeps alive, assigns and leaves.
#include "fakebroker/handlers/coordination.h"
#include "fakebroker/handlers/handlers.h"
#include "protocol/messages/share_group_heartbeat_request.h"
#include "protocol/messages/share_group_heartbeat_response.h"

namespace ktrial::fakebroker {
namespace {

using protocol::KafkaError;
using protocol::ShareGroupHeartbeatRequest;
using protocol::ShareGroupHeartbeatResponse;

constexpr std::int32_t kJoin = 0;
constexpr std::int32_t kLeave = -1;

ShareGroupHeartbeatResponse failed(KafkaError error, std::optional<std::string> why = {}) {
  ShareGroupHeartbeatResponse response;
  response.error_code = code(error);
  response.error_message = std::move(why);
  return response;
}

}  // namespace

Reply share_group_heartbeat(RequestContext& ctx, const ShareGroupHeartbeatRequest& request) {
  if (auto refused = ShareGroup::refuse(request)) return std::move(*refused);
  const KafkaError error = check_coordinator(ctx, request.group_id);
  if (error != KafkaError::kNone) return failed(error);
  const std::string& id = request.group_id;
  if (ctx.groups().find(id) == nullptr && request.member_epoch != kJoin) {
    const char* const what = request.member_epoch == kLeave ? "Group " : "Share group ";
    return failed(KafkaError::kGroupIdNotFound, what + id + " not found.");
  }
  ShareGroup* const group = ctx.groups().open_share(id);
  if (group == nullptr)
    return failed(KafkaError::kGroupIdNotFound, "Group " + id + " is not a share group.");
  return group->heartbeat(request, client_of(ctx));
}

}  // namespace ktrial::fakebroker
