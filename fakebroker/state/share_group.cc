// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/state/share_group.h"

#include <fmt/core.h>

#include <algorithm>

namespace ktrial::fakebroker {

using protocol::KafkaError;
using Request = ShareGroup::Request;
using Response = ShareGroup::Response;

namespace {

constexpr std::int32_t kJoin = 0;
constexpr std::int32_t kLeave = -1;

Response failed(KafkaError error, std::string message) {
  Response response;
  response.error_code = code(error);
  response.error_message = std::move(message);
  return response;
}

Response fenced(const ShareMember& member, std::int32_t epoch) {
  if (epoch > member.epoch) {
    return failed(KafkaError::kFencedMemberEpoch,
                  fmt::format("The share group member has a greater member epoch ({}) than the one "
                              "known by the group coordinator ({}). The member must abandon all "
                              "its partitions and rejoin.",
                              epoch, member.epoch));
  }
  return failed(KafkaError::kFencedMemberEpoch,
                fmt::format("The share group member has a smaller member epoch ({}) than the one "
                            "known by the group coordinator ({}), and it does not match the "
                            "previous member epoch ({}). The member must abandon all its "
                            "partitions and rejoin.",
                            epoch, member.epoch, member.previous_epoch));
}

}  // namespace

std::optional<Response> ShareGroup::refuse(const Request& request) {
  const auto invalid = [](std::string why) {
    return failed(KafkaError::kInvalidRequest, std::move(why));
  };
  // Without a message: it is refused before the coordinator sees it.
  if (request.member_id.empty()) {
    Response response;
    response.error_code = code(KafkaError::kInvalidRequest);
    return response;
  }
  if (request.group_id.empty()) return invalid("GroupId can't be empty.");
  if (request.rack_id == "") return invalid("RackId can't be empty.");
  if (request.member_epoch < kLeave) return invalid("MemberEpoch is invalid.");
  const auto& topics = request.subscribed_topic_names;
  if (request.member_epoch == kJoin && (!topics || topics->empty()))
    return invalid("SubscribedTopicNames must be set in first request.");
  return std::nullopt;
}

ShareGroup::ShareGroup(std::string id, const Services& services)
    : id_(std::move(id)), services_(services) {}

ShareGroup::~ShareGroup() {
  for (auto& [id, member] : members_) cancel(member.session_timer);
  for (auto& [place, tracked] : partitions_) cancel(tracked.lock_timer);
}

void ShareGroup::cancel(TimerService::Id& timer) {
  if (timer != 0) services_.group.timers.cancel(std::exchange(timer, 0));
}

Response ShareGroup::heartbeat(const Request& request, const GroupClient& client) {
  if (request.member_epoch == kLeave) return leave(request);
  Response fault;
  ShareMember* const member = find_or_add(request, fault);
  if (member == nullptr) return fault;
  bool bumped = update(*member, request, client);
  if (target_epoch_ >= epoch_ && assignment_is_behind()) bumped = true;
  std::map<std::string, TopicShape> topics = topics_now();
  if (std::exchange(topics_, topics) != topics) bumped = true;
  if (bumped) ++epoch_;
  refresh_target();
  const Assignment had = member->assigned;
  reconcile(*member, bumped);
  restart_session(*member);
  initialize_subscribed();

  Response response;
  response.member_id = member->id;
  response.member_epoch = member->epoch;
  response.heartbeat_interval_ms = static_cast<std::int32_t>(settings().heartbeat_interval.count());
  const bool tells_all = request.member_epoch == kJoin || request.subscribed_topic_names;
  if (!tells_all && member->assigned == had) return response;
  response.assignment.emplace();
  for (const auto& [topic, partitions] : member->assigned) {
    auto& entry = response.assignment->topic_partitions.emplace_back();
    entry.topic_id = topic;
    entry.partitions.assign(partitions.begin(), partitions.end());
  }
  return response;
}

ShareMember* ShareGroup::find_or_add(const Request& request, Response& fault) {
  const auto known = members_.find(request.member_id);
  const bool joins = request.member_epoch == kJoin;
  const std::size_t most = settings().max_size;
  if (members_.size() >= most && known == members_.end()) {
    fault = failed(
        KafkaError::kGroupMaxSizeReached,
        fmt::format("The share group has reached its maximum capacity of {} members.", most));
    return nullptr;
  }
  if (known == members_.end() && !joins) {
    fault = failed(KafkaError::kUnknownMemberId,
                   fmt::format("Member {} is not a member of group {}.", request.member_id, id_));
    return nullptr;
  }
  ShareMember& member = members_[request.member_id];
  member.id = request.member_id;
  if (joins || request.member_epoch == member.epoch) return &member;
  if (request.member_epoch < member.epoch && request.member_epoch == member.previous_epoch)
    return &member;
  fault = fenced(member, request.member_epoch);
  return nullptr;
}

// True if the assignor sees something else now.
bool ShareGroup::update(ShareMember& member, const Request& request, const GroupClient& client) {
  member.client = client;
  if (request.rack_id) member.rack = request.rack_id;
  if (!request.subscribed_topic_names) return false;
  std::set<std::string> subscription(request.subscribed_topic_names->begin(),
                                     request.subscribed_topic_names->end());
  return std::exchange(member.subscription, subscription) != subscription;
}

std::map<std::string, TopicShape> ShareGroup::topics_now() const {
  std::map<std::string, TopicShape> topics;
  for (const auto& [id, member] : members_) {
    for (const std::string& name : member.subscription) {
      if (topics.contains(name)) continue;
      if (const auto shape = services_.topics(name)) topics.emplace(name, *shape);
    }
  }
  return topics;
}

// Partitions were initialized that nobody has been assigned.
bool ShareGroup::assignment_is_behind() const {
  const Assignment ready = initialized();
  Assignment assigned;
  for (const auto& [id, partitions] : target_) {
    for (const auto& [topic, indexes] : partitions)
      assigned[topic].insert(indexes.begin(), indexes.end());
  }
  return std::any_of(topics_.begin(), topics_.end(), [&](const auto& topic) {
    const auto wanted = ready.find(topic.second.id);
    if (wanted == ready.end()) return false;
    const auto present = assigned.find(topic.second.id);
    return present == assigned.end() || present->second != wanted->second;
  });
}

void ShareGroup::refresh_target() {
  if (target_epoch_ >= epoch_) return;
  const TimePoint now = services_.group.clock.now();
  if (assigned_at_ && now - *assigned_at_ < settings().assignment_interval) return;
  ShareAssignorInput input;
  input.partitions = initialized();
  for (const auto& [id, member] : members_) {
    AssignorMember& entry = input.members.emplace_back();
    entry.id = id;
    if (const auto target = target_.find(id); target != target_.end())
      entry.current = target->second;
    for (const std::string& name : member.subscription) {
      if (const auto topic = topics_.find(name); topic != topics_.end())
        entry.topics.insert(topic->second.id);
    }
  }
  target_ = assign_shared(input);
  target_epoch_ = epoch_;
  assigned_at_ = now;
}

void ShareGroup::reconcile(ShareMember& member, bool bumped) {
  if (!bumped && member.epoch == target_epoch_) return;
  member.assigned.clear();
  for (const auto& [topic, partitions] : target_[member.id]) {
    const bool subscribed = std::any_of(member.subscription.begin(), member.subscription.end(),
                                        [&, id = topic](const auto& name) {
                                          const auto known = topics_.find(name);
                                          return known != topics_.end() && known->second.id == id;
                                        });
    if (subscribed) member.assigned[topic] = partitions;
  }
  if (member.epoch != target_epoch_)
    member.previous_epoch = std::exchange(member.epoch, target_epoch_);
}

// Known to the next heartbeat only, as by then a share coordinator has written it.
void ShareGroup::initialize_subscribed() {
  for (const auto& [name, shape] : topics_) {
    for (std::int32_t index = 0; index < shape.partitions; ++index)
      partitions_.try_emplace({shape.id, index});
  }
}

void ShareGroup::restart_session(ShareMember& member) {
  cancel(member.session_timer);
  member.session_timer = services_.group.timers.after(settings().session_timeout,
                                                      [this, id = member.id] { remove(id); });
}

Response ShareGroup::leave(const Request& request) {
  if (!members_.contains(request.member_id)) {
    return failed(KafkaError::kUnknownMemberId,
                  fmt::format("Member {} is not a member of group {}.", request.member_id, id_));
  }
  Response response;
  response.member_id = request.member_id;
  response.member_epoch = request.member_epoch;
  remove(request.member_id);
  return response;
}

void ShareGroup::remove(const std::string& member) {
  auto node = members_.extract(member);
  cancel(node.mapped().session_timer);
  target_.erase(node.key());
  topics_ = topics_now();
  ++epoch_;
  if (members_.empty()) target_epoch_ = epoch_;
}

bool ShareGroup::subscribed_to(std::string_view topic) const {
  return std::any_of(members_.begin(), members_.end(), [&](const auto& member) {
    return member.second.subscription.contains(std::string(topic));
  });
}

}  // namespace ktrial::fakebroker
