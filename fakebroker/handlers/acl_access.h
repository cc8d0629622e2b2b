// SPDX-License-Identifier: Apache-2.0
// Who may look at ACLs, and change them.
#pragma once

#include "fakebroker/handlers/authorization.h"
#include "protocol/errors.h"

#include <string>

namespace ktrial::fakebroker {

struct AclAccess {
  protocol::KafkaError error = protocol::KafkaError::kNone;
  std::string why = {};
};

// A cluster without an authorizer has no ACLs to speak of.
inline AclAccess acl_access(const RequestContext& ctx, AclOperation operation) {
  using protocol::KafkaError;
  if (!ctx.cluster.spec().security.authorizer.enabled)
    return {KafkaError::kSecurityDisabled, "No Authorizer is configured."};
  if (!may_cluster(ctx, operation))
    return {KafkaError::kClusterAuthorizationFailed, "Cluster authorization failed."};
  return {};
}

}  // namespace ktrial::fakebroker
