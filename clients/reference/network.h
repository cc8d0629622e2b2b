// SPDX-License-Identifier: Apache-2.0
// Network: the brokers a client knows, their connections, and when each may be dialled again.
// Nodes are broker ids as in Metadata; bootstrap entries are -1, -2, ...; a group's coordinator has
// a connection of its own and therefore an id of its own.
#pragma once

#include "clients/reference/channel.h"

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace ktrial::client {

class Network {
 public:
  explicit Network(Env& env);

  // A connection is ready, or has been answered.
  void on_progress(std::function<void()> observer) { on_progress_ = std::move(observer); }
  // A node's connection was lost or not reached; not called for one that was closed on purpose.
  void on_trouble(std::function<void(int node)> observer) { on_trouble_ = std::move(observer); }

  // Replaces all nodes that least_loaded() chooses from; connections of those that are gone or
  // moved are abandoned: they serve no more requests and close when they are idle.
  void set_nodes(const std::map<int, HostPort>& nodes);
  // Forgets the cluster: back to the bootstrap entries, the connections to its nodes closed
  // (KIP-899, KIP-1102).
  void rebootstrap();
  // The nodes are the bootstrap entries: no cluster is known.
  [[nodiscard]] bool bootstrapping() const { return bootstrapping_; }
  // Some node that least_loaded() chooses from is connected, being dialled, or may be dialled now.
  [[nodiscard]] bool has_candidate() const;
  // Adds or moves a node that least_loaded() does not choose until set_nodes() names it.
  void set_private_node(int node, const HostPort& address);
  [[nodiscard]] bool knows(int node) const { return nodes_.contains(node); }
  [[nodiscard]] std::vector<int> node_ids() const;
  [[nodiscard]] std::vector<int> private_ids() const;
  [[nodiscard]] std::optional<HostPort> address_of(int node) const;

  // Connected and with little to do; else connecting; else the one tried longest ago.
  [[nodiscard]] int least_loaded();
  // Dials if needed, once the node's backoff allows it; the request waits meanwhile.
  void send(int node, Request request);
  void dial(int node);
  // Would another request go out without waiting for those before it (once connected)?
  [[nodiscard]] bool has_room(int node) const;
  [[nodiscard]] bool connected(int node) const;

  // Lets what is in flight be answered for a moment, then closes every connection.
  void close_all(CloseKind kind, Nanos patience, std::function<void()> done);

 private:
  struct Node {
    HostPort address;
    bool is_private = false;
    std::unique_ptr<Channel> channel = {};
    std::vector<Request> waiting = {};
    unsigned failures = 0;
    bool had_connection = false;
    TimePoint retry_at = {};
    TimePoint last_attempt = {};
    TimerService::Id retry_timer = 0;
  };

  // How a node fared before it was replaced: it may come back, and is then no fresh start.
  struct Past {
    unsigned failures = 0;
    TimePoint retry_at = {};
    TimePoint last_attempt = {};
  };

  void remember(int id, const Node& node);
  bool take_turn(int id, Request& request);
  void open(int id, Node& node);
  void channel_ready(int id);
  void channel_down(int id, const Channel* channel, DownReason reason);
  void abandon(Node& node);
  void replace_nodes(const std::map<int, HostPort>& nodes);
  void bury(std::unique_ptr<Channel> channel);
  void report_closed();

  Env& env_;
  std::map<int, Node> nodes_;
  std::map<std::pair<int, HostPort>, Past> past_;
  std::vector<std::unique_ptr<Channel>> abandoned_;
  std::vector<std::unique_ptr<Channel>> buried_;
  std::function<void(int)> on_trouble_;
  std::function<void()> on_progress_;
  std::function<void()> on_closed_;
  std::size_t open_ = 0;  // channels that are not down
  bool closing_ = false;
  bool bootstrapping_ = true;
  bool spoke_http_ = false;  // mutant http-first
  bool turn_taken_ = false;  // mutant one-at-a-time
  std::deque<std::pair<int, Request>> turns_;
};

}  // namespace ktrial::client
