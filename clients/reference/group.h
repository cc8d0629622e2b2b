// SPDX-License-Identifier: Apache-2.0
// Group: membership of a consumer group by the classic protocol: find the coordinator, join, sync,
// heartbeat, commit, leave. All its traffic but the look-up goes over the coordinator's own
// connection.
#pragma once

#include "clients/reference/metadata.h"
#include "clients/reference/outcome.h"
#include "clients/reference/range_assignor.h"
#include "protocol/messages/join_group_response.h"
#include "protocol/messages/sync_group_response.h"

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ktrial::client {

using Positions = std::map<TopicPartition, std::int64_t>;

class Group {
 public:
  struct Observer {
    std::function<void(const std::vector<TopicPartition>&)> assigned = {};
    // `lost`: the group threw the member out, so that committing is of no use.
    std::function<void(bool lost)> revoked = {};
  };

  Group(Env& env, Network& network, Metadata& metadata, Observer observer);

  void subscribe(std::set<std::string> topics);
  // Starts looking for the coordinator over `node`, to join when it is found and metadata is there.
  void start(int node);
  void metadata_changed();
  void fetch_offsets(const std::vector<TopicPartition>& partitions,
                     std::function<void(const Positions& committed)> done);
  void commit(const Positions& positions, std::function<void(std::optional<ClientError>)> done);
  void leave(std::function<void()> done);
  void stop();

  [[nodiscard]] bool started() const { return started_; }
  [[nodiscard]] bool has_coordinator() const { return coordinator_.has_value(); }
  [[nodiscard]] std::optional<int> coordinator_broker() const { return broker_; }

 private:
  void find(int node);
  void coordinator_lost();
  void join();
  void joined(const Result<protocol::JoinGroupResponse>& response);
  void sync(const protocol::JoinGroupResponse& joined);
  void synced(const Result<protocol::SyncGroupResponse>& response);
  void heartbeat_later();
  void heartbeat();
  void rejoin(bool lost, bool keep_member);
  void later(std::function<void()> fn);
  bool handle_coordinator_error(std::int16_t error);

  Env& env_;
  Network& network_;
  Metadata& metadata_;
  Observer observer_;
  std::set<std::string> topics_;
  std::optional<int> coordinator_;  // node id
  std::optional<int> broker_;
  std::string member_id_;
  std::int32_t generation_ = -1;
  unsigned failures_ = 0;
  bool started_ = false;
  bool joining_ = false;
  bool member_ = false;
  bool stopped_ = false;
  TimerService::Id heartbeat_timer_ = 0;
};

}  // namespace ktrial::client
