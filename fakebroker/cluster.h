// SPDX-License-Identifier: Apache-2.0
// Cluster: N fake brokers in one process, each with its own listener, one shared state, one thread.
// start() returns when every listener accepts. All members may be called from any thread: each
// posts to the cluster's thread and waits for the answer.
#pragma once

#include "common/result.h"
#include "fakebroker/cluster_spec.h"
#include "fakebroker/ledger.h"
#include "fakebroker/rules/rule.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ktrial::fakebroker {

enum class CloseKind : std::uint8_t { kFin, kRst };

struct ListenerStatus {
  std::string name;
  std::string protocol;  // "SASL_SSL"
  std::string host;      // as clients are told
  std::uint16_t port = 0;
};

struct BrokerStatus {
  int id = 0;
  std::string host;
  std::uint16_t port = 0;
  bool listening = false;
  std::size_t connections = 0;
  std::vector<ListenerStatus> listeners = {};
};

struct ConnectionStatus {
  std::uint64_t id = 0;
  int broker = 0;
  std::string peer;       // "127.0.0.1:40112"
  std::string client_id;  // of its last request
  std::int16_t last_api_key = -1;
  std::uint64_t requests = 0;
  Millis idle{0};         // since the last byte
  std::string principal;  // "User:alice"
  std::string listener;
};

// PEM of the CA that was made at start and of the client's certificate by it; empty where there is
// no TLS, or certificates were given.
struct TlsMaterial {
  std::string ca;
  std::string client_certificate;
  std::string client_key;
};

struct PartitionStatus {
  int index = 0;
  int leader = -1;
  std::int32_t leader_epoch = 0;
  std::int64_t start_offset = 0;
  std::int64_t end_offset = 0;
  std::int64_t last_stable_offset = 0;
  std::int64_t bytes = 0;
  std::int64_t high_watermark = 0;
  std::vector<std::int32_t> replicas = {};
  std::vector<std::int32_t> in_sync = {};
};

struct TopicStatus {
  std::string name;
  std::string id;  // as Kafka's tools print it
  std::map<std::string, std::string> configs;
  bool discard = false;  // see TopicSpec
  std::vector<PartitionStatus> partitions;
};

struct GroupStatus {
  std::string id;
  std::string state;
  std::string protocol;  // "classic", "consumer" or "share"
  int coordinator = -1;
};

// Bytes.
struct MemoryStatus {
  std::int64_t records = 0;  // that the logs keep
  std::int64_t records_limit = 0;
  std::int64_t records_dropped = 0;  // for the limit's sake, since the cluster began
  std::int64_t requests = 0;         // on their way in, or waiting
  std::int64_t requests_limit = 0;
  std::size_t waiting_connections = 0;  // that are not read before there is memory again
};

class Cluster {
 public:
  static Result<std::unique_ptr<Cluster>> start(ClusterSpec spec);
  ~Cluster();  // closes everything and joins the thread
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;

  [[nodiscard]] std::vector<BrokerStatus> brokers();
  // "host:port,host:port" of a listener, the first if it is not named.
  [[nodiscard]] std::string bootstrap_servers(std::string_view listener = {});
  [[nodiscard]] TlsMaterial tls_material();
  [[nodiscard]] std::string cluster_id();
  [[nodiscard]] int controller();
  [[nodiscard]] std::vector<ConnectionStatus> connections();
  [[nodiscard]] std::vector<TopicStatus> topics();
  [[nodiscard]] std::vector<GroupStatus> groups();
  [[nodiscard]] MemoryStatus memory();

  // refuse: the listener closes (SYN answered by RST); live connections stay unless closed too.
  Result<void> refuse(int broker);
  // stop: refuse, and close every connection of the broker.
  Result<void> stop_broker(int broker, CloseKind kind);
  Result<void> start_broker(int broker);
  Result<std::size_t> close_connections(std::optional<int> broker, CloseKind kind);
  // Whether the broker reads what its clients send, those that come later included.
  Result<void> set_reading(int broker, bool reading);
  Result<void> close_connection(std::uint64_t id, CloseKind kind);
  Result<void> set_idle_close(std::optional<int> broker, std::optional<Millis> idle);
  // Connection attempts stay unanswered until the broker is started; live connections stay.
  Result<void> drop_syn(int broker);
  // Raises the partition's leader epoch (Java ignores metadata with a lower one). A replica that is
  // not in sync takes the end of the log away that it does not have.
  Result<void> move_leader(const std::string& topic, int partition, int to_broker);
  // Those replicas are in sync and no others, until the next time or an election.
  Result<void> set_isr(const std::string& topic, int partition, std::vector<int> brokers);
  // While it is held, the high watermark stays where it is: acks=-1 waits, consumers see no more.
  Result<void> hold_high_watermark(const std::string& topic, int partition, bool held);
  // Whether the disk is up that a broker has the replica on.
  Result<void> set_replica_online(const std::string& topic, int partition, int broker, bool online);
  Result<void> move_coordinator(int to_broker);
  Result<void> move_controller(int to_broker);
  // A new broker, or one of an id that was removed: it has no connections and leads nothing.
  Result<void> add_broker(const BrokerSpec& broker);
  // Decommissioned: stopped, out of every answer; other replicas lead what it led.
  Result<void> remove_broker(int broker);
  // What clients are told of it from now on; it serves where it did.
  Result<void> set_advertised(int broker, const std::string& host, std::uint16_t port);
  Result<void> create_topic(const TopicSpec& topic);
  Result<void> delete_topic(const std::string& name);
  // `count` records of `value`, one batch, as if produced; whoever waits for them is answered.
  Result<void> append(const std::string& topic, int partition, int count, std::string_view value);

  // kInvalidArgument, kNotFound for a broker that it names and that there is not.
  Result<void> add_rule(Rule rule);
  Result<void> remove_rule(const std::string& id);
  // A moment that rules can begin or end at.
  void mark(const std::string& name);
  [[nodiscard]] std::vector<RuleStatus> rules();
  // Without those that were removed.
  [[nodiscard]] std::vector<RuleStatus> rules_in_force();

  // The entries after `number`, at most `limit` of them: what is kept of them.
  [[nodiscard]] std::vector<LedgerEntry> ledger(std::uint64_t number = 0,
                                                std::size_t limit = SIZE_MAX);
  // Called on the cluster's thread for each new entry; must not block.
  void on_ledger(std::function<void(const LedgerEntry&)> observer);

 private:
  class Impl;
  explicit Cluster(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace ktrial::fakebroker
