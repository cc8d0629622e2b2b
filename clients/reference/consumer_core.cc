// SPDX-License-Identifier: Apache-2.0
#include "clients/reference/consumer_core.h"

#include "protocol/messages/join_group_request.h"

#include <algorithm>
#include <utility>

namespace ktrial::client {

ConsumerCore::ConsumerCore(Env& env)
    : env_(env),
      network_(env),
      metadata_(env, network_),
      group_(
          env, network_, metadata_,
          {[this](const std::vector<TopicPartition>& partitions) { take_assignment(partitions); },
           [this](bool lost) { drop_assignment(lost); }}) {
  network_.on_trouble([this](int) { metadata_.request_update(); });
  metadata_.on_update([this] { metadata_changed(); });
}

void ConsumerCore::start(RebalanceCallback rebalanced) {
  rebalanced_ = std::move(rebalanced);
  if (env_.config.mutated(Mutant::kConnectInConstructor)) metadata_.ask();
}

void ConsumerCore::subscribe(const std::set<std::string>& topics) {
  topics_ = topics;
  group_.subscribe(topics);
  if (begun_ || env_.config.mutated(Mutant::kConnectOnSubscribe)) metadata_.use_topics(topics_);
}

void ConsumerCore::assign(const std::map<TopicPartition, std::optional<std::int64_t>>& partitions) {
  ++assignment_epoch_;
  assigned_.clear();
  buffer_.clear();
  topics_.clear();
  for (const auto& [at, offset] : partitions) {
    assigned_[at] = Partition{.fetch_from = offset, .consumed = offset};
    topics_.insert(at.topic);
  }
  if (begun_) {
    metadata_.use_topics(topics_);
    progress_later();
  }
}

void ConsumerCore::begin() {
  if (std::exchange(begun_, true)) return;
  const Config& config = env_.config;
  const bool in_group = !config.group_id.empty();
  const bool find_first = in_group && config.mutated(Mutant::kFindBeforeMetadata);
  if (find_first) group_.start(network_.least_loaded());
  metadata_.use_topics(topics_);
  // The node that metadata was asked of is the least loaded one: both go over one connection.
  if (in_group && !find_first && !config.mutated(Mutant::kJoinBeforeFind) &&
      !config.mutated(Mutant::kFindOnNewConnection)) {
    group_.start(network_.least_loaded());
  }
  if (in_group && config.auto_commit) auto_commit_later();
  progress_later();
}

void ConsumerCore::metadata_changed() {
  if (env_.config.mutated(Mutant::kJoinBeforeFind) && begun_ && !group_.started())
    join_before_find();
  if (env_.config.mutated(Mutant::kFindOnNewConnection) && begun_ && !group_.started())
    find_on_new_connection();
  std::map<std::string, std::size_t> counts;
  for (const std::string& topic : topics_) {
    const TopicInfo* info = metadata_.topic(topic);
    if (info != nullptr) counts[topic] = info->partitions.size();
  }
  // Partitions that appeared need an owner.
  if (std::exchange(partition_counts_, counts) != counts) group_.subscribe(topics_);
  group_.metadata_changed();
  progress();
}

void ConsumerCore::join_before_find() {
  protocol::JoinGroupRequest request;
  request.group_id = env_.config.group_id;
  request.session_timeout_ms = 10'000;
  request.protocol_type = "consumer";
  request.protocols.emplace_back().name = "range";
  for (const int node : network_.node_ids()) {
    network_.send(node,
                  make_request<protocol::JoinGroupRequest, protocol::JoinGroupResponse>(
                      request, protocol::JoinGroupRequest::kMaxVersion, env_.config.request_timeout,
                      [](const Result<protocol::JoinGroupResponse>&) {}));
  }
  group_.start(network_.least_loaded());
}

void ConsumerCore::find_on_new_connection() {
  const auto& entries = env_.config.bootstrap;
  int chosen = network_.least_loaded();
  for (const int node : network_.node_ids()) {
    const auto address = network_.address_of(node);
    if (address && std::ranges::find(entries, *address) == entries.end())
      chosen = std::max(chosen, node);
  }
  group_.start(chosen);
}

void ConsumerCore::take_assignment(const std::vector<TopicPartition>& partitions) {
  ++assignment_epoch_;
  assigned_.clear();
  buffer_.clear();
  for (const TopicPartition& at : partitions) assigned_[at].looking_up = true;
  if (rebalanced_) rebalanced_(RebalanceKind::kAssigned, partitions);
  if (partitions.empty()) return;
  group_.fetch_offsets(partitions, [this, epoch = assignment_epoch_](const Positions& committed) {
    if (epoch != assignment_epoch_) return;
    for (auto& [at, partition] : assigned_) {
      partition.looking_up = false;
      const auto found = committed.find(at);
      if (found != committed.end()) partition.fetch_from = partition.consumed = found->second;
    }
    progress();
  });
}

void ConsumerCore::drop_assignment(bool lost) {
  if (!lost && env_.config.auto_commit) group_.commit(positions(), [](const auto&) {});
  ++assignment_epoch_;
  std::vector<TopicPartition> gone;
  for (const auto& [at, partition] : assigned_) gone.push_back(at);
  assigned_.clear();
  buffer_.clear();
  if (rebalanced_) rebalanced_(lost ? RebalanceKind::kLost : RebalanceKind::kRevoked, gone);
}

void ConsumerCore::seek(const TopicPartition& at, std::int64_t offset) {
  const auto found = assigned_.find(at);
  if (found == assigned_.end()) return;
  std::erase_if(buffer_, [&](const InRecord& record) { return record.at == at; });
  found->second = Partition{.fetch_from = offset, .consumed = offset};
  // An answer under way to an older position does not match and is dropped when it comes.
}

void ConsumerCore::poll(Nanos timeout, std::function<void(std::vector<InRecord>)> done) {
  poller_ = std::move(done);
  if (!env_.config.mutated(Mutant::kPollDoesNothing)) begin();
  env_.timers.cancel(poll_timer_);
  poll_timer_ = env_.timers.after(timeout, [this] {
    if (poller_) std::exchange(poller_, {})({});
  });
  if (!buffer_.empty()) return hand_out();
  progress();
}

void ConsumerCore::hand_out() {
  if (!poller_ || buffer_.empty()) return;
  std::vector<InRecord> records;
  while (!buffer_.empty() && records.size() < env_.config.max_poll_records) {
    InRecord record = std::move(buffer_.front());
    buffer_.pop_front();
    Partition& partition = assigned_[record.at];
    partition.consumed = record.offset + 1;
    --partition.buffered;
    records.push_back(std::move(record));
  }
  env_.timers.cancel(std::exchange(poll_timer_, 0));
  std::exchange(poller_, {})(std::move(records));
}

Positions ConsumerCore::positions() const {
  Positions known;
  for (const auto& [at, partition] : assigned_) {
    if (partition.consumed) known[at] = *partition.consumed;
  }
  return known;
}

void ConsumerCore::commit(std::function<void(std::optional<ClientError>)> done) {
  if (env_.config.group_id.empty())
    return done(ClientError{"INVALID_GROUP_ID", false, "no group.id"});
  group_.commit(positions(), std::move(done));
}

void ConsumerCore::auto_commit_later() {
  commit_timer_ = env_.timers.after(env_.config.auto_commit_interval, [this] {
    auto_commit_later();
    group_.commit(positions(), [](const auto&) {});
  });
}

void ConsumerCore::close(Nanos timeout, std::function<void()> done) {
  if (closing_) return done();
  closing_ = true;
  on_closed_ = std::move(done);
  for (auto* timer : {&commit_timer_, &poll_timer_, &progress_timer_}) {
    env_.timers.cancel(std::exchange(*timer, 0));
  }
  if (poller_) std::exchange(poller_, {})({});
  close_timer_ = env_.timers.after(timeout, [this] { close_sockets(); });
  const bool commits = env_.config.auto_commit && !env_.config.mutated(Mutant::kNoCommitOnClose);
  const auto leave = [this](const std::optional<ClientError>&) {
    group_.leave([this] { close_sockets(); });
  };
  if (commits && env_.config.mutated(Mutant::kLeaveBeforeCommit)) {
    group_.leave([this] { group_.commit(positions(), [this](const auto&) { close_sockets(); }); });
  } else if (commits) {
    group_.commit(positions(), leave);
  } else {
    leave(std::nullopt);
  }
}

void ConsumerCore::close_sockets() {
  if (!on_closed_) return;
  env_.timers.cancel(std::exchange(close_timer_, 0));
  group_.stop();
  metadata_.stop();
  const Config& config = env_.config;
  const CloseKind kind = config.mutated(Mutant::kCloseRst)          ? CloseKind::kRst
                         : config.mutated(Mutant::kCloseWithoutFin) ? CloseKind::kLeak
                                                                    : CloseKind::kFin;
  network_.close_all(kind, Nanos::zero(), std::exchange(on_closed_, {}));
}

}  // namespace ktrial::client
