// SPDX-License-Identifier: Apache-2.0
// Server-side assignors of KIP-848: `uniform` balances and keeps what members have, `range` gives
// each member a run of each topic.
#pragma once

#include "protocol/uuid.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace ktrial::fakebroker {

// Partitions by topic id; no topic without partitions.
using Assignment = std::map<protocol::Uuid, std::set<std::int32_t>>;

struct AssignorMember {
  std::string id = {};
  std::optional<std::string> instance_id = {};
  std::set<protocol::Uuid> topics = {};  // subscribed, those that exist
  Assignment current = {};               // its present target
};

struct AssignorInput {
  std::vector<AssignorMember> members = {};
  std::map<protocol::Uuid, std::int32_t> partitions = {};  // how many a topic has
};

// By member id.
using TargetAssignment = std::map<std::string, Assignment>;

bool is_assignor(std::string_view name);
inline constexpr std::string_view kDefaultAssignor = "uniform";
TargetAssignment assign(std::string_view assignor, const AssignorInput& input);

}  // namespace ktrial::fakebroker
