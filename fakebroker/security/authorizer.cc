// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/security/authorizer.h"

#include <algorithm>
#include <array>
#include <string>

namespace ktrial::fakebroker {
namespace {

constexpr std::int8_t kDeny = 2;
constexpr std::int8_t kAllow = 3;
constexpr std::string_view kAnyPrincipal = "User:*";
constexpr std::string_view kAny = "*";

bool is_about(const Acl& acl, const Authorizer::Caller& caller) {
  return (acl.principal == caller.principal || acl.principal == kAnyPrincipal) &&
         (acl.host == caller.host || acl.host == kAny);
}

template <std::size_t kSize>
bool is_one_of(std::int8_t code, const std::array<AclOperation, kSize>& operations) {
  return std::ranges::any_of(
      operations, [code](AclOperation each) { return static_cast<std::int8_t>(each) == code; });
}

// Who may read a topic may see that it is there.
bool implied(AclOperation wanted, std::int8_t allowed) {
  using Op = AclOperation;
  if (wanted == Op::kDescribe)
    return is_one_of(allowed, std::array{Op::kRead, Op::kWrite, Op::kDelete, Op::kAlter});
  return wanted == Op::kDescribeConfigs && is_one_of(allowed, std::array{Op::kAlterConfigs});
}

bool covers(const Acl& acl, AclOperation operation) {
  return acl.operation == static_cast<std::int8_t>(operation) ||
         acl.operation == static_cast<std::int8_t>(AclOperation::kAll) ||
         (acl.permission == kAllow && implied(operation, acl.operation));
}

AclFilter of_type(ResourceType type) {
  AclFilter filter;
  filter.resource_type = static_cast<std::int8_t>(type);
  return filter;
}

// All that apply to a resource of this name.
AclFilter of_resource_named(ResourceType type, std::string_view name) {
  AclFilter filter = of_type(type);
  filter.resource_name = name;
  filter.pattern_type = PatternType::kMatch;
  return filter;
}

// Whether every name that `allow` is about is denied by `deny`.
bool dominates(const Acl& deny, const Acl& allow) {
  if (deny.resource_name == kAny) return true;
  if (deny.pattern_type == PatternType::kPrefixed)
    return allow.resource_name.starts_with(deny.resource_name) && allow.resource_name != kAny;
  return allow.pattern_type == PatternType::kLiteral && deny.resource_name == allow.resource_name;
}

}  // namespace

bool Authorizer::is_super(const Caller& caller) const {
  return std::ranges::find(spec_.super_users, caller.principal) != spec_.super_users.end();
}

bool Authorizer::allows(const Caller& caller, AclOperation operation, ResourceType type,
                        std::string_view name) const {
  if (is_super(caller)) return true;
  const std::vector<Acl> of_resource = acls_.find(of_resource_named(type, name));
  if (of_resource.empty()) return spec_.allow_if_no_acl;
  bool allowed = false;
  for (const Acl& acl : of_resource) {
    if (!is_about(acl, caller) || !covers(acl, operation)) continue;
    if (acl.permission == kDeny) return false;
    allowed = true;
  }
  return allowed;
}

bool Authorizer::allows_some(const Caller& caller, AclOperation operation,
                             ResourceType type) const {
  if (is_super(caller)) return true;
  std::vector<Acl> allowing;
  std::vector<Acl> denying;
  for (const Acl& acl : acls_.find(of_type(type))) {
    if (is_about(acl, caller) && covers(acl, operation))
      (acl.permission == kDeny ? denying : allowing).push_back(acl);
  }
  const auto is_left = [&](const Acl& allow) {
    return std::ranges::none_of(denying, [&](const Acl& deny) { return dominates(deny, allow); });
  };
  if (std::ranges::any_of(allowing, is_left)) return true;
  const bool all_denied =
      std::ranges::any_of(denying, [](const Acl& deny) { return deny.resource_name == kAny; });
  return spec_.allow_if_no_acl && !all_denied;
}

std::int32_t Authorizer::allowed_of(const Caller& caller, std::int32_t operations,
                                    ResourceType type, std::string_view name) const {
  std::int32_t allowed = 0;
  constexpr int kMostOperations = 31;
  for (int code = 0; code < kMostOperations; ++code) {
    const std::int32_t bit = std::int32_t{1} << code;
    if ((operations & bit) != 0 && allows(caller, static_cast<AclOperation>(code), type, name))
      allowed |= bit;
  }
  return allowed;
}

}  // namespace ktrial::fakebroker
