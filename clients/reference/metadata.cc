// SPDX-License-Identifier: Apache-2.0
#include "clients/reference/metadata.h"

#include "protocol/errors.h"
#include "protocol/messages/metadata_request.h"

namespace ktrial::client {

using protocol::MetadataRequest;
using protocol::MetadataResponse;

void Metadata::use_topics(const std::set<std::string>& topics) {
  bool is_new = false;
  for (const std::string& topic : topics)
    is_new |= wanted_.insert_or_assign(topic, env_.clock.now()).second;
  if (!is_new) return;
  if (in_flight_) {
    again_ = true;
  } else {
    failures_ = 0;
    ask();
  }
}

void Metadata::touch(const std::string& topic) {
  const auto found = wanted_.find(topic);
  if (found != wanted_.end()) found->second = env_.clock.now();
}

void Metadata::forget_idle_topics() {
  if (env_.config.role != Role::kProducer) return;
  const TimePoint before = env_.clock.now() - env_.config.metadata_max_idle;
  std::erase_if(wanted_, [&](const auto& entry) {
    if (entry.second >= before) return false;
    topics_.erase(entry.first);
    return true;
  });
}

void Metadata::request_update() {
  if (in_flight_ || stopped_ || env_.config.mutated(Mutant::kIgnoresTrouble)) return;
  schedule(last_asked_ + env_.config.retry_backoff - env_.clock.now());
}

void Metadata::stop() {
  stopped_ = true;
  for (auto* timer : {&timer_, &recovery_timer_}) env_.timers.cancel(std::exchange(*timer, 0));
}

// An earlier appointment stands.
void Metadata::schedule(Nanos delay) {
  if (stopped_) return;
  const TimePoint due = env_.clock.now() + std::max(delay, Nanos::zero());
  if (timer_ != 0) {
    if (due_ <= due) return;
    env_.timers.cancel(timer_);
  }
  due_ = due;
  timer_ = env_.timers.after(due - env_.clock.now(), [this] {
    timer_ = 0;
    ask();
  });
}

int Metadata::choose_node() {
  if (env_.config.mutated(Mutant::kMetadataOnCoordinator)) {
    for (const int id : network_.private_ids()) {
      if (network_.connected(id)) return id;
    }
  }
  if (env_.config.mutated(Mutant::kMetadataOnFirst) && network_.connected(-1)) return -1;
  return network_.least_loaded();
}

bool Metadata::may_rebootstrap() const {
  return env_.config.rebootstrap && !network_.bootstrapping() &&
         !env_.config.mutated(Mutant::kNeverRebootstraps);
}

void Metadata::rebootstrap() {
  env_.timers.cancel(std::exchange(recovery_timer_, 0));
  network_.rebootstrap();
}

// Brokers that accept and say nothing are as good as none (KIP-1102).
void Metadata::watch_recovery() {
  if (recovery_timer_ != 0 || !may_rebootstrap()) return;
  recovery_timer_ = env_.timers.after(env_.config.rebootstrap_trigger, [this] {
    recovery_timer_ = 0;
    if (stopped_ || !may_rebootstrap()) return;
    rebootstrap();  // what is in flight fails
    ask();
  });
}

void Metadata::ask(std::optional<int> node) {
  if (in_flight_ || stopped_) return;
  if (!network_.has_candidate() && may_rebootstrap()) {
    rebootstrap();
    node.reset();
  }
  watch_recovery();
  env_.timers.cancel(std::exchange(timer_, 0));
  in_flight_ = true;
  again_ = false;
  last_asked_ = env_.clock.now();
  forget_idle_topics();
  MetadataRequest request;
  request.allow_auto_topic_creation = env_.config.auto_create_topics;
  if (env_.config.mutated(Mutant::kMetadataAllTopics)) {
    request.topics.reset();
  } else {
    request.topics.emplace();
    for (const auto& [topic, used] : wanted_) request.topics->emplace_back().name = topic;
  }
  if (env_.config.mutated(Mutant::kMetadataToAll)) {
    for (const int id : network_.node_ids()) {
      network_.send(id, make_request<MetadataRequest, MetadataResponse>(
                            request, MetadataRequest::kMaxVersion, env_.config.request_timeout,
                            [](const Result<MetadataResponse>&) {}));
    }
  }
  network_.send(node.value_or(choose_node()),
                make_request<MetadataRequest, MetadataResponse>(
                    std::move(request), MetadataRequest::kMaxVersion, env_.config.request_timeout,
                    [this](const Result<MetadataResponse>& response) { answered(response); }));
}

Nanos Metadata::retry_pause() {
  if (env_.config.mutated(Mutant::kMetadataHammer)) return std::chrono::milliseconds(10);
  ExponentialBackoff backoff{env_.config.retry_backoff, env_.config.retry_backoff_max};
  if (env_.config.mutated(Mutant::kConstantBackoffMetadata)) backoff.factor = 1;
  return backoff.pause(failures_, env_.rng);
}

void Metadata::answered(const Result<MetadataResponse>& response) {
  in_flight_ = false;
  if (stopped_) return;
  if (response && may_rebootstrap() &&
      response->error_code == code(protocol::KafkaError::kRebootstrapRequired)) {
    rebootstrap();
    return ask();
  }
  // A broker that has just started may not know the others yet: without brokers it is no answer.
  const bool empty =
      response && response->brokers.empty() && !env_.config.mutated(Mutant::kBelievesEmptyMetadata);
  const bool answered = response && response->error_code == 0 && !empty;
  if (answered) {
    env_.timers.cancel(std::exchange(recovery_timer_, 0));
    take(*response);
  }
  // What is missing is asked for again, ever more slowly; the age counts from a success.
  if (answered && complete()) {
    failures_ = 0;
    const Config& config = env_.config;
    if (!config.mutated(Mutant::kNoMetadataRefresh)) {
      const Nanos age = config.metadata_max_age;
      schedule(config.mutated(Mutant::kMetadataTooOften) ? age / 4
               : config.mutated(Mutant::kMetadataLate)   ? age * 3 / 2
                                                         : age);
    }
  } else {
    ++failures_;
    if (!env_.config.mutated(Mutant::kMetadataGivesUp)) schedule(retry_pause());
  }
  if (answered) {
    for (const auto& observer : observers_) observer();
  }
  if (again_ && !in_flight_) ask();
}

void Metadata::take(const MetadataResponse& response) {
  updated_ = true;
  std::map<int, HostPort> nodes;
  for (const auto& broker : response.brokers) {
    nodes[broker.node_id] = {broker.host, static_cast<std::uint16_t>(broker.port)};
  }
  if (!nodes.empty()) network_.set_nodes(nodes);
  for (const auto& topic : response.topics) {
    if (!topic.name) continue;
    TopicInfo& info = topics_[*topic.name];
    info.error = topic.error_code;
    // Another topic of that name: its epochs begin anew.
    if (topic.error_code == 0 && topic.topic_id != info.id) info.partitions.clear();
    if (topic.error_code == 0) info.id = topic.topic_id;
    if (topic.error_code != 0) info.partitions.clear();
    for (const auto& partition : topic.partitions) {
      PartitionInfo& known = info.partitions[partition.partition_index];
      // A broker that lags behind may still name the leader before.
      const bool stale = partition.leader_epoch >= 0 && partition.leader_epoch < known.leader_epoch;
      if (stale && !env_.config.mutated(Mutant::kTakesStaleEpoch)) continue;
      known = {partition.leader_id, partition.leader_epoch};
    }
  }
}

bool Metadata::complete() const {
  for (const auto& [name, used] : wanted_) {
    const TopicInfo* info = topic(name);
    if (info == nullptr || info->error != 0) return false;
    for (const auto& [index, partition] : info->partitions) {
      if (partition.leader < 0) return false;
    }
  }
  return true;
}

const TopicInfo* Metadata::topic(const std::string& name) const {
  const auto found = topics_.find(name);
  return found == topics_.end() ? nullptr : &found->second;
}

std::optional<int> Metadata::leader(const std::string& name, std::int32_t partition) const {
  const TopicInfo* info = topic(name);
  if (info == nullptr || info->error != 0) return std::nullopt;
  const auto found = info->partitions.find(partition);
  if (found == info->partitions.end() || !network_.knows(found->second.leader)) return std::nullopt;
  return found->second.leader;
}

std::int32_t Metadata::leader_epoch(const std::string& name, std::int32_t partition) const {
  const TopicInfo* info = topic(name);
  if (info == nullptr) return -1;
  const auto found = info->partitions.find(partition);
  return found == info->partitions.end() ? -1 : found->second.leader_epoch;
}

std::optional<std::string> Metadata::name_of(const protocol::Uuid& id) const {
  for (const auto& [name, info] : topics_) {
    if (info.error == 0 && info.id == id && !id.is_zero()) return name;
  }
  return std::nullopt;
}

bool Metadata::take_leader(const std::string& name, std::int32_t partition,
                           const PartitionInfo& leader) {
  const auto known = topics_.find(name);
  if (known == topics_.end() || !network_.knows(leader.leader)) return false;
  const auto found = known->second.partitions.find(partition);
  if (found == known->second.partitions.end()) return false;
  if (leader.leader < 0 || leader.leader_epoch <= found->second.leader_epoch) return false;
  found->second = leader;
  return true;
}

}  // namespace ktrial::client
