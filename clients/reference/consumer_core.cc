// SPDX-License-Identifier: Apache-2.0
#include "clients/reference/consumer_core.h"

#include "protocol/messages/join_group_request.h"
#include "protocol/messages/join_group_response.h"

#include <algorithm>
#include <utility>

namespace ktrial::client {

namespace {

constexpr std::size_t kMostErrors = 16;

// Looking again does not mend these.
bool is_refusal(std::int16_t error) {
  const auto known = static_cast<protocol::KafkaError>(error);
  return known == protocol::KafkaError::kTopicAuthorizationFailed ||
         known == protocol::KafkaError::kInvalidTopicException;
}

}  // namespace

ConsumerCore::ConsumerCore(Env& env)
    : env_(env), network_(env), metadata_(env, network_), lookup_(env, network_, metadata_) {
  if (!env_.config.group_id.empty()) {
    group_ = make_group(
        env_, network_, metadata_,
        {[this](const auto& added, Done done) { take_assignment(added, std::move(done)); },
         [this](const auto& gone, bool lost, Done done) {
           drop_assignment(gone, lost, std::move(done));
         },
         [this](const ClientError& error, bool for_good) { group_failed(error, for_good); }});
  }
  network_.on_trouble([this](int) { metadata_.request_update(); });
  metadata_.on_update([this] { metadata_changed(); });
}

void ConsumerCore::start(RebalanceListener listener) {
  listener_ = std::move(listener);
  if (env_.config.mutated(Mutant::kConnectInConstructor)) metadata_.ask();
}

void ConsumerCore::subscribe(const std::set<std::string>& topics) {
  topics_ = topics;
  subscribed_ = true;
  if (group_) group_->subscribe(topics);
  if (begun_ || env_.config.mutated(Mutant::kConnectOnSubscribe)) metadata_.use_topics(topics_);
}

void ConsumerCore::assign(const std::map<TopicPartition, std::optional<std::int64_t>>& partitions) {
  std::map<TopicPartition, AssignedPartition> before = std::exchange(assigned_, {});
  ready_.clear();
  topics_.clear();
  for (const auto& [at, offset] : partitions) {
    topics_.insert(at.topic);
    AssignedPartition& partition = assigned_[at];
    const auto known = before.find(at);
    if (known != before.end() && !offset) {
      partition = std::move(known->second);
      if (!partition.buffer.empty()) ready_.push_back(at);
      continue;
    }
    if (offset) partition.move_to(*offset);
    partition.wants_committed = !offset && group_ != nullptr;
    partition.seeks = seeks_ += kManySeeks;
  }
  if (!begun_) return;
  metadata_.use_topics(topics_);
  progress();
}

void ConsumerCore::begin() {
  if (std::exchange(begun_, true)) return;
  const Config& config = env_.config;
  const bool find_first = group_ && config.mutated(Mutant::kFindBeforeMetadata);
  if (find_first) group_->start(network_.least_loaded());
  metadata_.use_topics(topics_);
  // The node that metadata was asked of is the least loaded one: both go over one connection.
  if (group_ && !find_first && !config.mutated(Mutant::kJoinBeforeFind) &&
      !config.mutated(Mutant::kFindOnNewConnection)) {
    group_->start(network_.least_loaded());
  }
  if (group_ && config.auto_commit) auto_commit_later();
}

void ConsumerCore::metadata_changed() {
  if (closing_) return;
  if (env_.config.mutated(Mutant::kJoinBeforeFind) && begun_ && group_ && !group_->started())
    join_before_find();
  if (env_.config.mutated(Mutant::kFindOnNewConnection) && begun_ && group_ && !group_->started())
    find_on_new_connection();
  std::map<std::string, std::size_t> counts;
  std::set<std::string> watched = topics_;
  if (group_) watched.merge(group_->watched_topics());
  for (const std::string& topic : watched) {
    const TopicInfo* info = metadata_.topic(topic);
    if (info == nullptr) continue;
    if (info->error == 0) counts[topic] = info->partitions.size();
    if (is_refusal(info->error)) {
      note({std::string(protocol::name(static_cast<protocol::KafkaError>(info->error))), false,
            topic});
    }
  }
  // Partitions that appeared need an owner.
  const bool grown = std::ranges::any_of(counts, [this](const auto& entry) {
    const auto before = partition_counts_.find(entry.first);
    return before != partition_counts_.end() && before->second != entry.second;
  });
  partition_counts_ = std::move(counts);
  if (group_ && grown) group_->partitions_changed();
  if (group_) group_->metadata_changed();
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
  group_->start(network_.least_loaded());
}

void ConsumerCore::find_on_new_connection() {
  const auto& entries = env_.config.bootstrap;
  std::optional<int> chosen;
  for (const int node : network_.node_ids()) {
    const auto address = network_.address_of(node);
    if (address && std::ranges::find(entries, *address) == entries.end())
      chosen = std::max(chosen.value_or(node), node);
  }
  group_->start(chosen ? *chosen : network_.least_loaded());
}

bool ConsumerCore::due(const AssignedPartition& partition) const {
  return !partition.leaving && partition.retry_at <= env_.clock.now();
}

void ConsumerCore::put_off(AssignedPartition& partition) {
  const ExponentialBackoff backoff{env_.config.retry_backoff, env_.config.retry_backoff_max};
  partition.retry_at = env_.clock.now() + backoff.pause(++partition.failures, env_.rng);
}

void ConsumerCore::progress() {
  if (!begun_ || closing_) return;
  look_up_positions();
  answer_position_calls();
  if (!poller_ || !report_error()) fetch();
  progress_when_due();
}

// Wakes up for the partition that may be tried again soonest.
void ConsumerCore::progress_when_due() {
  TimePoint next = TimePoint::max();
  for (const auto& [at, partition] : assigned_) {
    if (partition.retry_at > env_.clock.now()) next = std::min(next, partition.retry_at);
  }
  env_.timers.cancel(std::exchange(progress_timer_, 0));
  if (next == TimePoint::max()) return;
  progress_timer_ = env_.timers.after(next - env_.clock.now(), [this] {
    progress_timer_ = 0;
    progress();
  });
}

void ConsumerCore::poll(Nanos timeout, std::function<void(Polled)> done) {
  if (closing_) return done({.error = ClientError{"CLOSED", false, "the consumer is closed"}});
  if (poller_) return done({.error = ClientError{"CONCURRENT_POLL", false, "another poll waits"}});
  poller_ = std::move(done);
  env_.timers.cancel(std::exchange(poll_interval_timer_, 0));
  for (auto& [at, partition] : assigned_) partition.processed = partition.consumed;
  poll_timer_ = env_.timers.after(timeout, [this] { finish_poll({}); });
  if (!env_.config.mutated(Mutant::kPollDoesNothing)) begin();
  if (group_) group_->polled();
  run_work();
  hand_out();
  progress();
}

void ConsumerCore::finish_poll(Polled result) {
  if (!poller_) return;
  env_.timers.cancel(std::exchange(poll_timer_, 0));
  watch_poll_interval();
  std::exchange(poller_, {})(std::move(result));
}

void ConsumerCore::watch_poll_interval() {
  if (!group_ || !subscribed_ || closing_) return;
  env_.timers.cancel(poll_interval_timer_);
  poll_interval_timer_ = env_.timers.after(env_.config.max_poll_interval, [this] {
    poll_interval_timer_ = 0;
    group_->poll_overdue();
  });
}

// Records that came before an error are handed out before it.
bool ConsumerCore::report_error() {
  if (!ready_.empty() && !fatal_) hand_out();
  if (!poller_) return true;
  std::optional<ClientError> error = fatal_;
  if (!error && !errors_.empty()) {
    error = std::move(errors_.front());
    errors_.pop_front();
  }
  for (const auto& [at, partition] : assigned_) {
    if (!error && partition.buffer.empty() && !partition.leaving) error = partition.error;
  }
  if (!error) return false;
  finish_poll({.error = std::move(error)});
  return true;
}

// Without a poll the same is found wrong again and again.
void ConsumerCore::note(ClientError error) {
  if (errors_.size() < kMostErrors) errors_.push_back(std::move(error));
}

void ConsumerCore::hand_out() {
  if (!poller_ || fatal_) return;
  std::vector<InRecord> records;
  std::deque<TopicPartition> kept;
  while (!ready_.empty()) {
    const TopicPartition at = std::move(ready_.front());
    ready_.pop_front();
    const auto found = assigned_.find(at);
    if (found == assigned_.end() || found->second.buffer.empty()) continue;
    AssignedPartition& partition = found->second;
    while (!partition.paused && !partition.leaving && !partition.buffer.empty() &&
           records.size() < env_.config.max_poll_records) {
      partition.consumed = partition.buffer.front().offset + 1;
      records.push_back(std::move(partition.buffer.front()));
      partition.buffer.pop_front();
    }
    // What lay between the last record and the next offset to fetch nobody is to see.
    if (partition.buffer.empty()) partition.consumed = partition.fetch_from;
    if (!partition.buffer.empty()) kept.push_back(at);
  }
  ready_ = std::move(kept);
  if (!records.empty()) finish_poll({.records = std::move(records)});
}

void ConsumerCore::close(Nanos timeout, Done done) {
  if (closing_) return done();
  closing_ = true;
  on_closed_ = std::move(done);
  close_by_ = env_.clock.now() + timeout;
  for (auto* timer : {&commit_timer_, &poll_timer_, &progress_timer_, &poll_interval_timer_}) {
    env_.timers.cancel(std::exchange(*timer, 0));
  }
  finish_poll({});
  for (auto& [id, call] : std::exchange(position_calls_, {})) {
    env_.timers.cancel(call.timer);
    call.done(tl::unexpected<ClientError>({"CLOSED", false, "the consumer is closed"}));
  }
  close_timer_ = env_.timers.after(timeout, [this] { close_sockets(); });
  when_polled([this](const Done&) { leave_and_close(); });
}

void ConsumerCore::close_sockets() {
  if (!on_closed_) return;
  env_.timers.cancel(std::exchange(close_timer_, 0));
  if (group_) group_->stop();
  metadata_.stop();
  const Config& config = env_.config;
  const CloseKind kind = config.mutated(Mutant::kCloseRst)          ? CloseKind::kRst
                         : config.mutated(Mutant::kCloseWithoutFin) ? CloseKind::kLeak
                                                                    : CloseKind::kFin;
  network_.close_all(kind, Nanos::zero(), std::exchange(on_closed_, {}));
}

GroupMember ConsumerCore::group_member() const { return group_ ? group_->member() : GroupMember{}; }

}  // namespace ktrial::client
