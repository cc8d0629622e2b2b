// SPDX-License-Identifier: Apache-2.0
// CreateAcls (30), v1-3. An ACL that is there already is no fault.
#include "fakebroker/handlers/acl_access.h"
#include "fakebroker/handlers/handlers.h"
#include "fakebroker/handlers/refusals.h"
#include "fakebroker/request_context.h"
#include "protocol/messages/create_acls_request.h"
#include "protocol/messages/create_acls_response.h"

namespace ktrial::fakebroker {

using protocol::CreateAclsRequest;
using protocol::CreateAclsResponse;
using protocol::KafkaError;

Reply create_acls(RequestContext& ctx, const CreateAclsRequest& request) {
  CreateAclsResponse response;
  if (const AclAccess access = acl_access(ctx, AclOperation::kAlter);
      access.error != KafkaError::kNone) {
    response.results.resize(request.creations.size());
    for (auto& result : response.results) {
      result.error_code = code(access.error);
      result.error_message = access.why;
    }
    return response;
  }
  for (const auto& wanted : request.creations) {
    const Acl acl{.resource_type = wanted.resource_type,
                  .resource_name = wanted.resource_name,
                  .pattern_type = static_cast<PatternType>(wanted.resource_pattern_type),
                  .principal = wanted.principal,
                  .host = wanted.host,
                  .operation = wanted.operation,
                  .permission = wanted.permission_type};
    auto& result = response.results.emplace_back();
    result.error_message = Acls::fault_of(acl);
    if (result.error_message) {
      result.error_code = code(KafkaError::kInvalidRequest);
    } else {
      ctx.cluster.acls().add(acl);
    }
  }
  return response;
}

Reply refuse_create_acls(RequestContext&, const CreateAclsRequest& request, std::int16_t error) {
  CreateAclsResponse response;
  for (std::size_t i = 0; i < request.creations.size(); ++i) {
    auto& result = response.results.emplace_back();
    result.error_code = error;
    result.error_message = std::nullopt;
  }
  return response;
}

}  // namespace ktrial::fakebroker
