// SPDX-License-Identifier: Apache-2.0
// JoinGroup (11), v0-9. The answer waits for the other members, and with it the connection.
#include "fakebroker/handlers/coordination.h"
#include "fakebroker/handlers/handlers.h"
#include "protocol/messages/join_group_request.h"
#include "protocol/messages/join_group_response.h"

namespace ktrial::fakebroker {
namespace {

using protocol::JoinGroupRequest;
using protocol::JoinGroupResponse;
using protocol::KafkaError;

constexpr std::int16_t kNullProtocolFrom = 7;

// The group that the member may join, or none and why.
ClassicGroup* open(RequestContext& ctx, const JoinGroupRequest& request, KafkaError& error) {
  error = check_group(ctx, request.group_id);
  if (error != KafkaError::kNone) return nullptr;
  // Before a group is made for nobody.
  if (!ctx.groups().settings().accepts_session(Millis(request.session_timeout_ms))) {
    error = KafkaError::kInvalidSessionTimeout;
    return nullptr;
  }
  // Whoever has a member id must have it from the group.
  if (!request.member_id.empty() && ctx.groups().find(request.group_id) == nullptr) {
    error = KafkaError::kUnknownMemberId;
    return nullptr;
  }
  ClassicGroup* const group = ctx.groups().open_classic(request.group_id);
  if (group == nullptr) error = KafkaError::kInconsistentGroupProtocol;
  return group;
}

}  // namespace

Reply join_group(RequestContext& ctx, const JoinGroupRequest& request) {
  KafkaError error = KafkaError::kNone;
  const std::int16_t version = ctx.version();
  ClassicGroup* const group = open(ctx, request, error);
  const auto send = [version, answer = answer_later<JoinGroupResponse>(ctx)](JoinGroupResponse r) {
    if (version < kNullProtocolFrom && !r.protocol_name) r.protocol_name.emplace();
    answer(std::move(r));
  };
  if (group == nullptr) {
    JoinGroupResponse response;
    response.error_code = code(error);
    response.protocol_name.reset();
    response.member_id = request.member_id;
    send(std::move(response));
  } else {
    group->join(request, ClassicGroup::JoinTraits::of_version(version), client_of(ctx), send);
  }
  return Reply::deferred();
}

}  // namespace ktrial::fakebroker
