// SPDX-License-Identifier: Apache-2.0
// Heartbeat (12), v0-4.
#include "fakebroker/handlers/coordination.h"
#include "fakebroker/handlers/handlers.h"
#include "protocol/messages/heartbeat_request.h"
#include "protocol/messages/heartbeat_response.h"

namespace ktrial::fakebroker {

using protocol::KafkaError;

Reply heartbeat(RequestContext& ctx, const protocol::HeartbeatRequest& request) {
  KafkaError error = check_group(ctx, request.group_id);
  const Group* const group = ctx.groups().find(request.group_id);
  if (error == KafkaError::kNone) {
    error = group == nullptr || !group->classic
                ? KafkaError::kUnknownMemberId
                : group->classic->heartbeat(request.member_id, request.group_instance_id,
                                            request.generation_id);
  }
  protocol::HeartbeatResponse response;
  response.error_code = code(error);
  return response;
}

}  // namespace ktrial::fakebroker
