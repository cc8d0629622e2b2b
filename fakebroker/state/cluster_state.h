// SPDX-License-Identifier: Apache-2.0
// ClusterState: everything the brokers of a cluster share: nodes, topics with their logs,
// producers, groups. One thread owns it; nothing in it knows of sockets.
#pragma once

#include "common/clock.h"
#include "fakebroker/cluster_spec.h"
#include "fakebroker/state/acls.h"
#include "fakebroker/state/client_quotas.h"
#include "fakebroker/state/configs.h"
#include "fakebroker/state/features.h"
#include "fakebroker/state/fetch_sessions.h"
#include "fakebroker/state/fetch_waiters.h"
#include "fakebroker/state/log_dirs.h"
#include "fakebroker/state/metadata_views.h"
#include "fakebroker/state/mutation_quota.h"
#include "fakebroker/state/producer_ids.h"
#include "fakebroker/state/replication.h"
#include "fakebroker/state/scram_credentials.h"
#include "fakebroker/state/share_settings.h"
#include "fakebroker/state/telemetry.h"
#include "fakebroker/state/topics.h"
#include "fakebroker/state/transactions.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ktrial::fakebroker {

class Groups;
class Release;
class Shares;

struct Endpoint {
  std::string host;
  std::uint16_t port = 0;
};

// A broker as others see it.
struct Node {
  int id = 0;
  std::string host;  // advertised
  std::uint16_t port = 0;
  std::optional<std::string> rack;
  bool up = true;
  bool listed = true;
  const Release* release = nullptr;    // the newest
  std::vector<Endpoint> further = {};  // advertised, of the listeners after the first

  // As a client of this listener is told.
  [[nodiscard]] Endpoint at(std::size_t listener) const {
    return listener == 0 ? Endpoint{host, port} : further.at(listener - 1);
  }
};

class ClusterState {
 public:
  ClusterState(ClusterSpec spec, Clock& clock, TimerService& timers);
  ~ClusterState();
  ClusterState(const ClusterState&) = delete;
  ClusterState& operator=(const ClusterState&) = delete;

  [[nodiscard]] Clock& clock() { return clock_; }
  [[nodiscard]] TimerService& timers() { return timers_; }
  [[nodiscard]] const ClusterSpec& spec() const { return spec_; }

  [[nodiscard]] std::vector<Node>& nodes() { return nodes_; }
  [[nodiscard]] const std::vector<Node>& nodes() const { return nodes_; }
  [[nodiscard]] Node* find_node(int id);  // nullptr if there is none
  [[nodiscard]] bool is_up(int id);
  [[nodiscard]] int controller() const;
  void set_controller(int broker);
  // False if there is one of this id.
  bool add_node(const BrokerSpec& broker);
  // Where others are told to find it.
  void set_address(Node& node, std::string host, std::uint16_t port);

  // The broker that coordinates a group or a transactional id. Where all have one coordinator, it
  // stays so while it is down; else the next live broker stands in.
  [[nodiscard]] int coordinator_of(std::string_view key) const;
  void set_coordinator(int broker);

  [[nodiscard]] Topics& topics() { return topics_; }
  [[nodiscard]] Replication& replication() { return replication_; }
  [[nodiscard]] MetadataViews& views() { return views_; }
  [[nodiscard]] ProducerIds& producer_ids() { return producer_ids_; }
  [[nodiscard]] Transactions& transactions() { return *transactions_; }
  [[nodiscard]] FetchWaiters& fetch_waiters() { return fetch_waiters_; }
  // Of those who want what they produced to be on all replicas that are in sync.
  [[nodiscard]] FetchWaiters& produce_waiters() { return produce_waiters_; }
  // Replicas that cannot serve: their broker is down, or their disk.
  [[nodiscard]] std::vector<std::int32_t> offline_replicas(const Partition& partition) const;
  [[nodiscard]] FetchSessions& fetch_sessions(int broker);
  [[nodiscard]] Groups& groups() { return *groups_; }
  [[nodiscard]] Shares& shares() { return *shares_; }
  [[nodiscard]] ShareSettings share_settings(const std::string& group) const;
  // What lives as long as a connection goes with it.
  void connection_closed(std::uint64_t connection);

  // The broker is no part of the cluster any more, though it still serves: others lead what it led.
  // False if it was none.
  bool unregister(int broker);
  // A broker that starts registers itself again.
  void came_up(int broker);
  void went_down(int broker);
  // Where the controllers' log ends, which grows by itself.
  [[nodiscard]] std::int64_t metadata_end_offset() const;

  [[nodiscard]] Acls& acls() { return acls_; }
  [[nodiscard]] ClientQuotas& client_quotas() { return client_quotas_; }
  [[nodiscard]] MutationQuota& mutation_quota() { return mutation_quota_; }
  [[nodiscard]] ScramCredentials& scram_credentials() { return scram_credentials_; }
  [[nodiscard]] Telemetry& telemetry() { return telemetry_; }
  [[nodiscard]] Features& features() { return features_; }
  [[nodiscard]] LogDirs& log_dirs() { return log_dirs_; }

  [[nodiscard]] const Configs& configs() const { return configs_; }
  // What was set on a resource; nullptr if there is no such topic.
  [[nodiscard]] const ConfigValues* configs_of(ConfigResource type, const std::string& name);
  // All that is set on it from now on.
  void set_configs(ConfigResource type, const std::string& name, ConfigValues values);
  // Called after anything was set on a broker, or on all.
  void on_broker_configs(std::function<void()> observer) {
    broker_configs_observer_ = std::move(observer);
  }

 private:
  void end_transaction(const Transactions::TopicPartition& at, ProducerIdentity who,
                       bool committed);
  void apply_retention(const Topic& topic);
  void apply_retention(bool everywhere);
  void registration_changed();
  void touch(std::uint64_t partition);
  [[nodiscard]] ClusterView view();

  ClusterSpec spec_;
  Clock& clock_;
  TimerService& timers_;
  TimePoint started_;
  std::vector<Node> nodes_;
  std::vector<Node> unregistered_;
  std::optional<int> coordinator_;
  Topics topics_;
  MetadataViews views_;
  Configs configs_;
  Replication replication_;
  LogDirs log_dirs_;
  Acls acls_;
  ClientQuotas client_quotas_;
  MutationQuota mutation_quota_{client_quotas_};
  ScramCredentials scram_credentials_;
  Features features_;
  Telemetry telemetry_;
  ProducerIds producer_ids_;
  std::shared_ptr<Transactions> transactions_;
  FetchWaiters fetch_waiters_;
  FetchWaiters produce_waiters_;
  std::map<int, FetchSessions> fetch_sessions_;
  std::shared_ptr<Groups> groups_;
  std::shared_ptr<Shares> shares_;
  std::function<void()> broker_configs_observer_;
};

}  // namespace ktrial::fakebroker
