// SPDX-License-Identifier: Apache-2.0
#include "clients/reference/network.h"

#include <algorithm>
#include <tuple>

namespace ktrial::client {

namespace {

std::map<int, HostPort> bootstrap_nodes(const Config& config) {
  int id = 0;
  std::map<int, HostPort> nodes;
  for (const HostPort& entry : config.bootstrap) nodes[--id] = entry;
  return nodes;
}

}  // namespace

Network::Network(Env& env) : env_(env) { replace_nodes(bootstrap_nodes(env_.config)); }

void Network::set_nodes(const std::map<int, HostPort>& nodes) {
  bootstrapping_ = false;
  replace_nodes(nodes);
}

void Network::rebootstrap() {
  std::vector<Channel*> channels;
  for (const auto& [id, node] : nodes_) {
    if (!node.is_private && node.channel) channels.push_back(node.channel.get());
  }
  for (const auto& channel : abandoned_) channels.push_back(channel.get());
  bootstrapping_ = true;
  replace_nodes(bootstrap_nodes(env_.config));
  if (env_.config.mutated(Mutant::kRebootstrapKeepsSockets)) return;
  for (Channel* channel : channels) channel->close(CloseKind::kFin);
}

bool Network::has_candidate() const {
  const TimePoint now = env_.clock.now();
  return std::ranges::any_of(nodes_, [now](const auto& entry) {
    const Node& node = entry.second;
    return !node.is_private && (node.channel || node.retry_at <= now);
  });
}

void Network::replace_nodes(const std::map<int, HostPort>& nodes) {
  for (auto it = nodes_.begin(); it != nodes_.end();) {
    Node& node = it->second;
    const auto found = nodes.find(it->first);
    const bool kept = it->first == -1 && env_.config.mutated(Mutant::kMetadataOnFirst);
    const bool stays =
        kept || (found == nodes.end() ? node.is_private : found->second == node.address);
    if (stays) {
      if (found != nodes.end()) node.is_private = false;
      ++it;
      continue;
    }
    remember(it->first, node);
    Node gone = std::move(node);
    it = nodes_.erase(it);
    abandon(gone);
  }
  for (const auto& [id, address] : nodes) {
    if (nodes_.contains(id)) continue;
    Node& node = nodes_[id];
    node.address = address;
    const auto past = past_.extract({id, address});
    if (past.empty()) continue;
    node.failures = past.mapped().failures;
    node.retry_at = past.mapped().retry_at;
    node.last_attempt = past.mapped().last_attempt;
  }
}

// Else a client whose brokers are gone would dial them at the pace of its bootstrapping.
void Network::remember(int id, const Node& node) {
  const TimePoint now = env_.clock.now();
  std::erase_if(past_, [&](const auto& entry) {
    return entry.second.retry_at + 2 * env_.config.reconnect_backoff_max < now;
  });
  if (node.failures > 0)
    past_[{id, node.address}] = {node.failures, node.retry_at, node.last_attempt};
}

void Network::set_private_node(int id, const HostPort& address) {
  const auto found = nodes_.find(id);
  if (found != nodes_.end()) {
    if (found->second.address == address) return;
    Node gone = std::move(found->second);
    nodes_.erase(found);
    abandon(gone);
  }
  Node& node = nodes_[id];
  node.address = address;
  node.is_private = true;
}

void Network::abandon(Node& node) {
  env_.timers.cancel(node.retry_timer);
  if (node.channel) {
    if (env_.config.mutated(Mutant::kKeepBootstrap)) node.channel->never_idle();
    abandoned_.push_back(std::move(node.channel));
  }
  for (Request& request : node.waiting) {
    if (request.done) request.done(fail(Errc::kIo, "the broker is gone"), 0);
  }
}

std::vector<int> Network::node_ids() const {
  std::vector<int> ids;
  for (const auto& [id, node] : nodes_) {
    if (!node.is_private) ids.push_back(id);
  }
  return ids;
}

std::vector<int> Network::private_ids() const {
  std::vector<int> ids;
  for (const auto& [id, node] : nodes_) {
    if (node.is_private) ids.push_back(id);
  }
  return ids;
}

std::optional<HostPort> Network::address_of(int node) const {
  const auto found = nodes_.find(node);
  return found == nodes_.end() ? std::nullopt : std::optional(found->second.address);
}

bool Network::connected(int node) const {
  const auto found = nodes_.find(node);
  return found != nodes_.end() && found->second.channel && found->second.channel->ready();
}

bool Network::has_room(int id) const {
  const auto found = nodes_.find(id);
  if (found == nodes_.end()) return false;
  const Node& node = found->second;
  return (node.channel ? node.channel->load() : node.waiting.size()) <
         env_.config.in_flight_limit();
}

int Network::least_loaded() {
  if (bootstrapping_ && env_.config.mutated(Mutant::kFirstBootstrapOnly)) return -1;
  // Smaller is better: class, load, last attempt, and a random number among equals.
  using Rank = std::tuple<int, std::size_t, TimePoint, std::uint64_t>;
  std::optional<std::pair<Rank, int>> best;
  const TimePoint now = env_.clock.now();
  for (const auto& [id, node] : nodes_) {
    if (node.is_private) continue;
    const std::uint64_t lot = env_.rng();
    Rank rank;
    if (node.channel && node.channel->ready() && env_.config.mutated(Mutant::kMostLoaded)) {
      rank = {0, SIZE_MAX - node.channel->load(), TimePoint{}, lot};
    } else if (node.channel) {
      rank = {node.channel->ready() ? 0 : 1, node.channel->load(), TimePoint{}, lot};
    } else if (node.retry_at <= now) {
      rank = {2, node.waiting.size(), node.last_attempt, lot};
    } else {
      rank = {3, 0, node.retry_at, lot};
    }
    if (!best || rank < best->first) best = {rank, id};
  }
  return best ? best->second : -1;
}

void Network::send(int id, Request request) {
  const auto found = nodes_.find(id);
  if (found == nodes_.end() || closing_) {
    if (request.done) request.done(fail(Errc::kIo, closing_ ? "closing" : "unknown broker"), 0);
    return;
  }
  if (env_.config.mutated(Mutant::kOneAtATime) && !take_turn(id, request)) return;
  if (found->second.channel) return found->second.channel->send(std::move(request));
  if (found->second.had_connection && env_.config.mutated(Mutant::kNeverRedials)) {
    if (request.done) request.done(fail(Errc::kUnsupported, "mutant: no second connection"), 0);
    return;
  }
  found->second.waiting.push_back(std::move(request));
  dial(id);
}

// The mutant one-at-a-time: a request waits until the one before is answered, on any connection.
bool Network::take_turn(int id, Request& request) {
  if (!request.expects_response) return true;
  if (std::exchange(turn_taken_, true)) {
    turns_.emplace_back(id, std::move(request));
    return false;
  }
  request.done = [this, done = std::move(request.done)](Result<Slice> body, std::int16_t version) {
    if (done) done(std::move(body), version);
    turn_taken_ = false;
    if (turns_.empty()) return;
    auto [next, waiting] = std::move(turns_.front());
    turns_.pop_front();
    send(next, std::move(waiting));
  };
  return true;
}

void Network::dial(int id) {
  const auto found = nodes_.find(id);
  if (found == nodes_.end() || closing_) return;
  Node& node = found->second;
  if (node.channel || node.retry_timer != 0) return;
  const Nanos pause = node.retry_at - env_.clock.now();
  if (pause <= Nanos::zero()) return open(id, node);
  node.retry_timer = env_.timers.after(pause, [this, id] {
    Node& due = nodes_.at(id);
    due.retry_timer = 0;
    open(id, due);
  });
}

void Network::open(int id, Node& node) {
  const ExponentialBackoff setup{env_.config.setup_timeout, env_.config.setup_timeout_max};
  const Nanos limit = setup.pause(node.failures + 1, env_.rng);
  node.last_attempt = env_.clock.now();
  ++open_;
  // The observer names its own channel: the node may have another by the time it goes down.
  auto self = std::make_shared<const Channel*>(nullptr);
  node.channel = std::make_unique<Channel>(
      env_, node.address, std::chrono::ceil<Millis>(limit),
      Channel::Observer{
          .ready = [this, id] { channel_ready(id); },
          .answered =
              [this] {
                if (on_progress_) on_progress_();
              },
          .down = [this, id, self](DownReason reason) { channel_down(id, *self, reason); }});
  *self = node.channel.get();
  if (env_.config.mutated(Mutant::kHttpFirst) && !std::exchange(spoke_http_, true))
    node.channel->speak_http();
  if (env_.config.mutated(Mutant::kConnectionPerRequest)) node.channel->use_once();
  for (Request& request : std::exchange(node.waiting, {})) node.channel->send(std::move(request));
}

void Network::channel_ready(int id) {
  const auto found = nodes_.find(id);
  if (found == nodes_.end()) return;
  found->second.failures = 0;
  found->second.had_connection = true;
}

void Network::channel_down(int id, const Channel* channel, DownReason reason) {
  --open_;
  const auto orphan = std::ranges::find(abandoned_, channel, &std::unique_ptr<Channel>::get);
  if (orphan != abandoned_.end()) {
    bury(std::move(*orphan));
    abandoned_.erase(orphan);
    return report_closed();
  }
  const auto found = nodes_.find(id);
  if (found == nodes_.end() || found->second.channel.get() != channel) return report_closed();
  Node& node = found->second;
  bury(std::move(node.channel));
  if (reason == DownReason::kLost) node.had_connection = true;
  if (reason == DownReason::kIdle || reason == DownReason::kClosed) return report_closed();
  ++node.failures;
  const Config& config = env_.config;
  ExponentialBackoff backoff{config.reconnect_backoff, config.reconnect_backoff_max};
  if (config.mutated(Mutant::kReconnectHammer)) backoff = {Millis(5), Millis(5)};
  if (config.mutated(Mutant::kConstantReconnectBackoff)) backoff.factor = 1;
  if (config.mutated(Mutant::kNoBackoffCap)) backoff.cap = Millis(600'000);
  node.retry_at = env_.clock.now() + backoff.pause(node.failures, env_.rng);
  if (on_trouble_ && !closing_) on_trouble_(id);
  report_closed();
}

// A channel that reports that it is down is still running: it is destroyed a little later.
void Network::bury(std::unique_ptr<Channel> channel) {
  buried_.push_back(std::move(channel));
  if (buried_.size() == 1) env_.timers.after(Nanos::zero(), [this] { buried_.clear(); });
}

void Network::report_closed() {
  if (!on_closed_ || open_ > 0) return;
  env_.timers.after(Nanos::zero(), std::exchange(on_closed_, {}));
}

void Network::close_all(CloseKind kind, Nanos patience, std::function<void()> done) {
  closing_ = true;
  on_closed_ = std::move(done);
  std::vector<Channel*> channels;
  std::vector<Request> refused;
  for (auto& [id, node] : nodes_) {
    env_.timers.cancel(std::exchange(node.retry_timer, 0));
    for (Request& request : std::exchange(node.waiting, {})) refused.push_back(std::move(request));
    if (node.channel) channels.push_back(node.channel.get());
  }
  for (const auto& channel : abandoned_) channels.push_back(channel.get());
  for (Channel* channel : channels) channel->close(kind, patience);
  for (Request& request : refused) {
    if (request.done) request.done(fail(Errc::kIo, "closing"), 0);
  }
  report_closed();
}

}  // namespace ktrial::client
