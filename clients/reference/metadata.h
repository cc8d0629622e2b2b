// SPDX-License-Identifier: Apache-2.0
// Metadata: what a client knows about the cluster, and when it asks again: at an age counted from
// the last success, after trouble, and, ever more slowly, while a topic it needs is missing. If
// nobody it knows answers, or a broker says so, it begins again at the bootstrap entries.
#pragma once

#include "clients/reference/network.h"
#include "protocol/messages/metadata_response.h"
#include "protocol/uuid.h"

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ktrial::client {

struct PartitionInfo {
  int leader = -1;
  std::int32_t leader_epoch = -1;
};

struct TopicInfo {
  std::int16_t error = 0;
  protocol::Uuid id = {};  // zero: the broker gives none
  std::map<std::int32_t, PartitionInfo> partitions;
};

class Metadata {
 public:
  Metadata(Env& env, Network& network) : env_(env), network_(network) {}

  void on_update(std::function<void()> observer) { observers_.push_back(std::move(observer)); }

  // Asks at once if a topic is new.
  void use_topics(const std::set<std::string>& topics);
  // The topic is in use: a producer forgets one that is not for metadata.max.idle.ms.
  void touch(const std::string& topic);
  // Asks as soon as retry.backoff.ms allows.
  void request_update();
  // Asks now unless an answer is under way; over `node`, if given.
  void ask(std::optional<int> node = {});
  void stop();

  [[nodiscard]] const TopicInfo* topic(const std::string& name) const;
  // The leader's id, or nothing while there is none.
  [[nodiscard]] std::optional<int> leader(const std::string& topic, std::int32_t partition) const;
  // -1 while it is not known.
  [[nodiscard]] std::int32_t leader_epoch(const std::string& topic, std::int32_t partition) const;
  // The topic that has this id now.
  [[nodiscard]] std::optional<std::string> name_of(const protocol::Uuid& id) const;
  // A broker's word that there is a newer leader (KIP-951); false if that is old or of no use.
  bool take_leader(const std::string& topic, std::int32_t partition, const PartitionInfo& leader);
  [[nodiscard]] bool ever_updated() const { return updated_; }

 private:
  void schedule(Nanos delay);
  void answered(const Result<protocol::MetadataResponse>& response);
  [[nodiscard]] bool may_rebootstrap() const;
  void rebootstrap();
  void watch_recovery();
  void take(const protocol::MetadataResponse& response);
  void forget_idle_topics();
  [[nodiscard]] bool complete() const;
  [[nodiscard]] Nanos retry_pause();
  [[nodiscard]] int choose_node();

  Env& env_;
  Network& network_;
  std::vector<std::function<void()>> observers_;
  std::map<std::string, TimePoint> wanted_;  // and when each was last used
  std::map<std::string, TopicInfo> topics_;
  TimePoint last_asked_ = {};
  bool in_flight_ = false;
  bool again_ = false;  // something was asked for while a request was in flight
  bool updated_ = false;
  bool stopped_ = false;
  unsigned failures_ = 0;
  TimerService::Id timer_ = 0;
  TimePoint due_ = {};
  TimerService::Id recovery_timer_ = 0;
};

}  // namespace ktrial::client
