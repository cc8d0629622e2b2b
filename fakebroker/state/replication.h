// SPDX-License-Identifier: Apache-2.0
// Replication: which replicas are in sync, how far the high watermark may go, and what an election
// does to the log. There is one log per partition: a follower is in sync, and then has all of it at
// once, or it is behind, and has what there was when it fell behind. Elections are others' to call
// for: a leader that goes down stays in sync, and leads nobody, until its successor is named.
#pragma once

#include "common/result.h"
#include "fakebroker/state/configs.h"
#include "fakebroker/state/topics.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace ktrial::fakebroker {

class Replication {
 public:
  struct Hooks {
    // Whether the high watermark stands still where this broker leads fewer replicas in sync than
    // min.insync.replicas: since 3.7.
    std::function<bool(int leader)> stops_below_minimum;
    // The high watermark may go elsewhere now, or the replicas that are in sync are others.
    std::function<void(const Partition&)> moved;
    // What Metadata tells of a partition is different now.
    std::function<void()> shown;
  };

  Replication(Topics& topics, const Configs& configs, Hooks hooks)
      : topics_(topics), configs_(configs), hooks_(std::move(hooks)) {}

  // These are in sync from now on and no others, until the next time or an election. All are up and
  // replicas, the leader among them; kInvalidArgument otherwise.
  Result<void> set_in_sync(Partition& partition, const std::vector<int>& brokers);
  // The high watermark stays where it is: as if no follower fetched.
  void hold_high_watermark(Partition& partition);
  void release_high_watermark(Partition& partition);
  // The disk that this replica is on fails, or is mended. kInvalidArgument if the broker has none.
  Result<void> set_online(Partition& partition, int broker, bool online);

  // A fenced broker is in sync nowhere, but where it is the last one, or leads.
  void broker_went_down(int broker);
  // It catches up where there is a leader to fetch from, and so do those that waited for this one.
  void broker_came_up(int broker);
  // Who may lead it: one that is in sync, or has all that is committed; with `unclean`, any that
  // could serve. -1: nobody.
  [[nodiscard]] int candidate(const Partition& partition, bool unclean) const;
  // Whether it is in sync or not: what it does not have is lost then (unclean election). -1:
  // nobody.
  void elect(Partition& partition, int broker);
  void reassign(Partition& partition, std::vector<std::int32_t> replicas, int leader);
  // Its configs are others now.
  void configs_changed(const Topic& topic);
  // Topics were made while brokers are down.
  void topics_made();

  // Its broker and its disk are up.
  [[nodiscard]] bool can_serve(const Partition& partition, int broker) const;
  // Kafka's effective minimum: never more than there are replicas.
  [[nodiscard]] std::size_t minimum(const Partition& partition) const;
  [[nodiscard]] bool has_minimum(const Partition& partition) const;

 private:
  void drop(Partition& partition, const std::vector<std::int32_t>& leaving);
  void drop_lost(Partition& partition);
  void catch_up(Partition& partition);
  void settle(Partition& partition);
  template <class Act>
  void for_each(Act act);

  Topics& topics_;
  const Configs& configs_;
  Hooks hooks_;
};

}  // namespace ktrial::fakebroker
