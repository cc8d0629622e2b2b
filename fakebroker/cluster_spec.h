// SPDX-License-Identifier: Apache-2.0
// ClusterSpec: the cluster to serve, as data.
#pragma once

#include "common/clock.h"
#include "fakebroker/security/security_spec.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ktrial::fakebroker {

struct BrokerSpec {
  int id = 1;
  std::string host = "127.0.0.1";  // bind address
  std::uint16_t port = 0;          // 0: the kernel chooses
  std::optional<std::string> advertised_host = {};
  std::optional<std::uint16_t> advertised_port = {};
  std::optional<std::string> rack = {};
  std::optional<std::string> release = {};  // "2.8"; else the cluster's
  bool listed = true;  // else it answers, but no answer names it: a load balancer's address
};

struct TopicSpec {
  std::string name = {};
  int partitions = 1;
  std::vector<int> leaders = {};  // broker id per partition; shorter: round robin over brokers
  std::map<std::string, std::string> configs = {};
  bool discard = false;  // what is produced to it is checked and counted, but not kept
};

struct ClusterSpec {
  std::string cluster_id = "ktrial";
  std::vector<BrokerSpec> brokers = {};
  std::vector<TopicSpec> topics = {};
  std::optional<std::string> release =
      {};                               // of Kafka that the brokers pass for; absent: the newest
  std::optional<int> coordinator = {};  // every group's coordinator; else by hash of the group
  std::optional<int> controller = {};
  std::optional<Millis> idle_close = {};  // broker's connections.max.idle.ms; absent: never
  bool keepalive = true;                  // SO_KEEPALIVE on accepted sockets, as Kafka has it
  bool auto_create_topics = false;
  int default_partitions = 1;
  Millis initial_rebalance_delay{0};          // group.initial.rebalance.delay.ms
  bool consumer_groups = true;                // KIP-848: advertise ConsumerGroupHeartbeat
  bool telemetry = false;                     // KIP-714: brokers that take clients' metrics
  bool share_groups = true;                   // KIP-932: share.version is 2, else 0
  Millis consumer_heartbeat_interval{5'000};  // group.consumer.heartbeat.interval.ms
  Millis share_heartbeat_interval{5'000};     // group.share.heartbeat.interval.ms
  // KIP-392: replica.selector.class is the rack-aware one, and consumers may fetch from followers.
  bool rack_aware_replicas = false;
  Millis transaction_marker_delay{2};  // from EndTxn's answer to the markers in the logs
  // The clients' clocks run so much faster than ours: what a client wants to wait is that shorter.
  double client_speed = 1;
  std::int64_t partition_bytes = 256LL << 20;  // log kept per partition; older batches are dropped
  std::int64_t record_bytes = 1LL << 30;   // of all logs together; the largest give up their oldest
  std::int64_t request_bytes = 1LL << 30;  // of requests on their way in; over it, reading pauses
  std::int64_t max_request_bytes = 100LL << 20;  // socket.request.max.bytes
  bool discard = false;                          // every topic does
  // What every broker is started with beyond the above, by Kafka's keys: set_broker_config().
  std::map<std::string, std::string> broker_configs = {};
  std::size_t ledger_limit = 1'000'000;  // entries kept; the oldest go first
  SecuritySpec security = {};
  std::uint64_t seed = 0;  // of rules that act by chance
};

// `count` brokers with ids 1.. at 127.b.x.y:port, one loopback address each.
ClusterSpec loopback_cluster(int count, std::uint16_t port = 9092);

}  // namespace ktrial::fakebroker
