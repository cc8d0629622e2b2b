// SPDX-License-Identifier: Apache-2.0
// ConsumerGroupHeartbeat (68), v0-1 (KIP-848): joins, keeps alive, assigns and leaves.
#include "fakebroker/handlers/coordination.h"
#include "fakebroker/handlers/handlers.h"
#include "protocol/messages/consumer_group_heartbeat_request.h"
#include "protocol/messages/consumer_group_heartbeat_response.h"

namespace ktrial::fakebroker {
namespace {

using protocol::ConsumerGroupHeartbeatRequest;
using protocol::ConsumerGroupHeartbeatResponse;
using protocol::KafkaError;

ConsumerGroupHeartbeatResponse failed(KafkaError error, std::string message = {}) {
  ConsumerGroupHeartbeatResponse response;
  response.error_code = code(error);
  response.error_message = message.empty() ? std::string(name(error)) : std::move(message);
  return response;
}

}  // namespace

Reply consumer_group_heartbeat(RequestContext& ctx, const ConsumerGroupHeartbeatRequest& request) {
  if (auto refused = ConsumerGroup::refuse(request, ctx.version())) return std::move(*refused);
  const KafkaError error = check_coordinator(ctx, request.group_id);
  if (error != KafkaError::kNone) return failed(error);
  Group* const known = ctx.groups().find(request.group_id);
  const bool joins = request.member_epoch == 0;
  if (known != nullptr && known->share)
    return failed(KafkaError::kGroupIdNotFound,
                  "Group " + request.group_id + " is not a consumer group.");
  if (!joins && (known == nullptr || !known->consumer))
    return failed(KafkaError::kGroupIdNotFound,
                  "Consumer group " + request.group_id + " not found.");
  ConsumerGroup* const group = ctx.groups().open_consumer(request.group_id);
  if (group == nullptr) {
    return failed(
        KafkaError::kGroupIdNotFound,
        "Group " + request.group_id + " is not a consumer group: it has classic members.");
  }
  return group->heartbeat(request, client_of(ctx));
}

}  // namespace ktrial::fakebroker
