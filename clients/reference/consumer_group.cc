// SPDX-License-Identifier: Apache-2.0
#include "clients/reference/consumer_group.h"

#include <algorithm>
#include <utility>

namespace ktrial::client {

using protocol::KafkaError;
using protocol::Uuid;

namespace {

constexpr std::int32_t kLeave = -1;
constexpr std::int32_t kLeaveForAWhile = -2;  // a static member means to come back

std::string random_id(Rng& rng) {
  Uuid id;
  for (std::size_t i = 0; i < id.bytes.size(); ++i) {
    id.bytes[i] = static_cast<std::uint8_t>(rng.below(256));
  }
  return id.to_string();
}

}  // namespace

ConsumerGroup::ConsumerGroup(Env& env, Network& network, Metadata& metadata, Observer observer)
    : Group(env, network, metadata, std::move(observer)), member_id_(random_id(env.rng)) {}

MemberIdentity ConsumerGroup::identity() const {
  if (epoch_ <= 0) return {};
  return {member_id_, epoch_, true};
}

void ConsumerGroup::subscribe(std::set<std::string> topics) {
  topics_ = std::move(topics);
  heartbeat();
}

void ConsumerGroup::metadata_changed() {
  reconcile();
  if (started() && state_ == State::kOut) heartbeat();
}

void ConsumerGroup::polled() {
  Group::polled();
  if (state_ != State::kWaiting) return;
  state_ = State::kOut;
  heartbeat();
}

void ConsumerGroup::poll_overdue() {
  if (state_ != State::kMember && state_ != State::kOut) return;
  send_leave([] {});
  lose(State::kWaiting);
}

// One at a time; the first one joins.
void ConsumerGroup::heartbeat() {
  const bool can = (state_ == State::kOut || state_ == State::kMember) && started() && !stopped() &&
                   !topics_.empty() && coordinator().node();
  if (!can) return;
  if (in_flight_) {
    due_ = true;
    return;
  }
  in_flight_ = true;
  due_ = false;
  env().timers.cancel(std::exchange(timer_, 0));
  sent_at_ = env().clock.now();
  const Request request = next_request();
  network().send(*coordinator().node(),
                 make_request<Request, Response>(
                     request, Request::kMaxVersion, config().request_timeout,
                     [this, request, life = life_](const Result<Response>& response) {
                       in_flight_ = false;
                       if (stopped() || state_ == State::kGone) return;
                       if (life == life_) answered(request, response);
                       if (due_ || life != life_) heartbeat();
                     }));
}

ConsumerGroup::Request ConsumerGroup::next_request() const {
  Request request;
  request.group_id = config().group_id;
  request.member_id = member_id_;
  request.member_epoch = epoch_;
  request.instance_id = config().group_instance_id;
  request.topic_partitions.emplace();
  for (const auto& [id, partitions] : owned_) {
    auto& topic = request.topic_partitions->emplace_back();
    topic.topic_id = id;
    for (const auto& [partition, name] : partitions) topic.partitions.push_back(partition);
  }
  if (!tell_all_ && request.topic_partitions == told_owned_) request.topic_partitions.reset();
  if (tell_all_ || topics_ != told_topics_) {
    request.subscribed_topic_names.emplace(topics_.begin(), topics_.end());
  }
  if (!tell_all_) return request;
  request.rebalance_timeout_ms = static_cast<std::int32_t>(config().max_poll_interval.count());
  if (!config().rack.empty()) request.rack_id = config().rack;
  if (!config().remote_assignor.empty()) request.server_assignor = config().remote_assignor;
  return request;
}

void ConsumerGroup::answered(const Request& sent, const Result<Response>& response) {
  if (!response && response.error().code == Errc::kUnsupported) {
    return give_up(
        {"UNSUPPORTED_VERSION", false, "group.protocol=consumer: " + response.error().message});
  }
  // What the coordinator has of a heartbeat that failed is not known.
  if (!response || response->error_code != 0) tell_all_ = true;
  if (!response) return coordinator().lost();
  if (response->error_code != 0) return refused(*response);
  take(sent, *response);
}

void ConsumerGroup::refused(const Response& response) {
  if (coordinator().lost_by(response.error_code)) return;
  const auto error = static_cast<KafkaError>(response.error_code);
  const bool forgotten = error == KafkaError::kGroupIdNotFound && epoch_ > 0;
  if (error == KafkaError::kFencedMemberEpoch || error == KafkaError::kUnknownMemberId ||
      forgotten) {
    return lose();
  }
  if (protocol::retriable(error)) return later([this] { heartbeat(); });
  ClientError why = client_error(response.error_code);
  if (response.error_message) why.message = *response.error_message;
  give_up(why);
}

void ConsumerGroup::take(const Request& sent, const Response& response) {
  succeeded();
  tell_all_ = false;
  if (sent.subscribed_topic_names) {
    told_topics_ = {sent.subscribed_topic_names->begin(), sent.subscribed_topic_names->end()};
  }
  if (sent.topic_partitions) told_owned_ = sent.topic_partitions;
  state_ = State::kMember;
  epoch_ = response.member_epoch;
  if (response.member_id) member_id_ = *response.member_id;
  if (response.heartbeat_interval_ms > 0) interval_ = Millis(response.heartbeat_interval_ms);
  if (response.assignment) {
    auto& target = target_.emplace();
    for (const auto& topic : response.assignment->topic_partitions) {
      target[topic.topic_id].insert(topic.partitions.begin(), topic.partitions.end());
    }
  }
  // Counted from when the heartbeat was sent.
  const Nanos left = sent_at_ + interval_ - env().clock.now();
  env().timers.cancel(timer_);
  timer_ = env().timers.after(std::max(left, Nanos::zero()), [this] {
    timer_ = 0;
    heartbeat();
  });
  // The subscription may have changed since.
  if (topics_ != told_topics_) due_ = true;
  reconcile();
}

std::vector<TopicPartition> ConsumerGroup::missing_in_target() const {
  std::vector<TopicPartition> gone;
  for (const auto& [id, partitions] : owned_) {
    const auto wanted = target_->find(id);
    for (const auto& [partition, name] : partitions) {
      if (wanted == target_->end() || !wanted->second.contains(partition))
        gone.push_back({name, partition});
    }
  }
  return gone;
}

ConsumerGroup::ById ConsumerGroup::new_in_target() {
  ById added;
  for (const auto& [id, partitions] : *target_) {
    const auto name = metadata().name_of(id);
    if (!name) {
      metadata().request_update();
      continue;
    }
    const auto has = owned_.find(id);
    for (const std::int32_t partition : partitions) {
      if (has == owned_.end() || !has->second.contains(partition)) added[id][partition] = *name;
    }
  }
  return added;
}

void ConsumerGroup::reconcile() {
  if (reconciling_ || !target_ || state_ != State::kMember) return;
  const std::vector<TopicPartition> gone = missing_in_target();
  if (gone.empty() && new_in_target().empty()) return;
  reconciling_ = true;
  // The target may change while the application is told.
  const auto go_on = [this, gone, life = life_] {
    if (life != life_) return;
    for (auto& [id, partitions] : owned_) {
      std::erase_if(partitions, [&](const auto& entry) {
        return std::ranges::find(gone, TopicPartition{entry.second, entry.first}) != gone.end();
      });
    }
    std::erase_if(owned_, [](const auto& entry) { return entry.second.empty(); });
    take_on(new_in_target());
  };
  gone.empty() ? go_on() : observer().revoked(gone, false, go_on);
}

void ConsumerGroup::take_on(const ById& added) {
  std::vector<TopicPartition> names;
  for (const auto& [id, partitions] : added) {
    for (const auto& [partition, name] : partitions) {
      names.push_back({name, partition});
      owned_[id][partition] = name;
    }
  }
  const auto acknowledge = [this, life = life_] {
    if (life != life_) return;
    reconciling_ = false;
    heartbeat();
    reconcile();
  };
  names.empty() ? acknowledge() : observer().assigned(names, acknowledge);
}

void ConsumerGroup::lose(State after) {
  ++life_;
  epoch_ = 0;
  tell_all_ = true;
  reconciling_ = false;
  target_.reset();
  std::vector<TopicPartition> gone;
  for (const auto& [id, partitions] : std::exchange(owned_, {})) {
    for (const auto& [partition, name] : partitions) gone.push_back({name, partition});
  }
  env().timers.cancel(std::exchange(timer_, 0));
  const auto join = [this, life = life_] {
    if (life != life_ || state_ != State::kYielding) return;
    state_ = State::kOut;
    heartbeat();
  };
  state_ = after == State::kOut ? State::kYielding : after;
  gone.empty() ? later(join) : observer().revoked(gone, true, join);
}

void ConsumerGroup::give_up(const ClientError& error) {
  lose(State::kGone);
  observer().failed(error, true);
}

void ConsumerGroup::leave(Done done) {
  const bool silent = config().mutated(Mutant::kNoLeaveGroup) || state_ == State::kGone;
  state_ = State::kGone;
  env().timers.cancel(std::exchange(timer_, 0));
  if (silent) return done();
  send_leave(std::move(done));
}

void ConsumerGroup::send_leave(Done done) {
  if (!coordinator().node() || (epoch_ <= 0 && !in_flight_)) return done();
  Request request;
  request.group_id = config().group_id;
  request.member_id = member_id_;
  request.instance_id = config().group_instance_id;
  request.member_epoch = config().group_instance_id ? kLeaveForAWhile : kLeave;
  network().send(*coordinator().node(),
                 make_request<Request, Response>(std::move(request), Request::kMaxVersion,
                                                 config().request_timeout,
                                                 [done](const Result<Response>&) { done(); }));
}

void ConsumerGroup::stop() {
  Group::stop();
  env().timers.cancel(std::exchange(timer_, 0));
}

}  // namespace ktrial::client
