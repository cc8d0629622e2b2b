// SPDX-License-Identifier: Apache-2.0
// Assignor: how the leader of a classic group deals partitions out. Pure functions of what the
// members say; the group carries their words (KIP-341, KIP-429).
#pragma once

#include "clients/reference/outcome.h"
#include "common/result.h"
#include "common/slice.h"

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace ktrial::client {

// Two members without instance ids are in order of their ids; with them, of those, and first.
struct MemberKey {
  std::optional<std::string> instance_id = {};
  std::string id = {};

  MemberKey() = default;
  MemberKey(const char* member) : id(member) {}             // NOLINT(google-explicit-constructor)
  MemberKey(std::string member) : id(std::move(member)) {}  // NOLINT(google-explicit-constructor)
  MemberKey(std::optional<std::string> instance, std::string member)
      : instance_id(std::move(instance)), id(std::move(member)) {}

  bool operator==(const MemberKey&) const = default;
  bool operator<(const MemberKey& other) const {
    if (instance_id.has_value() != other.instance_id.has_value()) return instance_id.has_value();
    if (instance_id != other.instance_id) return *instance_id < *other.instance_id;
    return id < other.id;
  }
};

struct MemberSubscription {
  std::set<std::string> topics = {};
  std::vector<TopicPartition> owned = {};
  std::int32_t generation = -1;  // in which it owned them
  Slice user_data = {};
};

using Subscriptions = std::map<MemberKey, MemberSubscription>;
using PartitionCounts = std::map<std::string, std::int32_t>;  // topics without partitions left out
using Assignment = std::map<MemberKey, std::vector<TopicPartition>>;

class Assignor {
 public:
  virtual ~Assignor() = default;

  // As JoinGroup offers it.
  [[nodiscard]] virtual std::string_view name() const = 0;
  // Of the subscription data it needs.
  [[nodiscard]] virtual std::int16_t version() const { return 3; }
  // Members may keep what they own through a rebalance.
  [[nodiscard]] virtual bool cooperative() const { return false; }
  // What this member tells the leader about the assignment it had.
  [[nodiscard]] virtual std::vector<std::uint8_t> user_data(const std::vector<TopicPartition>& had,
                                                            std::int32_t generation) const {
    static_cast<void>(had);
    static_cast<void>(generation);
    return {};
  }
  // Every member is in the answer, every partition that somebody subscribes to at most once, in
  // order. Only a cooperative assignor leaves partitions out: those that their owner must give up
  // before they can be given away.
  [[nodiscard]] virtual Assignment assign(const Subscriptions& subscriptions,
                                          const PartitionCounts& partitions) const = 0;
};

// By short name ("cooperative-sticky") or Java class name ("…CooperativeStickyAssignor"); null if
// there is none.
std::shared_ptr<const Assignor> find_assignor(std::string_view name);

// A comma list of the above, in order of preference. kUnsupported names the one not known.
Result<std::vector<std::shared_ptr<const Assignor>>> parse_assignors(std::string_view list);

}  // namespace ktrial::client
