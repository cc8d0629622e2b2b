// SPDX-License-Identifier: Apache-2.0
// Shares: where share groups meet the rest of the cluster: each broker's share sessions, and what
// happens to records when a session ends.
#pragma once

#include "fakebroker/state/share_sessions.h"
#include "fakebroker/state/topics.h"

#include <cstdint>
#include <map>
#include <string>

namespace ktrial::fakebroker {

class FetchWaiters;
class Groups;
class ShareGroup;
class SharePartition;

class Shares {
 public:
  Shares(Topics& topics, Groups& groups, FetchWaiters& waiters)
      : topics_(topics), groups_(groups), waiters_(waiters) {}

  [[nodiscard]] ShareSessions& sessions(int broker) { return sessions_[broker]; }

  struct Found {
    Partition* partition = nullptr;
    ShareGroup* group = nullptr;
    SharePartition* shared = nullptr;  // only if the group has initialized the partition
  };
  [[nodiscard]] Found find(const std::string& group, const ShareTarget& target);

  // Whoever waits for records of the partition looks again.
  void changed(const ShareTarget& target);
  // What the member had acquired may be had by others.
  void close_session(int broker, const std::string& group, const std::string& member);
  void connection_closed(std::uint64_t connection);
  // Of topics that are gone.
  void forget_lost_topics();

 private:
  void release(const ShareSession& session);

  Topics& topics_;
  Groups& groups_;
  FetchWaiters& waiters_;
  std::map<int, ShareSessions> sessions_;
};

}  // namespace ktrial::fakebroker
