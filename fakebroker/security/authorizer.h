// SPDX-License-Identifier: Apache-2.0
// Authorizer: what the ACLs allow, as Kafka's StandardAuthorizer decides: a DENY that matches wins;
// else an ALLOW that matches; else, where a resource has no ACL at all, the default.
#pragma once

#include "fakebroker/security/security_spec.h"
#include "fakebroker/state/acls.h"

#include <cstdint>
#include <string_view>

namespace ktrial::fakebroker {

// Codes of AclOperation and ResourceType.
enum class AclOperation : std::int8_t {
  kAll = 2,
  kRead = 3,
  kWrite = 4,
  kCreate = 5,
  kDelete = 6,
  kAlter = 7,
  kDescribe = 8,
  kClusterAction = 9,
  kDescribeConfigs = 10,
  kAlterConfigs = 11,
  kIdempotentWrite = 12,
};
enum class ResourceType : std::int8_t {
  kTopic = 2,
  kGroup = 3,
  kCluster = 4,
  kTransactionalId = 5,
};

class Authorizer {
 public:
  struct Caller {
    std::string_view principal;  // "User:alice"
    std::string_view host;       // "127.0.0.1"
  };
  Authorizer(const AuthorizerSpec& spec, const Acls& acls) : spec_(spec), acls_(acls) {}

  [[nodiscard]] bool allows(const Caller& caller, AclOperation operation, ResourceType type,
                            std::string_view name) const;
  // On any resource of the type, whatever its name (KIP-679): an ALLOW that no DENY covers.
  [[nodiscard]] bool allows_some(const Caller& caller, AclOperation operation,
                                 ResourceType type) const;
  // Those operations of the bit field that are allowed (KIP-430).
  [[nodiscard]] std::int32_t allowed_of(const Caller& caller, std::int32_t operations,
                                        ResourceType type, std::string_view name) const;

 private:
  [[nodiscard]] bool is_super(const Caller& caller) const;

  const AuthorizerSpec& spec_;
  const Acls& acls_;
};

}  // namespace ktrial::fakebroker
