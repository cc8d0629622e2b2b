// SPDX-License-Identifier: Apache-2.0
// ConsumerMember: a member of a KIP-848 group, and the one step that a heartbeat takes towards its
// target assignment.
#pragma once

#include "fakebroker/state/consumer_group_assignor.h"
#include "fakebroker/state/group_types.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>

namespace ktrial::fakebroker {

struct ConsumerMember {
  enum class State : std::uint8_t {
    kStable,      // has its target
    kUnrevoked,   // must give up some first, its epoch waits for that
    kUnreleased,  // waits for others to give up some
  };

  std::string id = {};
  std::optional<std::string> instance_id = {};
  std::optional<std::string> rack = {};
  std::optional<std::string> assignor = {};
  std::set<std::string> subscription = {};
  GroupClient client = {};
  Millis rebalance_timeout{0};
  std::int32_t epoch = 0;
  std::int32_t previous_epoch = -1;
  State state = State::kStable;
  Assignment assigned = {};
  Assignment revoking = {};  // taken from it, not known to be given up
  TimerService::Id session_timer = 0;
  TimerService::Id revocation_timer = 0;

  void move_to(std::int32_t new_epoch) {
    if (new_epoch != epoch) previous_epoch = std::exchange(epoch, new_epoch);
  }
};

// Whether any member holds the partition, assigned or still to be revoked.
using IsHeld = std::function<bool(const protocol::Uuid& topic, std::int32_t partition)>;

// `owned` is what the member says it has; none if it did not say.
void reconcile(ConsumerMember& member, std::int32_t target_epoch, const Assignment& target,
               const std::optional<Assignment>& owned, const IsHeld& is_held);

bool is_subset(const Assignment& part, const Assignment& whole);

}  // namespace ktrial::fakebroker
