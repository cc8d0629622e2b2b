// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/state/acls.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <string_view>

namespace ktrial::fakebroker {
namespace {

constexpr std::int8_t kAny = 1;
constexpr std::int8_t kCluster = 4;
constexpr std::int8_t kLastResourceType = 7;
constexpr std::int8_t kLastOperation = 15;
constexpr std::int8_t kDeny = 2;
constexpr std::int8_t kAllow = 3;
constexpr std::string_view kClusterName = "kafka-cluster";
constexpr std::string_view kAllNames = "*";

bool is_one(std::int8_t code, std::int8_t last) { return code > kAny && code <= last; }
bool is_one_or_any(std::int8_t code, std::int8_t last) { return code >= kAny && code <= last; }
std::string_view any_or_unknown(std::int8_t code) { return code == kAny ? "ANY" : "UNKNOWN"; }

template <class T>
bool allows(const std::optional<T>& wanted, const T& value) {
  return !wanted || *wanted == value;
}
bool allows(std::int8_t wanted, std::int8_t value) { return wanted == kAny || wanted == value; }

std::string fault_of_pattern(PatternType type) {
  if (type == PatternType::kMatch) return "Invalid patternType MATCH";
  return fmt::format("Invalid patternType {}", any_or_unknown(static_cast<std::int8_t>(type)));
}

}  // namespace

bool AclFilter::matches(const Acl& acl) const {
  if (!allows(resource_type, acl.resource_type) || !allows(principal, acl.principal) ||
      !allows(host, acl.host) || !allows(operation, acl.operation) ||
      !allows(permission, acl.permission))
    return false;
  const bool matching = pattern_type == PatternType::kMatch;
  if (!matching && pattern_type != PatternType::kAny && pattern_type != acl.pattern_type)
    return false;
  if (!resource_name || *resource_name == acl.resource_name) return true;
  if (!matching) return false;
  return acl.pattern_type == PatternType::kPrefixed ? resource_name->starts_with(acl.resource_name)
                                                    : acl.resource_name == kAllNames;
}

std::optional<std::string> Acls::fault_of(const Acl& acl) {
  if (acl.resource_type == kCluster && acl.resource_name != kClusterName)
    return fmt::format("The only valid name for the CLUSTER resource is {}", kClusterName);
  if (acl.resource_name.empty()) return "Invalid empty resource name";
  if (!is_one(acl.resource_type, kLastResourceType))
    return fmt::format("Invalid resourceType {}", any_or_unknown(acl.resource_type));
  if (acl.pattern_type != PatternType::kLiteral && acl.pattern_type != PatternType::kPrefixed)
    return fault_of_pattern(acl.pattern_type);
  if (!is_one(acl.operation, kLastOperation))
    return fmt::format("Invalid operation {}", any_or_unknown(acl.operation));
  if (acl.permission != kDeny && acl.permission != kAllow)
    return fmt::format("Invalid permissionType {}", any_or_unknown(acl.permission));
  if (acl.principal.find(':') == std::string::npos) {
    return fmt::format(
        "Could not parse principal from `{}` (no colon is present separating the principal type "
        "from the principal name)",
        acl.principal);
  }
  return std::nullopt;
}

std::optional<std::string> Acls::fault_of(const AclFilter& filter) {
  const bool pattern_known = is_one_or_any(filter.resource_type, kLastResourceType) &&
                             filter.pattern_type >= PatternType::kAny &&
                             filter.pattern_type <= PatternType::kPrefixed;
  if (!pattern_known) return "Unknown patternFilter.";
  const bool entry_known =
      is_one_or_any(filter.operation, kLastOperation) && is_one_or_any(filter.permission, kAllow);
  return entry_known ? std::nullopt : std::optional<std::string>("Unknown entryFilter.");
}

std::vector<Acl> Acls::find(const AclFilter& filter) const {
  std::vector<Acl> found;
  std::copy_if(acls_.begin(), acls_.end(), std::back_inserter(found),
               [&filter](const Acl& acl) { return filter.matches(acl); });
  return found;
}

std::vector<Acl> Acls::erase(const AclFilter& filter) {
  std::vector<Acl> found = find(filter);
  for (const Acl& acl : found) acls_.erase(acl);
  return found;
}

}  // namespace ktrial::fakebroker
