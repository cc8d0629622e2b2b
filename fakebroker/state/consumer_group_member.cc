// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/state/consumer_group_member.h"

#include <algorithm>

namespace ktrial::fakebroker {
namespace {

using State = ConsumerMember::State;

bool contains(const Assignment& assignment, const protocol::Uuid& topic, std::int32_t partition) {
  const auto found = assignment.find(topic);
  return found != assignment.end() && found->second.contains(partition);
}

template <class Predicate>
Assignment filter(const Assignment& of, Predicate keep) {
  Assignment kept;
  for (const auto& [topic, partitions] : of) {
    for (const std::int32_t partition : partitions) {
      if (keep(topic, partition)) kept[topic].insert(partition);
    }
  }
  return kept;
}

Assignment difference(const Assignment& of, const Assignment& without) {
  return filter(of, [&](const auto& topic, auto p) { return !contains(without, topic, p); });
}

Assignment intersection(const Assignment& a, const Assignment& b) {
  return filter(a, [&](const auto& topic, auto p) { return contains(b, topic, p); });
}

std::size_t size(const Assignment& of) {
  std::size_t count = 0;
  for (const auto& [topic, partitions] : of) count += partitions.size();
  return count;
}

// One that does not say what it has may still have it.
bool may_own(const std::optional<Assignment>& owned, const Assignment& any_of) {
  return !owned || !intersection(*owned, any_of).empty();
}

void next_assignment(ConsumerMember& member, std::int32_t epoch, std::int32_t target_epoch,
                     const Assignment& target, const std::optional<Assignment>& owned,
                     const IsHeld& is_held) {
  Assignment kept = intersection(member.assigned, target);
  Assignment revoking = difference(member.assigned, target);
  if (!revoking.empty() && may_own(owned, revoking)) {
    member.move_to(epoch);
    member.state = State::kUnrevoked;
    member.assigned = std::move(kept);
    member.revoking = std::move(revoking);
    return;
  }
  const Assignment wanted = difference(target, kept);
  const Assignment free =
      filter(wanted, [&](const auto& topic, auto p) { return !is_held(topic, p); });
  for (const auto& [topic, partitions] : free)
    kept[topic].insert(partitions.begin(), partitions.end());
  member.move_to(target_epoch);
  member.state = size(free) == size(wanted) ? State::kStable : State::kUnreleased;
  member.assigned = std::move(kept);
  member.revoking.clear();
}

}  // namespace

bool is_subset(const Assignment& part, const Assignment& whole) {
  return difference(part, whole).empty();
}

void reconcile(ConsumerMember& member, std::int32_t target_epoch, const Assignment& target,
               const std::optional<Assignment>& owned, const IsHeld& is_held) {
  switch (member.state) {
    case State::kStable:
      if (member.epoch == target_epoch) return;
      return next_assignment(member, member.epoch, target_epoch, target, owned, is_held);
    case State::kUnrevoked:
      if (may_own(owned, member.revoking)) return;
      return next_assignment(member, member.epoch + 1, target_epoch, target, owned, is_held);
    case State::kUnreleased:
      return next_assignment(member, member.epoch, target_epoch, target, owned, is_held);
  }
}

}  // namespace ktrial::fakebroker
