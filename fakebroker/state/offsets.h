// SPDX-License-Identifier: Apache-2.0
// Offsets: what a group has committed. They never expire. Kept by topic name: a topic that is
// deleted and made again must not find the old ones, so its deletion removes them.
#pragma once

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
    std::erase_if(topics_, [&lost](const auto& entry) { return lost(entry.first); });
  }
  [[nodiscard]] const std::map<std::string, Partitions, std::less<>>& all() const {
    return topics_;
  }

 private:
  std::map<std::string, Partitions, std::less<>> topics_;
};

}  // namespace ktrial::fakebroker
