// SPDX-License-Identifier: Apache-2.0
// MetadataViews: the cluster as it was at earlier moments, for brokers that are behind. Nothing is
// kept until someone asks for it to be: a copy of every partition's leadership per change is dear.
#pragma once

#include "common/clock.h"
#include "protocol/uuid.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ktrial::fakebroker {

struct ClusterView {
  struct Broker {
    int id = 0;
    std::string host = {};
    std::uint16_t port = 0;
    std::optional<std::string> rack = {};
  };
  struct Partition {
    std::int32_t leader = -1;
    std::int32_t leader_epoch = 0;
    std::vector<std::int32_t> replicas = {};
    std::vector<std::int32_t> in_sync = {};
    std::vector<std::int32_t> offline = {};
  };
  struct Topic {
    protocol::Uuid id = {};
    bool internal = false;
    std::vector<Partition> partitions = {};
  };
  TimePoint since = {};
  int controller = -1;
  std::vector<Broker> brokers = {};
  std::map<std::string, Topic> topics = {};

  // What it weighs: an empty topic counts, too.
  [[nodiscard]] std::size_t size() const;
};

class MetadataViews {
 public:
  // `look` draws the present.
  explicit MetadataViews(std::function<ClusterView()> look) : look_(std::move(look)) {}

  // From now on every change is kept, as many of the newest as have kMostPartitions together.
  void watch();
  void changed();
  // The cluster as it was at `then`; as of the oldest moment that is kept if that is younger.
  // nullptr: nobody watches.
  [[nodiscard]] std::shared_ptr<const ClusterView> at(TimePoint then) const;

 private:
  static constexpr std::size_t kMostPartitions = 100'000;
  void keep(ClusterView view);

  std::function<ClusterView()> look_;
  std::deque<std::shared_ptr<const ClusterView>> views_;  // oldest first
  std::size_t partitions_ = 0;                            // of all of them
};

}  // namespace ktrial::fakebroker
