// SPDX-License-Identifier: Apache-2.0
// Offsets: what a group has committed, and what transactions that are open would commit to it. They
// never expire. Kept by topic name: a topic that is deleted and made again must not find the old
// ones, so its deletion removes them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace ktrial::fakebroker {

struct CommittedOffset {
  std::int64_t offset = -1;
  std::int32_t leader_epoch = -1;
  std::string metadata = {};
  bool operator==(const CommittedOffset&) const = default;
};

class Offsets {
 public:
  using Partitions = std::map<std::int32_t, CommittedOffset>;

  void commit(const std::string& topic, std::int32_t partition, CommittedOffset committed) {
    topics_[topic][partition] = std::move(committed);
  }
  void commit_in_transaction(std::int64_t producer_id, const std::string& topic,
                             std::int32_t partition, CommittedOffset committed) {
    pending_[producer_id][topic][partition] = std::move(committed);
  }
  void end_transaction(std::int64_t producer_id, bool committed) {
    auto ended = pending_.extract(producer_id);
    if (ended.empty() || !committed) return;
    for (auto& [topic, partitions] : ended.mapped()) {
      for (auto& [partition, offset] : partitions) commit(topic, partition, std::move(offset));
    }
  }
  // Some transaction will commit it, or not.
  [[nodiscard]] bool is_unstable(std::string_view topic, std::int32_t partition) const {
    return std::ranges::any_of(pending_, [&](const auto& entry) {
      const auto found = entry.second.find(topic);
      return found != entry.second.end() && found->second.contains(partition);
    });
  }
  // Offset -1 where nothing was committed.
  [[nodiscard]] CommittedOffset find(std::string_view topic, std::int32_t partition) const {
    const auto partitions = topics_.find(topic);
    if (partitions == topics_.end()) return {};
    const auto found = partitions->second.find(partition);
    return found == partitions->second.end() ? CommittedOffset{} : found->second;
  }
  void erase(std::string_view topic, std::int32_t partition) {
    const auto partitions = topics_.find(topic);
    if (partitions == topics_.end()) return;
    partitions->second.erase(partition);
    if (partitions->second.empty()) topics_.erase(partitions);
  }
  void erase_topics(const std::function<bool(const std::string& topic)>& lost) {
    const auto is_lost = [&lost](const auto& entry) { return lost(entry.first); };
    std::erase_if(topics_, is_lost);
    for (auto& [producer, topics] : pending_) std::erase_if(topics, is_lost);
  }
  [[nodiscard]] const std::map<std::string, Partitions, std::less<>>& all() const {
    return topics_;
  }

 private:
  using Topics = std::map<std::string, Partitions, std::less<>>;
  Topics topics_;
  std::map<std::int64_t, Topics> pending_;  // by producer id
};

}  // namespace ktrial::fakebroker
