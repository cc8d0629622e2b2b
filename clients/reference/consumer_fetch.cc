// SPDX-License-Identifier: Apache-2.0
// ConsumerCore: records, from the leaders or the replicas that they name.
#include "clients/reference/consumer_core.h"
#include "clients/reference/fetched_records.h"
#include "clients/reference/node_ids.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace ktrial::client {

using protocol::FetchRequest;
using protocol::FetchResponse;
using protocol::KafkaError;
using protocol::fetch_response::PartitionData;

namespace {

// Up to this version topics are named, not numbered.
constexpr std::int16_t kNewestFetchByName = 12;
// close() waits for an answer behind a long poll only if that is soon, and not long for any.
constexpr Millis kShortPoll{1'000};
constexpr Millis kFarewellPatience{2'000};

std::string place_of(const TopicPartition& at, std::int64_t offset) {
  return at.topic + "-" + std::to_string(at.partition) + " at offset " + std::to_string(offset);
}

}  // namespace

std::optional<int> ConsumerCore::source_of(const TopicPartition& at, AssignedPartition& partition) {
  if (partition.replica && partition.replica_until > env_.clock.now() &&
      network_.knows(*partition.replica)) {
    return partition.replica;
  }
  partition.replica.reset();
  return metadata_.leader(at.topic, at.partition);
}

// One request in flight per broker, and only while someone waits for records.
void ConsumerCore::fetch() {
  if (!poller_) return;
  std::map<int, FetchSession::Wants> by_node;
  for (auto& [at, partition] : assigned_) {
    const bool ready = partition.placed() && partition.buffer.empty() && !partition.paused &&
                       !partition.error && due(partition);
    if (!ready) continue;
    const auto node = source_of(at, partition);
    if (!node) {
      metadata_.request_update();
      continue;
    }
    if (fetching_.contains(*node)) continue;
    const TopicInfo* topic = metadata_.topic(at.topic);
    by_node[*node][at] = {.topic_id = topic == nullptr ? protocol::Uuid() : topic->id,
                          .offset = *partition.fetch_from,
                          .max_bytes = env_.config.partition_fetch_bytes,
                          .leader_epoch = metadata_.leader_epoch(at.topic, at.partition)};
  }
  for (const auto& [node, wanted] : by_node) fetch_from(node, wanted);
}

// The leader's own connection; the mutants use others.
int ConsumerCore::fetch_node(int leader) {
  const std::size_t count = fetches_++;
  if (env_.config.mutated(Mutant::kFetchViaCoordinator) && count == 0 && group_ &&
      group_->coordinator_broker()) {
    return *group_->coordinator_broker();
  }
  if (env_.config.mutated(Mutant::kTwoConnsPerLeader) && env_.rng.chance(0.5)) {
    const auto address = network_.address_of(leader);
    if (address) network_.set_private_node(second_node(leader), *address);
    if (address) return second_node(leader);
  }
  return leader;
}

void ConsumerCore::fetch_nothing_from_the_coordinator() {
  FetchRequest request;
  request.max_wait_ms = static_cast<std::int32_t>(env_.config.fetch_max_wait.count());
  request.min_bytes = env_.config.fetch_min_bytes;
  network_.send(*group_->coordinator_broker(),
                make_request<FetchRequest, FetchResponse>(request, kNewestFetchByName,
                                                          env_.config.request_timeout,
                                                          [](const Result<FetchResponse>&) {}));
}

void ConsumerCore::fetch_from(int node, const FetchSession::Wants& wanted) {
  FetchRequest request;
  request.max_wait_ms = static_cast<std::int32_t>(env_.config.fetch_max_wait.count());
  request.min_bytes = env_.config.fetch_min_bytes;
  request.max_bytes = env_.config.fetch_max_bytes;
  request.isolation_level = env_.config.isolation_level;
  request.rack_id = env_.config.rack;
  if (env_.config.mutated(Mutant::kCoordinatorShared) && fetches_ == 0 && group_ &&
      group_->coordinator_broker()) {
    fetch_nothing_from_the_coordinator();
  }
  const int to = fetch_node(node);
  FetchSession& session = sessions_[to];
  session.fill(wanted, request);
  // A later request about the same partition, to whomever, makes this one's answer void.
  Asked asked;
  for (const auto& [at, want] : wanted) asked[at] = ++assigned_.at(at).seeks;
  fetching_.insert(node);
  const Millis timeout = env_.config.request_timeout + env_.config.fetch_max_wait;
  const std::int16_t newest = session.by_id() ? FetchRequest::kMaxVersion : kNewestFetchByName;
  network_.send(to, make_request<FetchRequest, FetchResponse>(
                        std::move(request), newest, timeout,
                        [this, node, to, asked](const Result<FetchResponse>& response) {
                          fetching_.erase(node);
                          if (closing_) return;
                          fetched(to, asked, response);
                        }));
}

void ConsumerCore::fetched(int node, const Asked& asked, const Result<FetchResponse>& response) {
  FetchSession& session = sessions_[node];
  // A broker that ends the session is asked anew at once, any other failure is slept over.
  const bool answered = response && session.answered(*response);
  const auto error =
      response ? static_cast<KafkaError>(response->error_code) : KafkaError::kNetworkException;
  const bool session_over = error == KafkaError::kFetchSessionIdNotFound ||
                            error == KafkaError::kInvalidFetchSessionEpoch ||
                            error == KafkaError::kFetchSessionTopicIdError;
  if (!response) session.failed();
  if (!answered) {
    for (const auto& [at, seeks] : asked) {
      const auto found = assigned_.find(at);
      if (found == assigned_.end() || found->second.seeks != seeks) continue;
      found->second.replica.reset();
      // Twice in a row is no accident.
      if (!session_over || found->second.failures++ > 0) put_off(found->second);
    }
    if (error == KafkaError::kUnknownTopicId || error == KafkaError::kInconsistentTopicId ||
        error == KafkaError::kFetchSessionTopicIdError) {
      metadata_.request_update();
    }
    return progress();
  }
  for (const auto& topic : response->responses) {
    const auto name = session.name_of(topic);
    if (!name) continue;
    for (const PartitionData& data : topic.partitions) {
      const TopicPartition at{*name, data.partition_index};
      const auto was = asked.find(at);
      const auto found = assigned_.find(at);
      const bool current =
          was != asked.end() && found != assigned_.end() && found->second.seeks == was->second;
      if (current && !found->second.leaving) take_data(at, data);
    }
  }
  hand_out();
  progress();
}

void ConsumerCore::take_data(const TopicPartition& at, const PartitionData& data) {
  AssignedPartition& partition = assigned_.at(at);
  if (data.error_code != 0) return fetch_failed(at, partition, data);
  partition.failures = 0;
  if (data.preferred_read_replica >= 0) {
    partition.replica = data.preferred_read_replica;
    partition.replica_until = env_.clock.now() + env_.config.metadata_max_age;
    if (!network_.knows(data.preferred_read_replica)) metadata_.request_update();
  }
  take_records(at, partition, data);
}

void ConsumerCore::take_records(const TopicPartition& at, AssignedPartition& partition,
                                const PartitionData& data) {
  if (!data.records || data.records->empty() || !partition.fetch_from) return;
  FetchedRecords fetched = read_fetched(at, *partition.fetch_from, data,
                                        {env_.config.isolation_level == 1, env_.config.check_crcs});
  partition.fetch_from = fetched.next_offset;
  partition.error = std::move(fetched.error);
  partition.buffer = std::move(fetched.records);
  if (partition.buffer.empty()) {
    partition.consumed = partition.fetch_from;
  } else {
    ready_.push_back(at);
  }
}

// Again and again only ever more slowly: a reset that leads nowhere is no progress.
void ConsumerCore::reset(AssignedPartition& partition) {
  const unsigned failures = partition.failures;
  partition.look_up(env_.config.offset_reset == OffsetReset::kEarliest ? kEarliestTimestamp
                                                                       : kLatestTimestamp);
  partition.failures = failures;
  if (failures > 0) return put_off(partition);
  ++partition.failures;
}

void ConsumerCore::fetch_failed(const TopicPartition& at, AssignedPartition& partition,
                                const PartitionData& data) {
  const auto error = static_cast<KafkaError>(data.error_code);
  const bool had_replica = std::exchange(partition.replica, std::nullopt).has_value();
  switch (error) {
    case KafkaError::kOffsetOutOfRange:
      // A replica may lag behind: its leader knows better.
      if (had_replica) return put_off(partition);
      if (env_.config.offset_reset == OffsetReset::kNone) {
        partition.error = ClientError{
            "OFFSET_OUT_OF_RANGE", false,
            place_of(at, *partition.fetch_from) + " is out of range and auto.offset.reset=none"};
        return;
      }
      return reset(partition);
    case KafkaError::kCorruptMessage:
      partition.error = ClientError{"CORRUPT_MESSAGE", false,
                                    place_of(at, *partition.fetch_from) + ": the broker says so"};
      return;
    case KafkaError::kNotLeaderOrFollower:
    case KafkaError::kFencedLeaderEpoch:
      metadata_.request_update();
      if (metadata_.take_leader(at.topic, at.partition,
                                {data.current_leader.leader_id, data.current_leader.leader_epoch}))
        return;
      break;
    case KafkaError::kTopicAuthorizationFailed:
      note({std::string(protocol::name(error)), false, at.topic});
      break;
    default:
      metadata_.request_update();
      break;
  }
  put_off(partition);
}

// So that brokers need not keep sessions that nobody goes on with (KIP-227).
void ConsumerCore::end_fetch_sessions(Done done) {
  const auto pending = std::make_shared<std::size_t>(1);
  const auto one_less = [pending, done] {
    if (--*pending == 0) done();
  };
  for (const auto& [node, session] : sessions_) {
    auto request = session.farewell();
    const bool soon = !fetching_.contains(node) || env_.config.fetch_max_wait <= kShortPoll;
    if (!request || !network_.connected(node) || !soon) continue;
    ++*pending;
    request->max_wait_ms = 0;
    network_.send(
        node,
        make_request<FetchRequest, FetchResponse>(
            std::move(*request), session.by_id() ? FetchRequest::kMaxVersion : kNewestFetchByName,
            env_.config.request_timeout, [one_less](const Result<FetchResponse>&) { one_less(); }));
  }
  // Closing twice does nothing.
  if (*pending > 1) env_.timers.after(kFarewellPatience, done);
  one_less();
}

}  // namespace ktrial::client
