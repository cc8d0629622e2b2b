// SPDX-License-Identifier: Apache-2.0
#include "clients/reference/group.h"

#include "clients/reference/node_ids.h"
#include "protocol/consumer_protocol.h"
#include "protocol/messages/find_coordinator_request.h"
#include "protocol/messages/find_coordinator_response.h"
#include "protocol/messages/heartbeat_request.h"
#include "protocol/messages/heartbeat_response.h"
#include "protocol/messages/join_group_request.h"
#include "protocol/messages/sync_group_request.h"

#include <utility>

namespace ktrial::client {

using namespace protocol;  // NOLINT: this file is little else than messages

namespace {

constexpr std::int16_t kNewestFindCoordinator = 3;  // from 4 on several keys at once
constexpr std::int16_t kEmbeddedVersion = 1;        // of what we tell the other members
constexpr Millis kJoinSlack{5'000};

// Embedded messages carry their version in front. Unlike consumer_protocol.h's readers this one
// refuses bytes behind the message.
template <class Message>
Result<Message> unembed(const Slice& bytes) {
  if (bytes.size() < 2) return fail(Errc::kTruncated, "no version");
  const int version = bytes.data()[0] << 8 | bytes.data()[1];
  return decode<Message>(bytes.part(2),
                         static_cast<std::int16_t>(std::min(version, int{Message::kMaxVersion})));
}

}  // namespace

Group::Group(Env& env, Network& network, Metadata& metadata, Observer observer)
    : env_(env), network_(network), metadata_(metadata), observer_(std::move(observer)) {}

void Group::subscribe(std::set<std::string> topics) {
  topics_ = std::move(topics);
  if (member_) rejoin(false, true);
}

void Group::later(std::function<void()> fn) {
  const ExponentialBackoff backoff{env_.config.retry_backoff, env_.config.retry_backoff_max};
  env_.timers.after(backoff.pause(++failures_, env_.rng), [this, fn = std::move(fn)] {
    if (!stopped_) fn();
  });
}

void Group::start(int node) {
  started_ = true;
  find(node);
}

void Group::find(int node) {
  FindCoordinatorRequest request;
  request.key = env_.config.group_id;
  request.key_type = 0;
  network_.send(node, make_request<FindCoordinatorRequest, FindCoordinatorResponse>(
                          std::move(request), kNewestFindCoordinator, env_.config.request_timeout,
                          [this](const Result<FindCoordinatorResponse>& response) {
                            if (stopped_) return;
                            if (!response || response->error_code != 0) {
                              return later([this] { find(network_.least_loaded()); });
                            }
                            broker_ = response->node_id;
                            coordinator_ = response->node_id;
                            const bool shared = env_.config.mutated(Mutant::kCoordinatorShared) ||
                                                env_.config.mutated(Mutant::kFindOnNewConnection);
                            if (!shared) {
                              coordinator_ = coordinator_node(response->node_id);
                              network_.set_private_node(
                                  *coordinator_,
                                  {response->host, static_cast<std::uint16_t>(response->port)});
                            }
                            failures_ = 0;
                            metadata_changed();
                          }));
}

void Group::metadata_changed() {
  if (started_ && !topics_.empty() && !member_ && !joining_) join();
}

void Group::coordinator_lost() {
  if (!coordinator_ || stopped_) return;
  coordinator_.reset();
  later([this] { find(network_.least_loaded()); });
}

bool Group::handle_coordinator_error(std::int16_t error) {
  const auto known = static_cast<KafkaError>(error);
  if (known != KafkaError::kNotCoordinator && known != KafkaError::kCoordinatorNotAvailable)
    return false;
  coordinator_lost();
  return true;
}

void Group::join() {
  if (stopped_ || joining_ || !coordinator_ || !metadata_.ever_updated()) return;
  for (const std::string& topic : topics_) {
    if (metadata_.topic(topic) == nullptr) return;
  }
  joining_ = true;
  JoinGroupRequest request;
  request.group_id = env_.config.group_id;
  request.session_timeout_ms = static_cast<std::int32_t>(env_.config.session_timeout.count());
  request.rebalance_timeout_ms = static_cast<std::int32_t>(env_.config.max_poll_interval.count());
  request.member_id = member_id_;
  request.group_instance_id = env_.config.group_instance_id;
  request.protocol_type = "consumer";
  ConsumerProtocolSubscription subscription;
  subscription.topics.assign(topics_.begin(), topics_.end());
  auto& offered = request.protocols.emplace_back();
  offered.name = "range";
  offered.metadata = Slice(encode_subscription(subscription, kEmbeddedVersion));
  network_.send(*coordinator_,
                make_request<JoinGroupRequest, JoinGroupResponse>(
                    std::move(request), JoinGroupRequest::kMaxVersion,
                    env_.config.max_poll_interval + kJoinSlack,
                    [this](const Result<JoinGroupResponse>& response) { joined(response); }));
}

void Group::joined(const Result<JoinGroupResponse>& response) {
  joining_ = false;
  if (stopped_) return;
  if (!response) return coordinator_lost();
  const auto error = static_cast<KafkaError>(response->error_code);
  if (error == KafkaError::kMemberIdRequired) {
    member_id_ = response->member_id;
    return join();
  }
  if (error == KafkaError::kUnknownMemberId) member_id_.clear();
  if (handle_coordinator_error(response->error_code)) return;
  if (error != KafkaError::kNone) return later([this] { join(); });
  member_id_ = response->member_id;
  generation_ = response->generation_id;
  failures_ = 0;
  joining_ = true;
  sync(*response);
}

void Group::sync(const JoinGroupResponse& joined) {
  SyncGroupRequest request;
  request.group_id = env_.config.group_id;
  request.generation_id = generation_;
  request.member_id = member_id_;
  request.group_instance_id = env_.config.group_instance_id;
  request.protocol_type = "consumer";
  request.protocol_name = joined.protocol_name;
  if (joined.leader == member_id_) {
    Subscriptions subscriptions;
    PartitionCounts partitions;
    for (const auto& member : joined.members) {
      const auto subscription = unembed<ConsumerProtocolSubscription>(member.metadata);
      if (!subscription) continue;
      for (const std::string& topic : subscription->topics) {
        subscriptions[member.member_id].topics.insert(topic);
        const TopicInfo* info = metadata_.topic(topic);
        if (info != nullptr && !info->partitions.empty()) {
          partitions[topic] = static_cast<std::int32_t>(info->partitions.size());
        }
      }
    }
    for (const auto& [member, given] : RangeAssignor().assign(subscriptions, partitions)) {
      ConsumerProtocolAssignment assignment;
      for (const TopicPartition& at : given) {
        auto& topics = assignment.assigned_partitions;
        if (topics.empty() || topics.back().topic != at.topic)
          topics.emplace_back().topic = at.topic;
        topics.back().partitions.push_back(at.partition);
      }
      auto& sent = request.assignments.emplace_back();
      sent.member_id = member.id;
      sent.assignment = Slice(encode_assignment(assignment, kEmbeddedVersion));
    }
  }
  network_.send(*coordinator_,
                make_request<SyncGroupRequest, SyncGroupResponse>(
                    std::move(request), SyncGroupRequest::kMaxVersion,
                    env_.config.max_poll_interval + kJoinSlack,
                    [this](const Result<SyncGroupResponse>& response) { synced(response); }));
}

void Group::synced(const Result<SyncGroupResponse>& response) {
  joining_ = false;
  if (stopped_) return;
  if (!response) return coordinator_lost();
  if (handle_coordinator_error(response->error_code)) return;
  const auto error = static_cast<KafkaError>(response->error_code);
  if (error != KafkaError::kNone) {
    if (error == KafkaError::kUnknownMemberId) member_id_.clear();
    return later([this] { join(); });
  }
  std::vector<TopicPartition> given;
  if (!response->assignment.empty()) {
    const auto assignment = unembed<ConsumerProtocolAssignment>(response->assignment);
    if (!assignment) return later([this] { join(); });
    for (const auto& topic : assignment->assigned_partitions) {
      for (const std::int32_t partition : topic.partitions)
        given.push_back({topic.topic, partition});
    }
  }
  member_ = true;
  heartbeat_later();
  observer_.assigned(given);
}

void Group::heartbeat_later() {
  env_.timers.cancel(heartbeat_timer_);
  heartbeat_timer_ = env_.timers.after(env_.config.heartbeat_interval, [this] { heartbeat(); });
}

void Group::heartbeat() {
  if (!member_ || stopped_) return;
  heartbeat_later();
  if (!coordinator_) return;
  HeartbeatRequest request;
  request.group_id = env_.config.group_id;
  request.generation_id = generation_;
  request.member_id = member_id_;
  request.group_instance_id = env_.config.group_instance_id;
  const bool astray = env_.config.mutated(Mutant::kHeartbeatElsewhere);
  network_.send(astray ? network_.least_loaded() : *coordinator_,
                make_request<HeartbeatRequest, HeartbeatResponse>(
                    std::move(request), HeartbeatRequest::kMaxVersion, env_.config.request_timeout,
                    [this, generation = generation_](const Result<HeartbeatResponse>& response) {
                      if (stopped_ || !member_ || generation != generation_) return;
                      if (!response) return coordinator_lost();
                      if (handle_coordinator_error(response->error_code)) return;
                      switch (static_cast<KafkaError>(response->error_code)) {
                        case KafkaError::kNone:
                          return;
                        case KafkaError::kRebalanceInProgress:
                          return rejoin(false, true);
                        case KafkaError::kUnknownMemberId:
                          return rejoin(true, false);
                        default:
                          return rejoin(true, true);
                      }
                    }));
}

void Group::rejoin(bool lost, bool keep_member) {
  env_.timers.cancel(std::exchange(heartbeat_timer_, 0));
  observer_.revoked(lost);  // may still commit as a member
  member_ = false;
  if (!keep_member) member_id_.clear();
  join();
}

void Group::stop() {
  stopped_ = true;
  env_.timers.cancel(std::exchange(heartbeat_timer_, 0));
}

}  // namespace ktrial::client
