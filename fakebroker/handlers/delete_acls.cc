// SPDX-License-Identifier: Apache-2.0
// DeleteAcls (31), v1-3. An ACL that several filters match is told under each: all filters are
// applied to what there was.
#include "fakebroker/handlers/acl_access.h"
#include "fakebroker/handlers/acl_filter.h"
#include "fakebroker/handlers/handlers.h"
#include "fakebroker/handlers/refusals.h"
#include "fakebroker/request_context.h"
#include "protocol/messages/delete_acls_request.h"
#include "protocol/messages/delete_acls_response.h"

namespace ktrial::fakebroker {
namespace {

using protocol::DeleteAclsRequest;
using protocol::DeleteAclsResponse;
using protocol::KafkaError;
using protocol::delete_acls_response::DeleteAclsFilterResult;

void add(DeleteAclsFilterResult& result, const Acl& acl) {
  auto& matching = result.matching_acls.emplace_back();
  matching.error_message = std::nullopt;
  matching.resource_type = acl.resource_type;
  matching.resource_name = acl.resource_name;
  matching.pattern_type = static_cast<std::int8_t>(acl.pattern_type);
  matching.principal = acl.principal;
  matching.host = acl.host;
  matching.operation = acl.operation;
  matching.permission_type = acl.permission;
}

}  // namespace

Reply delete_acls(RequestContext& ctx, const DeleteAclsRequest& request) {
  Acls& acls = ctx.cluster.acls();
  DeleteAclsResponse response;
  if (const AclAccess access = acl_access(ctx, AclOperation::kAlter);
      access.error != KafkaError::kNone) {
    response.filter_results.resize(request.filters.size());
    for (DeleteAclsFilterResult& result : response.filter_results) {
      result.error_code = code(access.error);
      result.error_message = access.why;
    }
    return response;
  }
  std::vector<AclFilter> filters;
  for (const auto& sent : request.filters) {
    AclFilter filter = acl_filter_of(sent);
    auto& result = response.filter_results.emplace_back();
    result.error_message = Acls::fault_of(filter);
    if (result.error_message) {
      result.error_code = code(KafkaError::kInvalidRequest);
      continue;
    }
    for (const Acl& acl : acls.find(filter)) add(result, acl);
    filters.push_back(std::move(filter));
  }
  for (const AclFilter& filter : filters) acls.erase(filter);
  return response;
}

Reply refuse_delete_acls(RequestContext&, const DeleteAclsRequest& request, std::int16_t error) {
  DeleteAclsResponse response;
  for (std::size_t i = 0; i < request.filters.size(); ++i) {
    auto& result = response.filter_results.emplace_back();
    result.error_code = error;
    result.error_message = std::nullopt;
  }
  return response;
}

}  // namespace ktrial::fakebroker
