// SPDX-License-Identifier: Apache-2.0
// ClassicGroup: the way into the group.
#include "clients/reference/classic_group.h"
#include "protocol/consumer_protocol.h"
#include "protocol/messages/join_group_request.h"
#include "protocol/messages/sync_group_request.h"

#include <algorithm>
#include <utility>

namespace ktrial::client {

using protocol::ConsumerProtocolAssignment;
using protocol::ConsumerProtocolSubscription;
using protocol::JoinGroupRequest;
using protocol::JoinGroupResponse;
using protocol::KafkaError;
using protocol::SyncGroupRequest;
using protocol::SyncGroupResponse;

namespace {

constexpr std::int16_t kAssignmentVersion = 3;
// The broker answers a join when the others have joined or their time is up.
constexpr Millis kJoinSlack{5'000};

template <class Topics>
void add_to(Topics& topics, const TopicPartition& at) {
  if (topics.empty() || topics.back().topic != at.topic) topics.emplace_back().topic = at.topic;
  topics.back().partitions.push_back(at.partition);
}

MemberSubscription read_subscription(const ConsumerProtocolSubscription& said) {
  MemberSubscription subscription;
  subscription.topics.insert(said.topics.begin(), said.topics.end());
  for (const auto& topic : said.owned_partitions) {
    for (const std::int32_t partition : topic.partitions)
      subscription.owned.push_back({topic.topic, partition});
  }
  subscription.generation = said.generation_id;
  subscription.user_data = said.user_data.value_or(Slice());
  return subscription;
}

std::vector<TopicPartition> minus(const std::vector<TopicPartition>& from,
                                  const std::vector<TopicPartition>& taken) {
  std::vector<TopicPartition> left;
  std::ranges::copy_if(from, std::back_inserter(left), [&](const TopicPartition& at) {
    return std::ranges::find(taken, at) == taken.end();
  });
  return left;
}

}  // namespace

void ClassicGroup::join() {
  const bool can = state_ == State::kOut && !stopped() && started() && !topics_.empty() &&
                   coordinator().node() && metadata().ever_updated();
  if (!can) return;
  for (const std::string& topic : topics_) {
    if (metadata().topic(topic) == nullptr) return;
  }
  state_ = State::kJoining;
  again_ = false;
  network().send(
      *coordinator().node(),
      make_request<JoinGroupRequest, JoinGroupResponse>(
          join_request(), JoinGroupRequest::kMaxVersion, config().max_poll_interval + kJoinSlack,
          [this](const Result<JoinGroupResponse>& response) { joined(response); }));
}

JoinGroupRequest ClassicGroup::join_request() const {
  JoinGroupRequest request;
  request.group_id = config().group_id;
  request.session_timeout_ms = static_cast<std::int32_t>(config().session_timeout.count());
  request.rebalance_timeout_ms = static_cast<std::int32_t>(config().max_poll_interval.count());
  request.member_id = member_id_;
  request.group_instance_id = config().group_instance_id;
  request.protocol_type = "consumer";
  for (const auto& assignor : config().assignors) {
    ConsumerProtocolSubscription subscription;
    subscription.topics.assign(topics_.begin(), topics_.end());
    subscription.user_data = Slice(assignor->user_data(had_, had_generation_));
    for (const TopicPartition& at : owned_) add_to(subscription.owned_partitions, at);
    subscription.generation_id = generation_;
    if (!config().rack.empty()) subscription.rack_id = config().rack;
    auto& offered = request.protocols.emplace_back();
    offered.name = assignor->name();
    offered.metadata = Slice(encode_subscription(subscription, assignor->version()));
  }
  return request;
}

void ClassicGroup::joined(const Result<JoinGroupResponse>& response) {
  if (stopped() || state_ != State::kJoining) return;
  state_ = State::kOut;
  if (!response) return coordinator().lost();
  if (response->error_code != 0) {
    if (!response->member_id.empty()) member_id_ = response->member_id;
    return join_failed(response->error_code);
  }
  succeeded();
  last_heard_ = env().clock.now();
  member_id_ = response->member_id;
  generation_ = response->generation_id;
  protocol_ = response->protocol_name.value_or("");
  state_ = State::kSyncing;
  leads_topics_.clear();
  to_lead_.reset();
  if (response->leader == member_id_) return lead(*response);
  sync({});
}

void ClassicGroup::join_failed(std::int16_t error) {
  if (coordinator().lost_by(error)) return;
  switch (static_cast<KafkaError>(error)) {
    case KafkaError::kMemberIdRequired:
      return join();
    case KafkaError::kUnknownMemberId:
      return lose(false);
    case KafkaError::kIllegalGeneration:
      return lose(true);
    case KafkaError::kFencedInstanceId:
      return give_up(client_error(error), true);
    default:
      if (protocol::retriable(static_cast<KafkaError>(error)) ||
          static_cast<KafkaError>(error) == KafkaError::kRebalanceInProgress)
        break;
      return give_up(client_error(error), false);
  }
  later([this] { join(); });
}

// Waits until all topics of the group are known: others may subscribe to what this member does not.
void ClassicGroup::lead(const JoinGroupResponse& response) {
  const auto assignor = std::ranges::find(config().assignors, protocol_, &Assignor::name);
  if (assignor == config().assignors.end()) {
    return give_up({"INCONSISTENT_GROUP_PROTOCOL", false, "the group chose " + protocol_}, false);
  }
  Subscriptions subscriptions;
  for (const auto& member : response.members) {
    const auto said = protocol::decode_subscription(member.metadata);
    if (!said) continue;
    subscriptions[{member.group_instance_id, member.member_id}] = read_subscription(*said);
    leads_topics_.insert(said->topics.begin(), said->topics.end());
  }
  if (response.skip_assignment) return sync({});
  metadata().use_topics(leads_topics_);
  PartitionCounts partitions;
  for (const std::string& topic : leads_topics_) {
    const TopicInfo* info = metadata().topic(topic);
    if (info == nullptr) {
      to_lead_ = response;
      return;
    }
    if (!info->partitions.empty())
      partitions[topic] = static_cast<std::int32_t>(info->partitions.size());
  }
  to_lead_.reset();
  std::vector<std::pair<std::string, Slice>> assignments;
  for (const auto& [member, given] : (*assignor)->assign(subscriptions, partitions)) {
    ConsumerProtocolAssignment assignment;
    for (const TopicPartition& at : given) add_to(assignment.assigned_partitions, at);
    assignments.emplace_back(member.id, Slice(encode_assignment(assignment, kAssignmentVersion)));
  }
  sync(std::move(assignments));
}

void ClassicGroup::sync(std::vector<std::pair<std::string, Slice>> assignments) {
  if (!coordinator().node()) {
    state_ = State::kOut;
    return;
  }
  SyncGroupRequest request;
  request.group_id = config().group_id;
  request.generation_id = generation_;
  request.member_id = member_id_;
  request.group_instance_id = config().group_instance_id;
  request.protocol_type = "consumer";
  request.protocol_name = protocol_;
  for (auto& [member, assignment] : assignments) {
    auto& sent = request.assignments.emplace_back();
    sent.member_id = member;
    sent.assignment = std::move(assignment);
  }
  network().send(*coordinator().node(),
                 make_request<SyncGroupRequest, SyncGroupResponse>(
                     std::move(request), SyncGroupRequest::kMaxVersion,
                     config().max_poll_interval + kJoinSlack,
                     [this](const Result<SyncGroupResponse>& response) { synced(response); }));
}

void ClassicGroup::synced(const Result<SyncGroupResponse>& response) {
  if (stopped() || state_ != State::kSyncing) return;
  state_ = State::kOut;
  if (!response) return coordinator().lost();
  if (response->error_code != 0) return sync_failed(response->error_code);
  const auto assignment = protocol::decode_assignment(response->assignment);
  if (!assignment) return later([this] { join(); });
  std::vector<TopicPartition> given;
  for (const auto& topic : assignment->assigned_partitions) {
    for (const std::int32_t partition : topic.partitions) given.push_back({topic.topic, partition});
  }
  take(std::move(given));
}

void ClassicGroup::sync_failed(std::int16_t error) {
  if (coordinator().lost_by(error)) return;
  switch (static_cast<KafkaError>(error)) {
    case KafkaError::kUnknownMemberId:
      return lose(false);
    case KafkaError::kIllegalGeneration:
      return lose(true);
    case KafkaError::kFencedInstanceId:
      return give_up(client_error(error), true);
    case KafkaError::kGroupAuthorizationFailed:
      return give_up(client_error(error), false);
    default:
      break;
  }
  later([this] { join(); });
}

// Heartbeats begin; what is taken away goes before what is given comes, and then the group must
// hear that it is free (KIP-429).
void ClassicGroup::take(std::vector<TopicPartition> given) {
  state_ = State::kMember;
  settling_ = true;
  last_heard_ = env().clock.now();
  heartbeat_later();
  had_ = given;
  had_generation_ = generation_;
  const std::vector<TopicPartition> gone = minus(owned_, given);
  const std::vector<TopicPartition> added = minus(given, owned_);
  owned_ = std::move(given);
  if (!gone.empty()) again_ = true;
  const auto settled = [this, generation = generation_] {
    if (generation != generation_) return;
    settling_ = false;
    if (std::exchange(again_, false)) rejoin();
  };
  const auto tell_added = [this, added, settled, generation = generation_] {
    if (generation == generation_) observer().assigned(added, settled);
  };
  if (gone.empty()) return tell_added();
  observer().revoked(gone, false, tell_added);
}

}  // namespace ktrial::client
