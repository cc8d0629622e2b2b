// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/state/topics.h"

#include <algorithm>

namespace ktrial::fakebroker {

using protocol::KafkaError;

namespace {

constexpr std::size_t kLongestName = 249;

}  // namespace

Topics::Topics(std::vector<int> brokers, Limits limits)
    : brokers_(std::move(brokers)),
      limits_(limits),
      memory_(limits.record_bytes, [this] { make_room(); }) {}

Topic* Topics::find(std::string_view name) {
  const auto found = topics_.find(name);
  return found == topics_.end() ? nullptr : found->second.get();
}

Topic* Topics::find(const protocol::Uuid& id) {
  const auto found = by_id_.find(id);
  return found == by_id_.end() ? nullptr : found->second;
}

Topic* Topics::find(std::string_view name, const protocol::Uuid& id) {
  return id.is_zero() ? find(name) : find(id);
}

Partition* Topics::find_partition(std::string_view topic, std::int32_t index) {
  const Topic* const found = find(topic);
  return found == nullptr ? nullptr : found->partition(index);
}

bool Topics::is_valid_name(std::string_view name) {
  if (name.empty() || name.size() > kLongestName || name == "." || name == "..") return false;
  return std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-';
  });
}

KafkaError Topics::create(const TopicSpec& spec) {
  if (!is_valid_name(spec.name)) return KafkaError::kInvalidTopicException;
  if (find(spec.name) != nullptr) return KafkaError::kTopicAlreadyExists;
  if (spec.partitions < 1 || spec.partitions > 100'000 || brokers_.empty())
    return KafkaError::kInvalidPartitions;
  for (const int leader : spec.leaders) {
    if (std::find(brokers_.begin(), brokers_.end(), leader) == brokers_.end())
      return KafkaError::kInvalidReplicaAssignment;
  }
  auto topic = std::make_unique<Topic>();
  topic->name = spec.name;
  topic->id = next_id();
  topic->internal = spec.name == "__consumer_offsets" || spec.name == "__transaction_state";
  topic->configs = spec.configs;
  topic->discards = spec.discard || limits_.discard;
  // Each topic begins at broker one: a scenario can tell who leads what without asking.
  for (std::size_t i = 0; i < static_cast<std::size_t>(spec.partitions); ++i) {
    add_partition(*topic,
                  i < spec.leaders.size() ? spec.leaders[i] : brokers_[i % brokers_.size()]);
  }
  by_id_[topic->id] = topic.get();
  topics_[spec.name] = std::move(topic);
  changed();
  return KafkaError::kNone;
}

KafkaError Topics::erase(std::string_view name) {
  const auto found = topics_.find(name);
  if (found == topics_.end()) return KafkaError::kUnknownTopicOrPartition;
  const std::unique_ptr<Topic> gone = std::move(found->second);
  by_id_.erase(gone->id);
  topics_.erase(found);
  if (partition_observer_) {
    for (const auto& partition : gone->partitions) partition_observer_(partition->serial);
  }
  changed();
  return KafkaError::kNone;
}

KafkaError Topics::grow(Topic& topic, int partitions) {
  if (partitions <= static_cast<int>(topic.partitions.size()) || partitions > 100'000 ||
      brokers_.empty())
    return KafkaError::kInvalidPartitions;
  while (static_cast<int>(topic.partitions.size()) < partitions) {
    add_partition(topic, brokers_[topic.partitions.size() % brokers_.size()]);
  }
  changed();
  return KafkaError::kNone;
}

void Topics::move_leader(Partition& partition, int broker) {
  partition.leader = broker;
  ++partition.leader_epoch;
  partition.log.begin_epoch(partition.leader_epoch);
  if (partition_observer_) partition_observer_(partition.serial);
  changed();
}

bool Topics::reassign(Partition& partition, std::vector<std::int32_t> replicas) {
  const bool one_goes = std::any_of(
      partition.replicas.begin(), partition.replicas.end(), [&replicas](std::int32_t present) {
        return std::find(replicas.begin(), replicas.end(), present) == replicas.end();
      });
  partition.replicas = std::move(replicas);
  changed();
  return one_goes;
}

void Topics::set_down(int broker, bool down) {
  if (down) {
    down_.insert(broker);
  } else {
    down_.erase(broker);
  }
}

void Topics::add_partition(Topic& topic, int leader) {
  auto partition = std::make_unique<Partition>(limits_.partition_bytes, &memory_);
  partition->index = static_cast<std::int32_t>(topic.partitions.size());
  partition->topic = &topic;
  partition->serial = ++last_serial_;
  partition->leader = leader;
  partition->log.begin_epoch(0);
  if (topic.discards) partition->log.discard();
  // The leader and the next two brokers.
  const auto at = std::find(brokers_.begin(), brokers_.end(), leader) - brokers_.begin();
  for (std::size_t i = 0; i < std::min<std::size_t>(3, brokers_.size()); ++i) {
    const int replica = brokers_[(static_cast<std::size_t>(at) + i) % brokers_.size()];
    partition->replicas.push_back(replica);
    if (replica != leader && is_down(replica)) partition->in_sync.leave(replica, 0);
  }
  topic.partitions.push_back(std::move(partition));
}

void Topics::make_room() {
  std::vector<std::int64_t> sizes;
  for (const auto& [name, topic] : topics_) {
    for (const auto& partition : topic->partitions) sizes.push_back(partition->log.bytes());
  }
  const std::int64_t level = RecordMemory::level(std::move(sizes), memory_.room_after_dropping());
  for (const auto& [name, topic] : topics_) {
    for (const auto& partition : topic->partitions) {
      if (partition->log.bytes() <= level) continue;
      partition->log.trim(level);
      partition->transactions.forget_before(partition->log.start_offset());
    }
  }
}

void Topics::changed() const {
  for (const auto& observer : observers_) observer();
}

protocol::Uuid Topics::next_id() {
  // Of version 4 in form, but counted: runs repeat.
  protocol::Uuid id;
  id.bytes = {0x6b, 0x74, 0x72, 0x69, 0x61, 0x6c, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, 0};
  std::uint64_t value = ++last_id_;
  for (std::size_t i = 15; value != 0; --i, value >>= 8U)
    id.bytes[i] = static_cast<std::uint8_t>(value & 0xffU);
  return id;
}

}  // namespace ktrial::fakebroker
