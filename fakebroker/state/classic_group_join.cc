// SPDX-License-Identifier: Apache-2.0
// JoinGroup: who may join, and whether that calls for a new generation.
#include "fakebroker/state/classic_group.h"

#include <algorithm>

namespace ktrial::fakebroker {

using protocol::JoinGroupRequest;
using protocol::JoinGroupResponse;
using protocol::KafkaError;

namespace {

JoinGroupResponse join_error(KafkaError error, std::string member_id) {
  JoinGroupResponse response;
  response.error_code = code(error);
  response.protocol_name.reset();
  response.member_id = std::move(member_id);
  return response;
}

Millis rebalance_timeout_of(const JoinGroupRequest& request) {
  // v0 has none: the session timeout serves as both.
  return Millis(request.rebalance_timeout_ms < 0 ? request.session_timeout_ms
                                                 : request.rebalance_timeout_ms);
}

}  // namespace

void ClassicGroup::join(const JoinGroupRequest& request, JoinTraits traits,
                        const GroupClient& client, JoinAnswer answer) {
  if (!accepts_protocols(request))
    return answer(join_error(KafkaError::kInconsistentGroupProtocol, request.member_id));
  if (request.member_id.empty()) {
    join_new(request, traits, client, std::move(answer));
  } else if (pending_.contains(request.member_id)) {
    add_member(request, client, request.member_id, std::move(answer));
  } else {
    rejoin(request, std::move(answer));
  }
  try_complete_join();
}

bool ClassicGroup::accepts_protocols(const JoinGroupRequest& request) const {
  if (request.protocol_type.empty() || request.protocols.empty()) return false;
  if (state_ == State::kEmpty) return true;
  return request.protocol_type == protocol_type_ &&
         std::any_of(request.protocols.begin(), request.protocols.end(), [this](const auto& p) {
           return std::all_of(members_.begin(), members_.end(),
                              [&p](const auto& entry) { return entry.second.supports(p.name); });
         });
}

void ClassicGroup::join_new(const JoinGroupRequest& request, JoinTraits traits,
                            const GroupClient& client, JoinAnswer answer) {
  if (request.group_instance_id) {
    if (static_members_.contains(*request.group_instance_id))
      return replace_static(request, traits, client, std::move(answer));
    return add_member(request, client,
                      *request.group_instance_id + "-" + services_.member_ids.next(),
                      std::move(answer));
  }
  const std::string member_id = client.id + "-" + services_.member_ids.next();
  if (!traits.requires_known_member_id)
    return add_member(request, client, member_id, std::move(answer));
  add_pending(request, member_id);
  answer(join_error(KafkaError::kMemberIdRequired, member_id));
}

void ClassicGroup::add_pending(const JoinGroupRequest& request, const std::string& member_id) {
  pending_[member_id] = services_.timers.after(Millis(request.session_timeout_ms),
                                               [this, member_id] { remove_pending(member_id); });
}

void ClassicGroup::add_member(const JoinGroupRequest& request, const GroupClient& client,
                              std::string member_id, JoinAnswer answer) {
  if (const auto pending = pending_.find(member_id); pending != pending_.end()) {
    cancel(pending->second);
    pending_.erase(pending);
  }
  if (members_.empty()) {
    leader_ = member_id;
    protocol_type_ = request.protocol_type;
  }
  if (initial_join_) joined_meanwhile_ = true;
  ClassicMember& member = members_[member_id];
  member.id = std::move(member_id);
  member.instance_id = request.group_instance_id;
  member.client = client;
  member.is_new = true;
  if (member.instance_id) static_members_[*member.instance_id] = member.id;
  update_member(member, request, std::move(answer));
  // It knows no id to send heartbeats with, and its socket is silent until the join is answered.
  arm_session(member, services_.settings.new_member_timeout);
  rebalance();
}

void ClassicGroup::update_member(ClassicMember& member, const JoinGroupRequest& request,
                                 JoinAnswer answer) {
  member.session_timeout = Millis(request.session_timeout_ms);
  member.rebalance_timeout = rebalance_timeout_of(request);
  member.protocols = request.protocols;
  member.awaiting_join = std::move(answer);
}

void ClassicGroup::rejoin(const JoinGroupRequest& request, JoinAnswer answer) {
  const KafkaError invalid = check_member(request.member_id, request.group_instance_id);
  if (invalid != KafkaError::kNone) return answer(join_error(invalid, request.member_id));
  ClassicMember& member = members_.at(request.member_id);
  const bool unchanged = member.protocols == request.protocols;
  const bool leads = member.id == leader_;
  // In CompletingRebalance it may have missed the answer; in Stable only the leader's word, or
  // another subscription, is a reason to begin again.
  if (unchanged && state_ == State::kCompletingRebalance)
    return answer(present_generation(member, leads));
  if (unchanged && state_ == State::kStable && !leads)
    return answer(present_generation(member, false));
  update_member(member, request, std::move(answer));
  rebalance();
}

JoinGroupResponse ClassicGroup::present_generation(const ClassicMember& member,
                                                   bool with_members) const {
  JoinGroupResponse response;
  response.generation_id = generation_;
  response.protocol_type = protocol_type_;
  response.protocol_name = protocol_name_;
  response.leader = leader_;
  response.member_id = member.id;
  if (!with_members) return response;
  for (const auto& [id, other] : members_) {
    auto& entry = response.members.emplace_back();
    entry.member_id = id;
    entry.group_instance_id = other.instance_id;
    entry.metadata = other.metadata(protocol_name_);
  }
  return response;
}

// The same instance comes back with a new member id: the old id is fenced. While the group is
// stable nobody else notices.
void ClassicGroup::replace_static(const JoinGroupRequest& request, JoinTraits traits,
                                  const GroupClient& client, JoinAnswer answer) {
  const std::string& instance = *request.group_instance_id;
  const std::string old_id = static_members_.at(instance);
  const std::string old_leader = leader_;
  const std::string new_id = instance + "-" + services_.member_ids.next();

  auto node = members_.extract(old_id);
  give(node.mapped().awaiting_join, join_error(KafkaError::kFencedInstanceId, old_id));
  protocol::SyncGroupResponse fenced;
  fenced.error_code = code(KafkaError::kFencedInstanceId);
  give(node.mapped().awaiting_sync, std::move(fenced));
  node.key() = new_id;
  ClassicMember& member = members_.insert(std::move(node)).position->second;
  member.id = new_id;
  member.client = client;
  static_members_[instance] = new_id;
  if (leader_ == old_id) leader_ = new_id;
  if (pending_sync_.erase(old_id) != 0) pending_sync_.insert(new_id);

  update_member(member, request, std::move(answer));
  restart_session(member);
  if (state_ == State::kStable && select_protocol() == protocol_name_)
    return rejoin_stable_static(member, traits, old_leader);
  rebalance();
}

void ClassicGroup::rejoin_stable_static(ClassicMember& member, JoinTraits traits,
                                        const std::string& old_leader) {
  const bool leads = member.id == leader_;
  JoinGroupResponse response = present_generation(member, leads && traits.may_skip_assignment);
  response.skip_assignment = leads && traits.may_skip_assignment;
  // An older client must not take itself for the leader: its assignment would go nowhere.
  if (!traits.may_skip_assignment) response.leader = old_leader;
  give(member.awaiting_join, std::move(response));
}

}  // namespace ktrial::fakebroker
