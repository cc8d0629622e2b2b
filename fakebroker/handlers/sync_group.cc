// SPDX-License-Identifier: Apache-2.0
// SyncGroup (14), v0-5. Followers wait for the leader's assignment.
#include "fakebroker/handlers/coordination.h"
#include "fakebroker/handlers/handlers.h"
#include "protocol/messages/sync_group_request.h"
#include "protocol/messages/sync_group_response.h"

namespace ktrial::fakebroker {

using protocol::KafkaError;

Reply sync_group(RequestContext& ctx, const protocol::SyncGroupRequest& request) {
  constexpr std::int16_t kProtocolRequiredFrom = 5;
  // From v5 on a client must say what it takes the protocol to be.
  const bool silent =
      ctx.version() >= kProtocolRequiredFrom && (!request.protocol_type || !request.protocol_name);
  KafkaError error =
      silent ? KafkaError::kInconsistentGroupProtocol : check_group(ctx, request.group_id);
  const Group* const group = ctx.groups().find(request.group_id);
  if (error == KafkaError::kNone && (group == nullptr || !group->classic))
    error = KafkaError::kUnknownMemberId;
  if (error != KafkaError::kNone) {
    protocol::SyncGroupResponse response;
    response.error_code = code(error);
    return response;
  }
  group->classic->sync(request, answer_later<protocol::SyncGroupResponse>(ctx));
  return Reply::deferred();
}

}  // namespace ktrial::fakebroker
