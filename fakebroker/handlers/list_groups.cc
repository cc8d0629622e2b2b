// SPDX-License-Identifier: Apache-2.0
// ListGroups (16), v0-5: those that this broker coordinates; filters ignore case.
#include "fakebroker/handlers/authorization.h"
#include "fakebroker/handlers/coordination.h"
#include "fakebroker/handlers/handlers.h"
#include "protocol/messages/list_groups_request.h"
#include "protocol/messages/list_groups_response.h"

#include <algorithm>
#include <cctype>

namespace ktrial::fakebroker {
namespace {

bool same(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) {
    return std::tolower(static_cast<unsigned char>(x)) ==
           std::tolower(static_cast<unsigned char>(y));
  });
}

bool passes(const std::vector<std::string>& filter, std::string_view value) {
  return filter.empty() || std::any_of(filter.begin(), filter.end(),
                                       [value](const auto& wanted) { return same(wanted, value); });
}

}  // namespace

Reply list_groups(RequestContext& ctx, const protocol::ListGroupsRequest& request) {
  protocol::ListGroupsResponse response;
  const bool sees_all = may_cluster(ctx, AclOperation::kDescribe);
  for (const auto& [id, group] : ctx.groups().all()) {
    if (ctx.cluster.coordinator_of(id) != ctx.broker) continue;
    if (!sees_all && !may(ctx, AclOperation::kDescribe, ResourceType::kGroup, id)) continue;
    const std::string_view type = group.type_name();
    if (!passes(request.states_filter, group.state_name()) || !passes(request.types_filter, type))
      continue;
    auto& entry = response.groups.emplace_back();
    entry.group_id = id;
    entry.protocol_type = group.classic ? group.classic->protocol_type() : std::string(type);
    entry.group_state = group.state_name();
    entry.group_type = type;
  }
  return response;
}

}  // namespace ktrial::fakebroker
