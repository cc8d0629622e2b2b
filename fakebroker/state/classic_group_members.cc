// SPDX-License-Identifier: Apache-2.0
// Members: who is one, signs of life, leaving and being removed.
#include "fakebroker/state/classic_group.h"
#include "protocol/consumer_protocol.h"

#include <algorithm>

namespace ktrial::fakebroker {

using protocol::KafkaError;

namespace {

constexpr std::string_view kConsumerProtocolType = "consumer";

bool subscription_names(const Slice& metadata, std::string_view topic) {
  const auto subscription = protocol::decode_subscription(metadata);
  return subscription && std::find(subscription->topics.begin(), subscription->topics.end(),
                                   topic) != subscription->topics.end();
}

}  // namespace

ClassicMember* ClassicGroup::find(const std::string& member_id) {
  const auto found = members_.find(member_id);
  return found == members_.end() ? nullptr : &found->second;
}

KafkaError ClassicGroup::check_member(const std::string& member_id,
                                      const std::optional<std::string>& instance_id) const {
  if (instance_id) {
    const auto known = static_members_.find(*instance_id);
    if (known == static_members_.end()) return KafkaError::kUnknownMemberId;
    if (known->second != member_id) return KafkaError::kFencedInstanceId;
  }
  return members_.contains(member_id) ? KafkaError::kNone : KafkaError::kUnknownMemberId;
}

KafkaError ClassicGroup::heartbeat(const std::string& member_id,
                                   const std::optional<std::string>& instance_id,
                                   std::int32_t generation) {
  const KafkaError invalid = check_member(member_id, instance_id);
  if (invalid != KafkaError::kNone) return invalid;
  if (generation != generation_) return KafkaError::kIllegalGeneration;
  restart_session(members_.at(member_id));
  return state_ == State::kPreparingRebalance ? KafkaError::kRebalanceInProgress
                                              : KafkaError::kNone;
}

KafkaError ClassicGroup::leave(const std::string& member_id,
                               const std::optional<std::string>& instance_id) {
  if (pending_.contains(member_id)) {
    remove_pending(member_id);
    return KafkaError::kNone;
  }
  std::string leaving = member_id;
  if (member_id.empty() && instance_id) {
    const auto known = static_members_.find(*instance_id);
    if (known == static_members_.end()) return KafkaError::kUnknownMemberId;
    leaving = known->second;
  }
  const KafkaError invalid = check_member(leaving, instance_id);
  if (invalid == KafkaError::kNone) remove_member(leaving);
  return invalid;
}

KafkaError ClassicGroup::check_commit(const std::string& member_id,
                                      const std::optional<std::string>& instance_id,
                                      std::int32_t generation) {
  // Not a member: an admin tool, or a consumer that assigns itself.
  if (generation < 0 && state_ == State::kEmpty) return KafkaError::kNone;
  if (generation < 0 && member_id.empty() && !instance_id) return KafkaError::kUnknownMemberId;
  const KafkaError invalid = check_member(member_id, instance_id);
  if (invalid != KafkaError::kNone) return invalid;
  if (generation != generation_) return KafkaError::kIllegalGeneration;
  if (state_ == State::kCompletingRebalance) return KafkaError::kRebalanceInProgress;
  restart_session(members_.at(member_id));
  return KafkaError::kNone;
}

bool ClassicGroup::subscribed_to(std::string_view topic) const {
  if (protocol_type_ != kConsumerProtocolType) return false;
  for (const auto& [id, member] : members_) {
    for (const auto& protocol : member.protocols) {
      if (subscription_names(protocol.metadata, topic)) return true;
    }
  }
  return false;
}

void ClassicGroup::remove_member(const std::string& member_id) {
  erase_member(member_id);
  if (state_ == State::kStable || state_ == State::kCompletingRebalance) rebalance();
  try_complete_join();
}

void ClassicGroup::erase_member(const std::string& member_id) {
  auto node = members_.extract(member_id);
  if (node.empty()) return;
  ClassicMember& member = node.mapped();
  cancel(member.session_timer);
  if (member.instance_id) static_members_.erase(*member.instance_id);
  done_syncing(member_id);
  protocol::JoinGroupResponse join;
  join.error_code = code(KafkaError::kUnknownMemberId);
  join.protocol_name.reset();
  give(member.awaiting_join, std::move(join));
  protocol::SyncGroupResponse sync;
  sync.error_code = code(KafkaError::kUnknownMemberId);
  give(member.awaiting_sync, std::move(sync));
}

void ClassicGroup::remove_pending(const std::string& member_id) {
  const auto pending = pending_.find(member_id);
  if (pending == pending_.end()) return;
  cancel(pending->second);
  pending_.erase(pending);
  try_complete_join();
}

void ClassicGroup::restart_session(ClassicMember& member) {
  arm_session(member, member.session_timeout);
}

void ClassicGroup::arm_session(ClassicMember& member, Millis timeout) {
  cancel(member.session_timer);
  member.session_timer =
      services_.timers.after(timeout, [this, id = member.id] { expire_session(id); });
}

void ClassicGroup::expire_session(const std::string& member_id) {
  ClassicMember* const member = find(member_id);
  if (member == nullptr) return;
  member->session_timer = 0;
  // One that waits for an answer cannot send heartbeats; its session begins again with the answer.
  if (!member->is_new && (member->awaiting_join || member->awaiting_sync)) return;
  remove_member(member_id);
}

}  // namespace ktrial::fakebroker
