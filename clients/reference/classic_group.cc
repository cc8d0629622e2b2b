// SPDX-License-Identifier: Apache-2.0
#include "clients/reference/classic_group.h"

#include "protocol/messages/heartbeat_request.h"
#include "protocol/messages/heartbeat_response.h"
#include "protocol/messages/join_group_request.h"
#include "protocol/messages/leave_group_request.h"
#include "protocol/messages/leave_group_response.h"

#include <algorithm>
#include <utility>

namespace ktrial::client {

using protocol::HeartbeatRequest;
using protocol::HeartbeatResponse;
using protocol::KafkaError;
using protocol::LeaveGroupRequest;
using protocol::LeaveGroupResponse;

ClassicGroup::ClassicGroup(Env& env, Network& network, Metadata& metadata, Observer observer)
    : Group(env, network, metadata, std::move(observer)),
      cooperative_(std::ranges::all_of(config().assignors,
                                       [](const auto& each) { return each->cooperative(); })) {}

MemberIdentity ClassicGroup::identity() const {
  if (generation_ < 0) return {};
  return {member_id_, generation_};
}

void ClassicGroup::subscribe(std::set<std::string> topics) {
  if (topics_ == topics) return;
  topics_ = std::move(topics);
  if (state_ == State::kMember) return rejoin();
  if (state_ == State::kJoining || state_ == State::kSyncing) again_ = true;
  join();
}

void ClassicGroup::metadata_changed() {
  if (to_lead_ && state_ == State::kSyncing) {
    lead(protocol::JoinGroupResponse(*to_lead_));
  } else if (started()) {
    join();
  }
}

void ClassicGroup::partitions_changed() {
  if (state_ == State::kMember && !leads_topics_.empty()) rejoin();
}

void ClassicGroup::polled() {
  Group::polled();
  if (state_ != State::kWaiting) return;
  state_ = State::kOut;
  later([this] { join(); });
}

void ClassicGroup::poll_overdue() {
  if (state_ == State::kWaiting || state_ == State::kGone || member_id_.empty()) return;
  send_leave([] {});
  lose(config().group_instance_id.has_value(), State::kWaiting);
}

void ClassicGroup::heartbeat_later() {
  env().timers.cancel(heartbeat_timer_);
  heartbeat_timer_ = env().timers.after(config().heartbeat_interval, [this] { heartbeat(); });
}

void ClassicGroup::heartbeat() {
  if (generation_ < 0 || stopped()) return;
  heartbeat_later();
  if (env().clock.now() - last_heard_ > config().session_timeout) {
    last_heard_ = env().clock.now();
    coordinator().lost();
  }
  if (!coordinator().node() || in_heartbeat_ || state_ == State::kJoining) return;
  in_heartbeat_ = true;
  HeartbeatRequest request;
  request.group_id = config().group_id;
  request.generation_id = generation_;
  request.member_id = member_id_;
  request.group_instance_id = config().group_instance_id;
  const bool astray = config().mutated(Mutant::kHeartbeatElsewhere);
  network().send(astray ? network().least_loaded() : *coordinator().node(),
                 make_request<HeartbeatRequest, HeartbeatResponse>(
                     std::move(request), HeartbeatRequest::kMaxVersion, config().request_timeout,
                     [this, generation = generation_](const Result<HeartbeatResponse>& response) {
                       in_heartbeat_ = false;
                       if (stopped()) return;
                       if (!response) return coordinator().lost();
                       if (coordinator().lost_by(response->error_code)) return;
                       if (generation == generation_) heartbeat_answered(response->error_code);
                     }));
}

void ClassicGroup::heartbeat_answered(std::int16_t error) {
  switch (static_cast<KafkaError>(error)) {
    case KafkaError::kNone:
      last_heard_ = env().clock.now();
      return;
    case KafkaError::kRebalanceInProgress:
      last_heard_ = env().clock.now();
      return rejoin();
    case KafkaError::kUnknownMemberId:
      return lose(false);
    case KafkaError::kIllegalGeneration:
      return lose(true);
    case KafkaError::kFencedInstanceId:
    case KafkaError::kGroupAuthorizationFailed:
      return give_up(client_error(error), true);
    default:
      // The next heartbeat may fare better; if none does the session is over.
      return;
  }
}

void ClassicGroup::rejoin() {
  if (state_ != State::kMember) return;
  if (settling_) {
    again_ = true;
    return;
  }
  std::vector<TopicPartition> gone;
  std::ranges::copy_if(owned_, std::back_inserter(gone), [this](const TopicPartition& at) {
    return !cooperative_ || !topics_.contains(at.topic);
  });
  yield(std::move(gone), false, State::kOut);
}

// Still a member while the application is told, so that it may commit.
void ClassicGroup::yield(std::vector<TopicPartition> gone, bool lost, State after) {
  state_ = after == State::kOut ? State::kYielding : after;
  std::erase_if(
      owned_, [&](const TopicPartition& at) { return std::ranges::find(gone, at) != gone.end(); });
  const auto go_on = [this] {
    if (state_ == State::kYielding) state_ = State::kOut;
    join();
  };
  if (gone.empty()) return go_on();
  observer().revoked(gone, lost, go_on);
}

void ClassicGroup::lose(bool keep_member_id, State after) {
  if (!keep_member_id) member_id_.clear();
  generation_ = -1;
  settling_ = false;
  env().timers.cancel(std::exchange(heartbeat_timer_, 0));
  // It joins again when the application has heard what it must give up anyway.
  if (state_ == State::kYielding && after == State::kOut) return;
  const bool had_nothing = owned_.empty();
  if (!had_nothing || after != State::kOut) return yield(std::vector(owned_), true, after);
  state_ = State::kOut;
  later([this] { join(); });
}

void ClassicGroup::give_up(const ClientError& error, bool for_good) {
  if (stopped()) return;
  lose(for_good, for_good ? State::kGone : State::kWaiting);
  observer().failed(error, for_good);
}

void ClassicGroup::leave(Done done) {
  const bool silent = config().mutated(Mutant::kNoLeaveGroup) || state_ == State::kGone;
  state_ = State::kGone;
  env().timers.cancel(std::exchange(heartbeat_timer_, 0));
  if (silent) return done();
  send_leave(std::move(done));
}

// A static member means to come back: nobody need take over meanwhile.
void ClassicGroup::send_leave(Done done) {
  if (config().group_instance_id || !coordinator().node() || member_id_.empty()) return done();
  LeaveGroupRequest request;
  request.group_id = config().group_id;
  request.member_id = member_id_;
  request.members.emplace_back().member_id = member_id_;
  network().send(*coordinator().node(),
                 make_request<LeaveGroupRequest, LeaveGroupResponse>(
                     std::move(request), LeaveGroupRequest::kMaxVersion, config().request_timeout,
                     [done](const Result<LeaveGroupResponse>&) { done(); }));
}

void ClassicGroup::stop() {
  Group::stop();
  env().timers.cancel(std::exchange(heartbeat_timer_, 0));
}

}  // namespace ktrial::client
