// SPDX-License-Identifier: Apache-2.0
// Cluster: N fake brokers in one process, each with its own listener, one shared state, one thread.
// start() returns when every listener accepts. All members may be called from any thread: each
// posts to the cluster's thread and waits for the answer.
#pragma once

#include "common/result.h"
#include "fakebroker/cluster_spec.h"
#include "fakebroker/ledger.h"
#include "fakebroker/rule.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ktrial::fakebroker {

enum class CloseKind : std::uint8_t { kFin, kRst };

struct BrokerStatus {
  int id = 0;
  std::string host;
  std::uint16_t port = 0;
  bool listening = false;
  std::size_t connections = 0;
};

class Cluster {
 public:
  static Result<std::unique_ptr<Cluster>> start(ClusterSpec spec);
  ~Cluster();  // closes everything and joins the thread
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;

  [[nodiscard]] std::vector<BrokerStatus> brokers();
  [[nodiscard]] std::string bootstrap_servers();  // "host:port,host:port"

  // refuse: the listener closes (SYN answered by RST); live connections stay unless closed too.
  Result<void> refuse(int broker);
  // stop: refuse, and close every connection of the broker.
  Result<void> stop_broker(int broker, CloseKind kind);
  Result<void> start_broker(int broker);
  Result<std::size_t> close_connections(std::optional<int> broker, CloseKind kind);
  Result<void> set_idle_close(std::optional<int> broker, std::optional<Millis> idle);
  // Raises the partition's leader epoch (Java ignores metadata with a lower one).
  Result<void> move_leader(const std::string& topic, int partition, int to_broker);
  Result<void> move_coordinator(int to_broker);
  Result<void> create_topic(const TopicSpec& topic);
  Result<void> delete_topic(const std::string& name);
  // `count` records of `value`, one batch, as if produced; whoever waits for them is answered.
  Result<void> append(const std::string& topic, int partition, int count, std::string_view value);

  Result<void> add_rule(Rule rule);
  Result<void> remove_rule(const std::string& id);
  [[nodiscard]] std::vector<RuleStatus> rules();

  [[nodiscard]] std::vector<LedgerEntry> ledger();
  // Called on the cluster's thread for each new entry; must not block.
  void on_ledger(std::function<void(const LedgerEntry&)> observer);

 private:
  class Impl;
  explicit Cluster(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace ktrial::fakebroker
