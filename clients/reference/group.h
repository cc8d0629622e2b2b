// SPDX-License-Identifier: Apache-2.0
// Group: this client's part in a consumer group, whichever protocol keeps it together. All its
// traffic but the look-up goes over the coordinator's own connection. ClassicGroup and
// ConsumerGroup are the two protocols.
#pragma once

#include "clients/reference/coordinator.h"
#include "clients/reference/group_offsets.h"
#include "clients/reference/metadata.h"
#include "clients/reference/outcome.h"

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ktrial::client {

class Group {
 public:
  using Done = std::function<void()>;
  // The group goes on when `Done` is called, which may be at once.
  struct Observer {
    std::function<void(const std::vector<TopicPartition>& added, Done)> assigned = {};
    // `lost`: the group threw the member out, so that committing is of no use.
    std::function<void(const std::vector<TopicPartition>& gone, bool lost, Done)> revoked = {};
    // `for_good`: the member does not come back. Else it tries again when it is polled.
    std::function<void(const ClientError&, bool for_good)> failed = {};
  };

  Group(Env& env, Network& network, Metadata& metadata, Observer observer);
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;
  virtual ~Group() = default;

  // Starts looking for the coordinator over `node`, to join when it is found and metadata is there.
  void start(int node);
  virtual void subscribe(std::set<std::string> topics) = 0;
  virtual void metadata_changed() = 0;
  // A topic of watched_topics() has other partitions now.
  virtual void partitions_changed() {}
  [[nodiscard]] virtual std::set<std::string> watched_topics() const { return {}; }
  // The application polls (again).
  virtual void polled();
  // It has not polled for max.poll.interval.ms: the member leaves until it does.
  virtual void poll_overdue() = 0;
  virtual void leave(Done done) = 0;
  virtual void stop();

  [[nodiscard]] GroupMember member() const;
  [[nodiscard]] GroupOffsets& offsets() { return offsets_; }
  [[nodiscard]] bool started() const { return started_; }
  [[nodiscard]] std::optional<int> coordinator_broker() const { return coordinator_.broker(); }

 protected:
  [[nodiscard]] virtual MemberIdentity identity() const = 0;
  virtual void coordinator_found() = 0;
  // Runs `fn` after a pause that grows until succeeded() is called.
  void later(std::function<void()> fn);
  void succeeded() { failures_ = 0; }
  [[nodiscard]] Env& env() { return env_; }
  [[nodiscard]] const Config& config() const { return env_.config; }
  [[nodiscard]] Network& network() { return network_; }
  [[nodiscard]] Metadata& metadata() { return metadata_; }
  [[nodiscard]] Coordinator& coordinator() { return coordinator_; }
  [[nodiscard]] const Coordinator& coordinator() const { return coordinator_; }
  [[nodiscard]] const Observer& observer() const { return observer_; }
  [[nodiscard]] bool stopped() const { return stopped_; }

 private:
  Env& env_;
  Network& network_;
  Metadata& metadata_;
  Observer observer_;
  Coordinator coordinator_;
  GroupOffsets offsets_;
  unsigned failures_ = 0;
  bool started_ = false;
  bool stopped_ = false;
};

// By group.protocol.
std::unique_ptr<Group> make_group(Env& env, Network& network, Metadata& metadata,
                                  Group::Observer observer);

}  // namespace ktrial::client
