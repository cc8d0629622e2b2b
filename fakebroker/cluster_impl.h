// SPDX-License-Identifier: Apache-2.0
// Cluster::Impl: the thread, its io_context and all that lives on it.
#pragma once

#include "common/net/asio_timers.h"
#include "fakebroker/cluster.h"
#include "fakebroker/connection.h"
#include "fakebroker/listener.h"
#include "fakebroker/releases/releases.h"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include <deque>
#include <future>
#include <memory>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ktrial::fakebroker {

class Cluster::Impl {
 public:
  explicit Impl(ClusterSpec spec);
  ~Impl();

  // Opens every listener and creates the topics, then starts the thread.
  Result<void> start();

  // Runs `fn(*this)` on the cluster's thread and returns what it does.
  template <class Fn>
  auto call(Fn fn) -> decltype(fn(*this)) {
    if (std::this_thread::get_id() == thread_.get_id()) return fn(*this);
    std::packaged_task<decltype(fn(*this))()> task([&] { return fn(*this); });
    auto done = task.get_future();
    boost::asio::post(context_, [&task] { task(); });
    return done.get();
  }

  // The rest on the cluster's thread only.
  struct Broker {
    int id = 0;
    std::string host;
    std::unique_ptr<ConnectionQuotas> quotas;
    std::unique_ptr<Listener> listener;
    std::vector<std::unique_ptr<Listener>> further;  // listeners after the first
    std::optional<Millis> idle;
    bool reads = true;
  };
  [[nodiscard]] Broker* find_broker(int id);
  [[nodiscard]] std::vector<Broker>& brokers() { return brokers_; }
  Result<void> open(Broker& broker);
  // As a client's CreateTopics, with its checks of name and configs.
  Result<void> create(const TopicSpec& topic);
  void refuse(Broker& broker);
  static void close_listeners(Broker& broker);
  Result<void> add_broker(const BrokerSpec& spec);
  Result<void> remove_broker(int id);
  Result<void> add_rule(Rule rule);
  // kNotFound for what is not there.
  Result<void> perform(const ClusterMove& move);
  Result<void> perform_on_partition(const ClusterMove& move);
  std::size_t close_connections(std::optional<int> broker, CloseKind kind, const std::string& why);
  [[nodiscard]] std::size_t count_connections(int broker) const;
  [[nodiscard]] std::shared_ptr<Connection> find_connection(std::uint64_t id) const;
  [[nodiscard]] std::vector<ConnectionStatus> connection_statuses() const;  // oldest first
  void set_reading(int broker, bool reading);
  void set_idle(std::optional<int> broker, std::optional<Millis> idle);

  [[nodiscard]] ClusterState& state() { return state_; }
  [[nodiscard]] RuleBook& rules() { return rules_; }
  [[nodiscard]] LedgerBook& ledger() { return ledger_; }
  [[nodiscard]] const RequestMemory& requests() const { return requests_; }
  [[nodiscard]] const ClusterSecurity& security() const { return *security_; }

 private:
  Result<void> check_spec() const;
  [[nodiscard]] Result<void> secure();
  Result<void> serve(const BrokerSpec& spec);
  // Those after the first; its ports are a step higher for each broker before it on its host.
  [[nodiscard]] Result<void> open_further_listeners(Broker& broker, Node& node);
  [[nodiscard]] std::unique_ptr<Listener> new_listener(const Broker& broker, std::size_t listener,
                                                       std::uint16_t port);
  // cluster_limits.cc
  void apply_limits();
  void close_excess(const Broker& broker);
  void connection_gone(std::uint64_t id);
  void let_in(int broker);
  [[nodiscard]] bool take(Broker& broker, const ConnectionIdentity& identity);

  void accept(int broker, std::size_t listener, boost::asio::ip::tcp::socket socket);

  boost::asio::io_context context_{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;
  SystemClock clock_;
  AsioTimers timers_;
  std::deque<Release> releases_;  // of the brokers; nodes point to them
  ClusterState state_;
  RuleBook rules_;
  LedgerBook ledger_;
  ReceiveArena arena_;
  RequestMemory requests_;
  std::unordered_map<std::uint64_t, std::shared_ptr<Connection>> connections_;
  std::unique_ptr<ClusterSecurity> security_;
  ConnectionServices services_;
  std::uint64_t last_connection_ = 0;
  std::vector<Broker> brokers_;
  std::thread thread_;
};

}  // namespace ktrial::fakebroker
