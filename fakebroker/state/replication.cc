// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/state/replication.h"

#include "fakebroker/state/partition_truncation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace ktrial::fakebroker {
namespace {

bool contains(const std::vector<std::int32_t>& brokers, int broker) {
  return std::ranges::find(brokers, broker) != brokers.end();
}

tl::unexpected<Error> refused(const Partition& partition, std::string_view why) {
  return fail(Errc::kInvalidArgument,
              fmt::format("{}-{}: {}", partition.topic->name, partition.index, why));
}

}  // namespace

template <class Act>
void Replication::for_each(Act act) {
  for (const auto& [name, topic] : topics_.all()) {
    for (const auto& partition : topic->partitions) act(*partition);
  }
}

bool Replication::can_serve(const Partition& partition, int broker) const {
  return !topics_.is_down(broker) && !contains(partition.offline, broker);
}

std::size_t Replication::minimum(const Partition& partition) const {
  const auto wanted = static_cast<std::size_t>(
      std::max<std::int64_t>(configs_.min_in_sync(*partition.topic, partition.leader), 1));
  return std::min(wanted, partition.replicas.size());
}

bool Replication::has_minimum(const Partition& partition) const {
  return partition.in_sync.all() ||
         partition.in_sync.count_of(partition.replicas) >= minimum(partition);
}

void Replication::settle(Partition& partition) {
  const bool enough = has_minimum(partition);
  if (enough) {
    for (auto& one : partition.in_sync.behind()) one.eligible = false;
  }
  if (partition.watermark_held || (!enough && hooks_.stops_below_minimum(partition.leader))) {
    partition.log.hold_high_watermark();
  } else {
    partition.log.release_high_watermark();
  }
  hooks_.moved(partition);
}

// Whoever leaves fewer than the minimum behind could lead without a loss.
void Replication::drop(Partition& partition, const std::vector<std::int32_t>& leaving) {
  for (const std::int32_t broker : leaving)
    partition.in_sync.leave(broker, partition.log.end_offset());
  if (has_minimum(partition)) return;
  for (auto& one : partition.in_sync.behind()) {
    one.eligible = one.eligible || contains(leaving, one.broker);
  }
}

// The leader stays, whatever became of it, and so does the last one.
void Replication::drop_lost(Partition& partition) {
  std::vector<std::int32_t> lost;
  for (const std::int32_t replica : partition.in_sync.of(partition.replicas)) {
    if (replica != partition.leader && !can_serve(partition, replica)) lost.push_back(replica);
  }
  if (!lost.empty() && lost.size() == partition.in_sync.count_of(partition.replicas))
    lost.pop_back();
  drop(partition, lost);
}

Result<void> Replication::set_in_sync(Partition& partition, const std::vector<int>& brokers) {
  if (brokers.empty()) return refused(partition, "at least one replica is in sync");
  for (const int broker : brokers) {
    if (!contains(partition.replicas, broker)) {
      return refused(partition, fmt::format("{} is none of its replicas, {}", broker,
                                            fmt::join(partition.replicas, ", ")));
    }
    if (broker != partition.leader && !can_serve(partition, broker))
      return refused(partition, fmt::format("{} is down and cannot be in sync", broker));
  }
  if (partition.leader >= 0 && !contains(brokers, partition.leader)) {
    return refused(partition, fmt::format("{} leads it and is in sync with itself; move the leader",
                                          partition.leader));
  }
  std::vector<std::int32_t> leaving;
  for (const std::int32_t replica : partition.replicas) {
    if (contains(brokers, replica)) {
      partition.in_sync.join(replica);
    } else if (partition.in_sync.find(replica) == nullptr) {
      leaving.push_back(replica);
    }
  }
  drop(partition, leaving);
  for (auto& one : partition.in_sync.behind()) one.held = true;
  settle(partition);
  hooks_.shown();
  return {};
}

void Replication::hold_high_watermark(Partition& partition) {
  partition.watermark_held = true;
  settle(partition);
}

void Replication::release_high_watermark(Partition& partition) {
  partition.watermark_held = false;
  settle(partition);
}

Result<void> Replication::set_online(Partition& partition, int broker, bool online) {
  if (!contains(partition.replicas, broker)) {
    return refused(partition, fmt::format("{} is none of its replicas, {}", broker,
                                          fmt::join(partition.replicas, ", ")));
  }
  std::erase(partition.offline, broker);
  if (online) {
    catch_up(partition);
  } else {
    partition.offline.push_back(broker);
    drop_lost(partition);
  }
  settle(partition);
  hooks_.shown();
  return {};
}

void Replication::broker_went_down(int broker) {
  topics_.set_down(broker, true);
  for_each([&](Partition& partition) {
    if (broker == partition.leader || !contains(partition.replicas, broker)) return;
    drop_lost(partition);
    settle(partition);
  });
  hooks_.shown();
}

void Replication::broker_came_up(int broker) {
  topics_.set_down(broker, false);
  for_each([&](Partition& partition) {
    const bool concerned = broker == partition.leader || partition.in_sync.find(broker) != nullptr;
    if (partition.in_sync.all() || !concerned) return;
    catch_up(partition);
    settle(partition);
  });
  hooks_.shown();
}

// Those that nothing keeps from it.
void Replication::catch_up(Partition& partition) {
  if (partition.leader < 0 || !can_serve(partition, partition.leader)) return;
  std::vector<std::int32_t> joining;
  for (const auto& one : partition.in_sync.behind()) {
    if (!one.held && can_serve(partition, one.broker)) joining.push_back(one.broker);
  }
  for (const std::int32_t broker : joining) partition.in_sync.join(broker);
}

int Replication::candidate(const Partition& partition, bool unclean) const {
  const auto first = [&](auto&& may) {
    const auto found = std::ranges::find_if(partition.replicas, [&](std::int32_t broker) {
      return can_serve(partition, broker) && may(partition.in_sync.find(broker));
    });
    return found == partition.replicas.end() ? -1 : *found;
  };
  using Behind = InSyncReplicas::Behind;
  int found = first([](const Behind* behind) { return behind == nullptr; });
  if (found == -1) found = first([](const Behind* behind) { return behind->eligible; });
  if (found == -1 && unclean) found = first([](const Behind*) { return true; });
  return found;
}

void Replication::elect(Partition& partition, int broker) {
  if (const auto* const behind = partition.in_sync.find(broker)) {
    truncate(partition, behind->end_offset);
    for (auto& one : partition.in_sync.behind())
      one.end_offset = std::min(one.end_offset, partition.log.end_offset());
    partition.in_sync.join(broker);
  }
  topics_.move_leader(partition, broker);
  drop_lost(partition);
  catch_up(partition);
  settle(partition);
  hooks_.shown();
}

void Replication::reassign(Partition& partition, std::vector<std::int32_t> replicas, int leader) {
  partition.in_sync.forget_all_but(replicas);
  const bool one_goes = topics_.reassign(partition, std::move(replicas));
  if (one_goes || leader != partition.leader) return elect(partition, leader);
  drop_lost(partition);
  settle(partition);
  hooks_.shown();
}

void Replication::configs_changed(const Topic& topic) {
  for (const auto& partition : topic.partitions) {
    if (!partition->in_sync.all()) settle(*partition);
  }
}

void Replication::topics_made() {
  for_each([this](Partition& partition) {
    if (!partition.in_sync.all()) settle(partition);
  });
}

}  // namespace ktrial::fakebroker
