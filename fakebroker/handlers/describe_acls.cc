// SPDX-License-Identifier: Apache-2.0
// DescribeAcls (29), v1-3.
#include "fakebroker/handlers/acl_access.h"
#include "fakebroker/handlers/acl_filter.h"
#include "fakebroker/handlers/handlers.h"
#include "fakebroker/handlers/refusals.h"
#include "fakebroker/request_context.h"
#include "protocol/messages/describe_acls_request.h"
#include "protocol/messages/describe_acls_response.h"

namespace ktrial::fakebroker {
namespace {

using protocol::DescribeAclsRequest;
using protocol::DescribeAclsResponse;
using protocol::KafkaError;
using protocol::describe_acls_response::DescribeAclsResource;

bool is_of(const DescribeAclsResource& resource, const Acl& acl) {
  return resource.resource_type == acl.resource_type &&
         resource.resource_name == acl.resource_name &&
         resource.pattern_type == static_cast<std::int8_t>(acl.pattern_type);
}

}  // namespace

Reply describe_acls(RequestContext& ctx, const DescribeAclsRequest& request) {
  const bool says_unknown = request.resource_type_filter == 0 || request.operation == 0 ||
                            request.pattern_type_filter == 0 || request.permission_type == 0;
  if (says_unknown) return Reply::close("a filter with UNKNOWN elements");
  DescribeAclsResponse response;
  if (const AclAccess access = acl_access(ctx, AclOperation::kDescribe);
      access.error != KafkaError::kNone) {
    response.error_code = code(access.error);
    response.error_message = access.why;
    return response;
  }
  const AclFilter filter = acl_filter_of(request);
  response.error_message = Acls::fault_of(filter);
  if (response.error_message) {
    response.error_code = code(KafkaError::kInvalidRequest);
    return response;
  }
  for (const Acl& acl : ctx.cluster.acls().find(filter)) {  // in order of resource
    if (response.resources.empty() || !is_of(response.resources.back(), acl)) {
      auto& resource = response.resources.emplace_back();
      resource.resource_type = acl.resource_type;
      resource.resource_name = acl.resource_name;
      resource.pattern_type = static_cast<std::int8_t>(acl.pattern_type);
    }
    auto& entry = response.resources.back().acls.emplace_back();
    entry.principal = acl.principal;
    entry.host = acl.host;
    entry.operation = acl.operation;
    entry.permission_type = acl.permission;
  }
  return response;
}

Reply refuse_describe_acls(RequestContext&, const DescribeAclsRequest&, std::int16_t error) {
  DescribeAclsResponse response;
  response.error_code = error;
  response.error_message = std::nullopt;
  return response;
}

}  // namespace ktrial::fakebroker
