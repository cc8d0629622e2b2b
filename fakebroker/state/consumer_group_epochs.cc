// SPDX-License-Identifier: Apache-2.0
// The group's epochs, who is removed when, and what others may know of it.
#include "fakebroker/state/consumer_group.h"

#include <algorithm>

namespace ktrial::fakebroker {

using protocol::KafkaError;

// The group's view of the topics changes with them and with the subscriptions.
void ConsumerGroup::refresh_topics() {
  std::map<std::string, TopicShape> topics;
  for (const auto& [id, member] : members_) {
    for (const std::string& name : member.subscription) {
      if (topics.contains(name)) continue;
      if (const auto shape = lookup_(name)) topics.emplace(name, *shape);
    }
  }
  if (std::exchange(topics_, topics) != topics) ++epoch_;
}

void ConsumerGroup::refresh_target() {
  if (epoch_ == target_epoch_) return;
  const std::int32_t epoch = epoch_;
  refresh_topics();
  epoch_ = epoch;  // one step, whatever it was for
  AssignorInput input;
  for (const auto& [name, shape] : topics_) input.partitions[shape.id] = shape.partitions;
  for (const auto& [id, member] : members_) {
    AssignorMember& entry = input.members.emplace_back();
    entry.id = id;
    entry.instance_id = member.instance_id;
    entry.current = target_of(id);
    for (const std::string& name : member.subscription) {
      if (const auto topic = topics_.find(name); topic != topics_.end())
        entry.topics.insert(topic->second.id);
    }
  }
  target_ = assign(assignor(), input);
  target_epoch_ = epoch_;
}

std::string ConsumerGroup::assignor() const {
  std::map<std::string, int> votes;
  std::string best(kDefaultAssignor);
  for (const auto& [id, member] : members_) {
    if (member.assignor && ++votes[*member.assignor] > votes[best]) best = *member.assignor;
  }
  return best;
}

Assignment ConsumerGroup::target_of(const std::string& member_id) const {
  const auto found = target_.find(member_id);
  return found == target_.end() ? Assignment() : found->second;
}

bool ConsumerGroup::is_held(const protocol::Uuid& topic, std::int32_t partition) const {
  const auto has = [&](const Assignment& assignment) {
    const auto found = assignment.find(topic);
    return found != assignment.end() && found->second.contains(partition);
  };
  return std::any_of(members_.begin(), members_.end(), [&](const auto& entry) {
    return has(entry.second.assigned) || has(entry.second.revoking);
  });
}

void ConsumerGroup::remove(const std::string& member_id) {
  auto node = members_.extract(member_id);
  if (node.empty()) return;
  cancel(node.mapped().session_timer);
  cancel(node.mapped().revocation_timer);
  if (node.mapped().instance_id) static_members_.erase(*node.mapped().instance_id);
  target_.erase(member_id);
  ++epoch_;
}

void ConsumerGroup::restart_session(ConsumerMember& member) {
  cancel(member.session_timer);
  member.session_timer = services_.timers.after(services_.settings.consumer_session_timeout,
                                                [this, id = member.id] { remove(id); });
}

// One that does not give up what it must within its rebalance timeout is out.
void ConsumerGroup::watch_revocation(ConsumerMember& member) {
  cancel(member.revocation_timer);
  if (member.state != ConsumerMember::State::kUnrevoked) return;
  member.revocation_timer =
      services_.timers.after(member.rebalance_timeout, [this, id = member.id] { remove(id); });
}

KafkaError ConsumerGroup::check_commit(const std::string& member_id, std::int32_t epoch,
                                       std::int16_t version) const {
  if (epoch < 0 && members_.empty()) return KafkaError::kNone;
  const auto found = members_.find(member_id);
  if (found == members_.end()) return KafkaError::kUnknownMemberId;
  // Before v9 the field is a generation: such a client does not know what it commits under.
  if (version < 9) return KafkaError::kUnsupportedVersion;
  return epoch == found->second.epoch ? KafkaError::kNone : KafkaError::kStaleMemberEpoch;
}

KafkaError ConsumerGroup::check_fetch(const std::optional<std::string>& member_id,
                                      std::int32_t epoch) const {
  if (!member_id && epoch < 0) return KafkaError::kNone;
  const auto found = members_.find(member_id.value_or(""));
  if (found == members_.end()) return KafkaError::kUnknownMemberId;
  return epoch == found->second.epoch ? KafkaError::kNone : KafkaError::kStaleMemberEpoch;
}

bool ConsumerGroup::subscribed_to(std::string_view topic) const {
  return std::any_of(members_.begin(), members_.end(), [topic](const auto& entry) {
    return entry.second.subscription.contains(std::string(topic));
  });
}

std::string_view ConsumerGroup::state_name() const {
  if (members_.empty()) return "Empty";
  if (epoch_ > target_epoch_) return "Assigning";
  const bool settled = std::all_of(members_.begin(), members_.end(), [this](const auto& entry) {
    return entry.second.state == ConsumerMember::State::kStable &&
           entry.second.epoch == target_epoch_;
  });
  return settled ? "Stable" : "Reconciling";
}

}  // namespace ktrial::fakebroker
