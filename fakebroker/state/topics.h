// SPDX-License-Identifier: Apache-2.0
// Topics: names, ids, partitions with their leaders and logs. Replicas are a list: every broker
// could lead, one does, and the log is shared; a leader moves by raising the epoch. Which of the
// replicas are in sync is for Replication to say.
#pragma once

#include "fakebroker/cluster_spec.h"
#include "fakebroker/state/in_sync_replicas.h"
#include "fakebroker/state/open_transactions.h"
#include "fakebroker/state/partition_log.h"
#include "fakebroker/state/producer_state.h"
#include "protocol/errors.h"
#include "protocol/uuid.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace ktrial::fakebroker {

struct Topic;

struct Partition {
  explicit Partition(std::int64_t byte_budget, RecordMemory* memory = nullptr)
      : log(byte_budget, memory) {}

  const Topic* topic = nullptr;
  std::int32_t index = 0;
  std::uint64_t serial = 0;  // unique in the cluster; what waiters wait by
  std::int32_t leader = -1;  // broker id
  std::int32_t leader_epoch = 0;
  std::vector<std::int32_t> replicas;
  std::vector<std::int32_t> offline;  // replicas whose disk has failed
  InSyncReplicas in_sync;
  bool watermark_held = false;  // by a script
  PartitionLog log;
  ProducerState producers;
  OpenTransactions transactions;

  [[nodiscard]] std::int64_t last_stable_offset() const {
    return transactions.last_stable_offset(log.high_watermark());
  }
};

struct Topic {
  std::string name;
  protocol::Uuid id;
  bool internal = false;
  bool discards = false;
  std::map<std::string, std::string> configs;  // what was set; Configs knows the rest
  std::vector<std::unique_ptr<Partition>> partitions;

  [[nodiscard]] Partition* partition(std::int32_t index) const {
    const bool exists = index >= 0 && static_cast<std::size_t>(index) < partitions.size();
    return exists ? partitions[static_cast<std::size_t>(index)].get() : nullptr;
  }
};

class Topics {
 public:
  struct Limits {
    std::int64_t partition_bytes = 0;
    std::int64_t record_bytes = INT64_MAX;  // of all logs together
    bool discard = false;                   // all topics do
  };
  // `brokers` may lead partitions.
  Topics(std::vector<int> brokers, Limits limits);
  Topics(std::vector<int> brokers, std::int64_t partition_bytes)
      : Topics(std::move(brokers), Limits{.partition_bytes = partition_bytes}) {}

  [[nodiscard]] Topic* find(std::string_view name);
  [[nodiscard]] Topic* find(const protocol::Uuid& id);
  // By id if `id` is not zero (Fetch v13+, Produce v13+, ...), else by name.
  [[nodiscard]] Topic* find(std::string_view name, const protocol::Uuid& id);
  // nullptr if there is no such topic, or no such partition of it.
  [[nodiscard]] Partition* find_partition(std::string_view topic, std::int32_t index);
  // In order of name.
  [[nodiscard]] const std::map<std::string, std::unique_ptr<Topic>, std::less<>>& all() const {
    return topics_;
  }

  // kNone, or why not: kTopicAlreadyExists, kInvalidTopicException, kInvalidPartitions,
  // kInvalidReplicaAssignment (a leader that is no broker).
  protocol::KafkaError create(const TopicSpec& spec);
  protocol::KafkaError erase(std::string_view name);
  // kInvalidPartitions unless it grows.
  protocol::KafkaError grow(Topic& topic, int partitions);
  void move_leader(Partition& partition, int broker);
  // Takes place at once: there is nothing to copy. True if a replica goes: then the leader's epoch
  // is to be raised, even where the leader stays.
  bool reassign(Partition& partition, std::vector<std::int32_t> replicas);

  // Who may lead new partitions from now on.
  void set_brokers(std::vector<int> brokers) { brokers_ = std::move(brokers); }
  // A new partition's replica is not in sync while its broker is down.
  void set_down(int broker, bool down);
  [[nodiscard]] bool is_down(int broker) const { return down_.contains(broker); }
  [[nodiscard]] bool any_down() const { return !down_.empty(); }

  // Called after any topic was created, grown or erased, and after a leader moved.
  void on_change(std::function<void()> observer) { observers_.push_back(std::move(observer)); }
  // Called with the serial of a partition whose leader moved or that is going away.
  void on_partition_change(std::function<void(std::uint64_t)> observer) {
    partition_observer_ = std::move(observer);
  }

  [[nodiscard]] const RecordMemory& memory() const { return memory_; }

  static bool is_valid_name(std::string_view name);

 private:
  void add_partition(Topic& topic, int leader);
  // All logs keep together what the limit allows, and some room.
  void make_room();
  void changed() const;
  [[nodiscard]] protocol::Uuid next_id();

  std::vector<int> brokers_;
  std::set<int> down_;
  Limits limits_;
  RecordMemory memory_;  // the logs count in it
  std::map<std::string, std::unique_ptr<Topic>, std::less<>> topics_;
  std::map<protocol::Uuid, Topic*> by_id_;
  std::uint64_t last_serial_ = 0;
  std::uint64_t last_id_ = 0;
  std::vector<std::function<void()>> observers_;
  std::function<void(std::uint64_t)> partition_observer_;
};

}  // namespace ktrial::fakebroker
