// SPDX-License-Identifier: Apache-2.0
// ACLs: who may do what, kept and filtered. Nobody asks them yet: the brokers have no authorizer.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ktrial::fakebroker {

// ResourceType 2 TOPIC to 7 USER, PatternType, AclOperation 2 ALL to 15 TWO_PHASE_COMMIT and
// AclPermissionType have 0 UNKNOWN and 1 ANY before what an ACL may have.
enum class PatternType : std::int8_t { kAny = 1, kMatch = 2, kLiteral = 3, kPrefixed = 4 };

struct Acl {
  std::int8_t resource_type = 0;
  std::string resource_name;
  PatternType pattern_type = PatternType::kLiteral;
  std::string principal;
  std::string host;
  std::int8_t operation = 0;
  std::int8_t permission = 0;

  auto operator<=>(const Acl&) const = default;
};

// What is null or ANY matches all.
struct AclFilter {
  std::int8_t resource_type = 1;
  std::optional<std::string> resource_name;
  PatternType pattern_type = PatternType::kAny;
  std::optional<std::string> principal;
  std::optional<std::string> host;
  std::int8_t operation = 1;
  std::int8_t permission = 1;

  // Matching (PatternType MATCH) a name finds all that would apply to a resource of it.
  [[nodiscard]] bool matches(const Acl& acl) const;
};

class Acls {
 public:
  // What a broker says against it (INVALID_REQUEST); nothing if it may be.
  [[nodiscard]] static std::optional<std::string> fault_of(const Acl& acl);
  [[nodiscard]] static std::optional<std::string> fault_of(const AclFilter& filter);

  void add(Acl acl) { acls_.insert(std::move(acl)); }
  [[nodiscard]] std::vector<Acl> find(const AclFilter& filter) const;
  // What was erased.
  std::vector<Acl> erase(const AclFilter& filter);

 private:
  std::set<Acl> acls_;  // in order of resource
};

}  // namespace ktrial::fakebroker
