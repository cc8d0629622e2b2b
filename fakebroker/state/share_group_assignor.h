// SPDX-License-Identifier: Apache-2.0
// The `simple` assignor of share groups (KIP-932): every partition goes to as many members as it
// takes for each member to have one, evenly, and what members have stays where it is if that is
// no obstacle.
#pragma once

#include "fakebroker/state/consumer_group_assignor.h"

namespace ktrial::fakebroker {

inline constexpr std::string_view kShareAssignor = "simple";

struct ShareAssignorInput {
  std::vector<AssignorMember> members = {};
  Assignment partitions = {};  // that may be assigned
};

TargetAssignment assign_shared(const ShareAssignorInput& input);

}  // namespace ktrial::fakebroker
