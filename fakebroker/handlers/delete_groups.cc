// SPDX-License-Identifier: Apache-2.0
// DeleteGroups (42), v0-3: empty ones only.
#include "fakebroker/handlers/authorization.h"
#include "fakebroker/handlers/coordination.h"
#include "fakebroker/handlers/handlers.h"
#include "fakebroker/handlers/refusals.h"
#include "protocol/messages/delete_groups_request.h"
#include "protocol/messages/delete_groups_response.h"

namespace ktrial::fakebroker {
namespace {

using protocol::DeleteGroupsRequest;
using protocol::DeleteGroupsResponse;
using protocol::KafkaError;

KafkaError erase(RequestContext& ctx, const std::string& id) {
  if (!may(ctx, AclOperation::kDelete, ResourceType::kGroup, id))
    return KafkaError::kGroupAuthorizationFailed;
  const KafkaError error = check_coordinator(ctx, id);
  if (error != KafkaError::kNone) return error;
  const Group* const group = ctx.groups().find(id);
  if (group == nullptr) return KafkaError::kGroupIdNotFound;
  if (!group->empty()) return KafkaError::kNonEmptyGroup;
  ctx.groups().erase(id);
  return KafkaError::kNone;
}

}  // namespace

Reply delete_groups(RequestContext& ctx, const DeleteGroupsRequest& request) {
  DeleteGroupsResponse response;
  for (const std::string& id : request.groups_names) {
    auto& result = response.results.emplace_back();
    result.group_id = id;
    const KafkaError error = erase(ctx, id);
    result.error_code = code(error);
  }
  return response;
}

Reply refuse_delete_groups(RequestContext&, const DeleteGroupsRequest& request,
                           std::int16_t error) {
  DeleteGroupsResponse response;
  for (const std::string& id : request.groups_names) {
    auto& result = response.results.emplace_back();
    result.group_id = id;
    result.error_code = error;
  }
  return response;
}

}  // namespace ktrial::fakebroker
