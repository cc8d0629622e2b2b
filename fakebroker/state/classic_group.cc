// SPDX-License-Identifier: Apache-2.0
// The course of a rebalance.
#include "fakebroker/state/classic_group.h"

#include <algorithm>

namespace ktrial::fakebroker {

using protocol::JoinGroupResponse;
using protocol::KafkaError;
using protocol::SyncGroupRequest;
using protocol::SyncGroupResponse;

namespace {

SyncGroupResponse sync_error(KafkaError error) {
  SyncGroupResponse response;
  response.error_code = code(error);
  return response;
}

}  // namespace

bool ClassicMember::supports(std::string_view protocol) const {
  return std::any_of(protocols.begin(), protocols.end(),
                     [protocol](const auto& p) { return p.name == protocol; });
}

Slice ClassicMember::metadata(std::string_view protocol) const {
  const auto found = std::find_if(protocols.begin(), protocols.end(),
                                  [protocol](const auto& p) { return p.name == protocol; });
  return found == protocols.end() ? Slice() : found->metadata;
}

ClassicGroup::ClassicGroup(std::string id, GroupServices& services)
    : id_(std::move(id)), services_(services) {}

ClassicGroup::~ClassicGroup() {
  release_waiting();
  cancel(rebalance_timer_);
  cancel(sync_timer_);
  for (auto& [id, timer] : pending_) cancel(timer);
  for (auto& [id, member] : members_) cancel(member.session_timer);
}

std::string_view ClassicGroup::state_name() const {
  switch (state_) {
    case State::kEmpty:
      return "Empty";
    case State::kPreparingRebalance:
      return "PreparingRebalance";
    case State::kCompletingRebalance:
      return "CompletingRebalance";
    case State::kStable:
      return "Stable";
  }
  return "Dead";
}

void ClassicGroup::cancel(TimerService::Id& timer) {
  if (timer != 0) services_.timers.cancel(std::exchange(timer, 0));
}

Millis ClassicGroup::rebalance_timeout() const {
  Millis longest{0};
  for (const auto& [id, member] : members_) longest = std::max(longest, member.rebalance_timeout);
  return longest;
}

void ClassicGroup::rebalance() {
  if (state_ == State::kPreparingRebalance) return;
  for (auto& [id, member] : members_)
    give(member.awaiting_sync, sync_error(KafkaError::kRebalanceInProgress));
  cancel(sync_timer_);
  pending_sync_.clear();
  initial_join_ = state_ == State::kEmpty;
  joined_meanwhile_ = false;
  state_ = State::kPreparingRebalance;
  if (!initial_join_) {
    rebalance_timer_ = services_.timers.after(rebalance_timeout(), [this] { complete_join(); });
    return;
  }
  const Millis delay = services_.settings.initial_rebalance_delay;
  const Millis remaining = std::max(rebalance_timeout() - delay, Millis(0));
  rebalance_timer_ =
      services_.timers.after(delay, [this, remaining] { extend_initial_join(remaining); });
}

// Each time somebody came during the delay, wait once more, up to the rebalance timeout.
void ClassicGroup::extend_initial_join(Millis remaining) {
  const Millis delay = std::min(services_.settings.initial_rebalance_delay, remaining);
  if (!joined_meanwhile_ || delay == Millis(0)) return complete_join();
  joined_meanwhile_ = false;
  rebalance_timer_ = services_.timers.after(
      delay, [this, left = remaining - delay] { extend_initial_join(left); });
}

void ClassicGroup::try_complete_join() {
  if (state_ != State::kPreparingRebalance || initial_join_ || !pending_.empty()) return;
  const bool all_joined = std::all_of(members_.begin(), members_.end(), [](const auto& entry) {
    return entry.second.awaiting_join != nullptr;
  });
  if (all_joined) complete_join();
}

void ClassicGroup::complete_join() {
  cancel(rebalance_timer_);
  initial_join_ = false;
  std::vector<std::string> absent;
  for (const auto& [id, member] : members_) {
    // A static member may stay away until its session ends.
    if (!member.awaiting_join && !member.instance_id) absent.push_back(id);
  }
  for (const std::string& id : absent) erase_member(id);
  if (!members_.empty() && !elect_leader()) {
    rebalance_timer_ = services_.timers.after(rebalance_timeout(), [this] { complete_join(); });
    return;
  }
  ++generation_;
  if (members_.empty()) {
    state_ = State::kEmpty;
    protocol_name_.clear();
    leader_.clear();
    return;
  }
  protocol_name_ = select_protocol();
  state_ = State::kCompletingRebalance;
  sync_timer_ = services_.timers.after(rebalance_timeout(), [this] { expire_pending_sync(); });
  for (auto& [id, member] : members_) {
    pending_sync_.insert(id);
    member.is_new = false;
    restart_session(member);
    give(member.awaiting_join, present_generation(member, id == leader_));
  }
}

bool ClassicGroup::elect_leader() {
  if (const ClassicMember* const leader = find(leader_); leader && leader->awaiting_join)
    return true;
  const auto joined = std::find_if(members_.begin(), members_.end(), [](const auto& entry) {
    return entry.second.awaiting_join != nullptr;
  });
  if (joined == members_.end()) return false;
  leader_ = joined->first;
  return true;
}

// Each member votes for the first of its protocols that all have.
std::string ClassicGroup::select_protocol() const {
  std::map<std::string, int> votes;
  std::string best;
  for (const auto& [id, member] : members_) {
    const auto choice =
        std::find_if(member.protocols.begin(), member.protocols.end(), [this](const auto& p) {
          return std::all_of(members_.begin(), members_.end(),
                             [&p](const auto& entry) { return entry.second.supports(p.name); });
        });
    if (choice == member.protocols.end()) continue;
    if (++votes[choice->name] > votes[best]) best = choice->name;
  }
  return best;
}

void ClassicGroup::sync(const SyncGroupRequest& request, SyncAnswer answer) {
  const KafkaError invalid = check_member(request.member_id, request.group_instance_id);
  if (invalid != KafkaError::kNone) return answer(sync_error(invalid));
  if (request.generation_id != generation_)
    return answer(sync_error(KafkaError::kIllegalGeneration));
  if ((request.protocol_type && *request.protocol_type != protocol_type_) ||
      (request.protocol_name && *request.protocol_name != protocol_name_)) {
    return answer(sync_error(KafkaError::kInconsistentGroupProtocol));
  }
  if (state_ == State::kPreparingRebalance)
    return answer(sync_error(KafkaError::kRebalanceInProgress));
  ClassicMember& member = members_.at(request.member_id);
  member.awaiting_sync = std::move(answer);
  done_syncing(member.id);
  if (state_ == State::kCompletingRebalance) {
    if (member.id != leader_) return;
    distribute(request);
    state_ = State::kStable;
  }
  for (auto& [id, waiting] : members_) {
    if (!waiting.awaiting_sync) continue;
    SyncGroupResponse response;
    response.protocol_type = protocol_type_;
    response.protocol_name = protocol_name_;
    response.assignment = waiting.assignment;
    restart_session(waiting);
    give(waiting.awaiting_sync, std::move(response));
  }
}

void ClassicGroup::distribute(const SyncGroupRequest& request) {
  for (auto& [id, member] : members_) member.assignment = Slice();
  for (const auto& entry : request.assignments) {
    if (ClassicMember* const member = find(entry.member_id)) member->assignment = entry.assignment;
  }
}

void ClassicGroup::done_syncing(const std::string& member_id) {
  pending_sync_.erase(member_id);
  if (pending_sync_.empty()) cancel(sync_timer_);
}

// Members that joined and never fetched their assignment are taken for dead.
void ClassicGroup::expire_pending_sync() {
  sync_timer_ = 0;
  const std::set<std::string> silent = std::exchange(pending_sync_, {});
  for (const std::string& id : silent) erase_member(id);
  if (silent.empty()) return;
  rebalance();
  try_complete_join();
}

void ClassicGroup::release_waiting() {
  for (auto& [id, member] : members_) {
    JoinGroupResponse join;
    join.error_code = code(KafkaError::kNotCoordinator);
    join.protocol_name.reset();
    join.member_id = id;
    give(member.awaiting_join, std::move(join));
    give(member.awaiting_sync, sync_error(KafkaError::kNotCoordinator));
    restart_session(member);
  }
}

}  // namespace ktrial::fakebroker
