// SPDX-License-Identifier: Apache-2.0
// ConsumerCore: positions and records, from the leaders.
#include "clients/reference/consumer_core.h"
#include "clients/reference/node_ids.h"
#include "protocol/messages/list_offsets_request.h"
#include "protocol/read_records.h"

#include <algorithm>

namespace ktrial::client {

using protocol::FetchRequest;
using protocol::FetchResponse;
using protocol::KafkaError;
using protocol::ListOffsetsRequest;
using protocol::ListOffsetsResponse;

namespace {

// From version 13 topics are named by id.
constexpr std::int16_t kNewestFetch = 12;
constexpr std::int16_t kNewestListOffsets = 7;
constexpr std::int64_t kLatest = -1;
constexpr std::int64_t kEarliest = -2;

}  // namespace

void ConsumerCore::progress_later() {
  if (progress_timer_ != 0 || closing_) return;
  progress_timer_ = env_.timers.after(env_.config.retry_backoff, [this] {
    progress_timer_ = 0;
    progress();
  });
}

void ConsumerCore::progress() {
  if (!begun_ || closing_) return;
  look_up_positions();
  fetch();
}

void ConsumerCore::look_up_positions() {
  std::map<int, std::vector<TopicPartition>> by_leader;
  for (auto& [at, partition] : assigned_) {
    if (partition.fetch_from || partition.looking_up) continue;
    if (env_.config.offset_reset == OffsetReset::kNone) continue;
    const auto leader = metadata_.leader(at.topic, at.partition);
    if (!leader) {
      metadata_.request_update();
      continue;
    }
    partition.looking_up = true;
    by_leader[*leader].push_back(at);
  }
  for (const auto& [leader, partitions] : by_leader) list_offsets(leader, partitions);
}

void ConsumerCore::list_offsets(int leader, const std::vector<TopicPartition>& partitions) {
  ListOffsetsRequest request;
  request.replica_id = -1;
  request.isolation_level = env_.config.isolation_level;
  for (const TopicPartition& at : partitions) {
    if (request.topics.empty() || request.topics.back().name != at.topic) {
      request.topics.emplace_back().name = at.topic;
    }
    auto& asked = request.topics.back().partitions.emplace_back();
    asked.partition_index = at.partition;
    asked.timestamp = env_.config.offset_reset == OffsetReset::kEarliest ? kEarliest : kLatest;
  }
  network_.send(leader, make_request<ListOffsetsRequest, ListOffsetsResponse>(
                            std::move(request), kNewestListOffsets, env_.config.request_timeout,
                            [this, partitions, epoch = assignment_epoch_](
                                const Result<ListOffsetsResponse>& response) {
                              if (epoch == assignment_epoch_) offsets_listed(partitions, response);
                            }));
}

void ConsumerCore::offsets_listed(const std::vector<TopicPartition>& asked,
                                  const Result<ListOffsetsResponse>& response) {
  for (const TopicPartition& at : asked) {
    const auto found = assigned_.find(at);
    if (found != assigned_.end()) found->second.looking_up = false;
  }
  bool all = response.has_value();
  if (response) {
    for (const auto& topic : response->topics) {
      for (const auto& listed : topic.partitions) {
        const auto found = assigned_.find({topic.name, listed.partition_index});
        if (found == assigned_.end() || found->second.fetch_from) continue;
        if (listed.error_code != 0 || listed.offset < 0) {
          all = false;
          metadata_.request_update();
          continue;
        }
        found->second.fetch_from = found->second.consumed = listed.offset;
      }
    }
  }
  if (!all) return progress_later();
  progress();
}

// One request in flight per leader, and only while someone waits for records.
void ConsumerCore::fetch() {
  if (!poller_) return;
  std::map<int, std::vector<TopicPartition>> by_leader;
  for (const auto& [at, partition] : assigned_) {
    if (!partition.fetch_from || partition.buffered > 0) continue;
    const auto leader = metadata_.leader(at.topic, at.partition);
    if (!leader) {
      metadata_.request_update();
    } else if (!fetching_.contains(*leader)) {
      by_leader[*leader].push_back(at);
    }
  }
  for (const auto& [leader, partitions] : by_leader) fetch_from(leader, partitions);
}

// The leader's own connection; the mutants use others.
int ConsumerCore::fetch_node(int leader) {
  const std::size_t count = fetches_++;
  if (env_.config.mutated(Mutant::kFetchViaCoordinator) && count == 0 &&
      group_.coordinator_broker()) {
    return *group_.coordinator_broker();
  }
  if (env_.config.mutated(Mutant::kTwoConnsPerLeader) && env_.rng.chance(0.5)) {
    const auto address = network_.address_of(leader);
    if (address) network_.set_private_node(second_node(leader), *address);
    if (address) return second_node(leader);
  }
  return leader;
}

void ConsumerCore::fetch_from(int leader, const std::vector<TopicPartition>& partitions) {
  FetchRequest request;
  request.max_wait_ms = static_cast<std::int32_t>(env_.config.fetch_max_wait.count());
  request.min_bytes = env_.config.fetch_min_bytes;
  request.max_bytes = env_.config.fetch_max_bytes;
  request.isolation_level = env_.config.isolation_level;
  request.rack_id = env_.config.rack;
  if (env_.config.mutated(Mutant::kCoordinatorShared) && fetches_ == 0 &&
      group_.coordinator_broker()) {
    network_.send(*group_.coordinator_broker(),
                  make_request<FetchRequest, FetchResponse>(request, kNewestFetch,
                                                            env_.config.request_timeout,
                                                            [](const Result<FetchResponse>&) {}));
  }
  for (const TopicPartition& at : partitions) {
    if (request.topics.empty() || request.topics.back().topic != at.topic) {
      request.topics.emplace_back().topic = at.topic;
    }
    auto& asked = request.topics.back().partitions.emplace_back();
    asked.partition = at.partition;
    asked.fetch_offset = *assigned_.at(at).fetch_from;
    asked.partition_max_bytes = env_.config.partition_fetch_bytes;
  }
  fetching_.insert(leader);
  const Millis timeout = env_.config.request_timeout + env_.config.fetch_max_wait;
  network_.send(fetch_node(leader), make_request<FetchRequest, FetchResponse>(
                                        std::move(request), kNewestFetch, timeout,
                                        [this, leader](const Result<FetchResponse>& response) {
                                          fetched(leader, response);
                                        }));
}

void ConsumerCore::fetched(int leader, const Result<FetchResponse>& response) {
  fetching_.erase(leader);
  if (closing_) return;
  bool trouble = !response || response->error_code != 0;
  if (!trouble) {
    for (const auto& topic : response->responses) {
      for (const auto& data : topic.partitions) {
        const TopicPartition at{topic.topic, data.partition_index};
        if (!assigned_.contains(at)) continue;
        const auto error = static_cast<KafkaError>(data.error_code);
        if (error == KafkaError::kNone) {
          take_records(at, data);
        } else if (error == KafkaError::kOffsetOutOfRange) {
          assigned_[at].fetch_from.reset();
        } else {
          metadata_.request_update();
          trouble = true;
        }
      }
    }
  }
  hand_out();
  if (trouble) return progress_later();
  progress();
}

void ConsumerCore::take_records(const TopicPartition& at,
                                const protocol::fetch_response::PartitionData& data) {
  Partition& partition = assigned_[at];
  if (!data.records || data.records->empty() || !partition.fetch_from) return;
  auto records = protocol::read_records(*data.records);
  if (!records) return;
  for (protocol::Record& record : *records) {
    // A batch may begin before the offset asked for; after a seek the answer may be about another.
    if (record.offset < *partition.fetch_from) continue;
    partition.fetch_from = record.offset + 1;
    ++partition.buffered;
    buffer_.push_back({at, record.offset, std::move(record.key), std::move(record.value)});
  }
}

}  // namespace ktrial::client
