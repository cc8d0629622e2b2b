// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/state/consumer_group.h"

#include <algorithm>

namespace ktrial::fakebroker {

using protocol::KafkaError;
using Request = ConsumerGroup::Request;
using Response = ConsumerGroup::Response;

namespace {

constexpr std::int32_t kJoin = 0;
constexpr std::int32_t kLeave = -1;
constexpr std::int32_t kLeaveForAWhile = -2;  // a static member that means to come back

Response failed(KafkaError error, std::string message) {
  Response response;
  response.error_code = code(error);
  response.error_message = std::move(message);
  return response;
}

std::string_view meaning(KafkaError error) {
  switch (error) {
    case KafkaError::kUnknownMemberId:
      return "The member is not in the group.";
    case KafkaError::kFencedMemberEpoch:
      return "The member epoch is not the member's; join again.";
    case KafkaError::kFencedInstanceId:
      return "Another member has this instance id.";
    case KafkaError::kUnreleasedInstanceId:
      return "A member with this instance id is still there.";
    default:
      return "";
  }
}

Response failed(KafkaError error) { return failed(error, std::string(meaning(error))); }

std::optional<Assignment> owned_by(const Request& request) {
  if (!request.topic_partitions) return std::nullopt;
  Assignment owned;
  for (const auto& topic : *request.topic_partitions) {
    if (!topic.partitions.empty())
      owned[topic.topic_id].insert(topic.partitions.begin(), topic.partitions.end());
  }
  return owned;
}

// One that tells everything, as a client does when it cannot know what arrived.
bool is_full(const Request& request) {
  return request.member_epoch == kJoin ||
         (request.rebalance_timeout_ms != -1 && request.subscribed_topic_names &&
          request.topic_partitions);
}

// What a join must tell that a later heartbeat may leave out.
std::string_view missing_in_join(const Request& request) {
  if (request.rebalance_timeout_ms == -1)
    return "RebalanceTimeoutMs must be provided in first request.";
  if (!request.topic_partitions || !request.topic_partitions->empty())
    return "TopicPartitions must be empty when (re-)joining.";
  if (!request.subscribed_topic_names && !request.subscribed_topic_regex)
    return "Either SubscribedTopicNames or SubscribedTopicRegex must be non-null when "
           "(re-)joining.";
  return "";
}

std::string_view what_is_invalid(const Request& request, std::int16_t version) {
  // In v0 the coordinator gives out the id.
  if (request.member_id.empty() && (version >= 1 || request.member_epoch != kJoin))
    return "MemberId can't be empty.";
  if (request.group_id.empty()) return "GroupId can't be empty.";
  if (request.instance_id == "") return "InstanceId can't be empty.";
  if (request.rack_id == "") return "RackId can't be empty.";
  if (request.member_epoch < kLeaveForAWhile) return "MemberEpoch is invalid.";
  if (request.member_epoch == kLeaveForAWhile && !request.instance_id)
    return "InstanceId can't be null.";
  return request.member_epoch == kJoin ? missing_in_join(request) : std::string_view();
}

}  // namespace

std::optional<Response> ConsumerGroup::refuse(const Request& request, std::int16_t version) {
  const std::string_view invalid = what_is_invalid(request, version);
  if (!invalid.empty()) return failed(KafkaError::kInvalidRequest, std::string(invalid));
  if (request.server_assignor && !is_assignor(*request.server_assignor)) {
    return failed(KafkaError::kUnsupportedAssignor,
                  "ServerAssignor " + *request.server_assignor +
                      " is not supported. Supported assignors: uniform, range.");
  }
  if (request.subscribed_topic_regex && !request.subscribed_topic_regex->empty()) {
    return failed(KafkaError::kInvalidRegularExpression,
                  "This cluster does not match topics by SubscribedTopicRegex: subscribe by name.");
  }
  return std::nullopt;
}

ConsumerGroup::ConsumerGroup(std::string id, GroupServices& services, TopicLookup topics)
    : id_(std::move(id)), services_(services), lookup_(std::move(topics)) {}

ConsumerGroup::~ConsumerGroup() {
  for (auto& [id, member] : members_) {
    cancel(member.session_timer);
    cancel(member.revocation_timer);
  }
}

void ConsumerGroup::cancel(TimerService::Id& timer) {
  if (timer != 0) services_.timers.cancel(std::exchange(timer, 0));
}

Response ConsumerGroup::heartbeat(const Request& request, const GroupClient& client) {
  if (request.member_epoch == kLeave || request.member_epoch == kLeaveForAWhile)
    return leave(request);
  return join_or_continue(request, client);
}

Response ConsumerGroup::join_or_continue(const Request& request, const GroupClient& client) {
  // One step at most, however much the heartbeat changes.
  const std::int32_t next_epoch = epoch_ + 1;
  ConsumerMember* found = nullptr;
  const KafkaError invalid = find_or_add(request, found);
  if (invalid != KafkaError::kNone) return failed(invalid);
  ConsumerMember& member = *found;
  if (update(member, request, client)) epoch_ = next_epoch;
  if (epoch_ != next_epoch) refresh_topics();
  refresh_target();

  const Assignment had = member.assigned;
  const Assignment was_revoking = member.revoking;
  reconcile(member, target_epoch_, target_[member.id], owned_by(request),
            [this](const protocol::Uuid& topic, std::int32_t partition) {
              return is_held(topic, partition);
            });
  restart_session(member);
  if (member.revoking != was_revoking) watch_revocation(member);

  Response response;
  response.member_id = member.id;
  response.member_epoch = member.epoch;
  response.heartbeat_interval_ms =
      static_cast<std::int32_t>(services_.settings.consumer_heartbeat_interval.count());
  if (!is_full(request) && member.assigned == had) return response;
  response.assignment.emplace();
  for (const auto& [topic, partitions] : member.assigned) {
    auto& entry = response.assignment->topic_partitions.emplace_back();
    entry.topic_id = topic;
    entry.partitions.assign(partitions.begin(), partitions.end());
  }
  return response;
}

KafkaError ConsumerGroup::find_or_add(const Request& request, ConsumerMember*& member) {
  if (request.instance_id) {
    const KafkaError invalid = find_static(request, member);
    if (invalid != KafkaError::kNone) return invalid;
  } else if (const auto known = members_.find(request.member_id); known != members_.end()) {
    member = &known->second;
  } else if (request.member_epoch == kJoin) {
    member = &add(request);
  } else {
    return KafkaError::kUnknownMemberId;
  }
  if (request.member_epoch == kJoin) {
    // It begins again, whatever it had.
    member->epoch = kJoin;
    member->state = ConsumerMember::State::kStable;
    return KafkaError::kNone;
  }
  if (request.member_epoch == member->epoch) return KafkaError::kNone;
  // The answer that raised its epoch may have been lost.
  const bool one_behind = request.member_epoch == member->previous_epoch;
  const bool owns_no_more =
      request.topic_partitions && is_subset(*owned_by(request), member->assigned);
  return one_behind && owns_no_more ? KafkaError::kNone : KafkaError::kFencedMemberEpoch;
}

KafkaError ConsumerGroup::find_static(const Request& request, ConsumerMember*& member) {
  const auto known = static_members_.find(*request.instance_id);
  if (known == static_members_.end()) {
    if (request.member_epoch != kJoin) return KafkaError::kUnknownMemberId;
    member = &add(request);
    return KafkaError::kNone;
  }
  ConsumerMember& present = members_.at(known->second);
  if (request.member_epoch == kJoin) {
    if (present.epoch == kLeaveForAWhile) {
      member = &take_over(request);
      return KafkaError::kNone;
    }
    if (present.id != request.member_id) return KafkaError::kUnreleasedInstanceId;
  } else if (present.id != request.member_id) {
    return KafkaError::kFencedInstanceId;
  }
  member = &present;
  return KafkaError::kNone;
}

ConsumerMember& ConsumerGroup::add(const Request& request) {
  const std::string id =
      request.member_id.empty() ? services_.member_ids.next() : request.member_id;
  ConsumerMember& member = members_[id];
  member.id = id;
  member.instance_id = request.instance_id;
  if (member.instance_id) static_members_[*member.instance_id] = id;
  ++epoch_;
  return member;
}

// Its target goes on to the new member id, so that nobody else's changes.
ConsumerMember& ConsumerGroup::take_over(const Request& request) {
  const std::string old_id = static_members_.at(*request.instance_id);
  auto node = members_.extract(old_id);
  node.key() = request.member_id.empty() ? services_.member_ids.next() : request.member_id;
  node.mapped().id = node.key();
  ConsumerMember& member = members_.insert(std::move(node)).position->second;
  static_members_[*member.instance_id] = member.id;
  if (auto target = target_.extract(old_id); !target.empty()) {
    target.key() = member.id;
    target_.insert(std::move(target));
  }
  return member;
}

bool ConsumerGroup::update(ConsumerMember& member, const Request& request,
                           const GroupClient& client) {
  member.client = client;
  if (request.rack_id) member.rack = request.rack_id;
  if (request.rebalance_timeout_ms != -1)
    member.rebalance_timeout = Millis(request.rebalance_timeout_ms);
  if (request.server_assignor) member.assignor = request.server_assignor;
  if (!request.subscribed_topic_names) return false;
  std::set<std::string> subscription(request.subscribed_topic_names->begin(),
                                     request.subscribed_topic_names->end());
  return std::exchange(member.subscription, subscription) != subscription;
}

Response ConsumerGroup::leave(const Request& request) {
  std::string leaving = request.member_id;
  if (request.instance_id) {
    const auto known = static_members_.find(*request.instance_id);
    if (known == static_members_.end()) return failed(KafkaError::kUnknownMemberId);
    if (known->second != request.member_id) return failed(KafkaError::kFencedInstanceId);
  }
  const auto found = members_.find(leaving);
  if (found == members_.end()) return failed(KafkaError::kUnknownMemberId);
  if (request.member_epoch == kLeaveForAWhile) {
    found->second.epoch = kLeaveForAWhile;
    found->second.revoking.clear();
    cancel(found->second.revocation_timer);
  } else {
    remove(leaving);
  }
  Response response;
  response.member_id = std::move(leaving);
  response.member_epoch = request.member_epoch;
  return response;
}

}  // namespace ktrial::fakebroker
