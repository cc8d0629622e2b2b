// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/state/cluster_state.h"

#include "fakebroker/releases/releases.h"
#include "fakebroker/state/groups.h"
#include "fakebroker/state/shares.h"
#include "fakebroker/state/transaction_marker.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace ktrial::fakebroker {
namespace {

constexpr std::int32_t kCoordinatorEpoch = 0;

std::vector<int> ids_of(const ClusterSpec& spec) {
  std::vector<int> ids;
  for (const BrokerSpec& broker : spec.brokers) ids.push_back(broker.id);
  return ids;
}

Node node_of(const BrokerSpec& broker) {
  return {broker.id,
          broker.advertised_host.value_or(broker.host),
          broker.advertised_port.value_or(broker.port),
          broker.rack,
          true,
          broker.listed};
}

GroupSettings group_settings(const ClusterSpec& spec) {
  GroupSettings settings;
  settings.initial_rebalance_delay = spec.initial_rebalance_delay;
  settings.consumer_heartbeat_interval = spec.consumer_heartbeat_interval;
  return settings;
}

std::uint32_t hash(std::string_view key) {
  std::uint32_t value = 2166136261U;
  for (const char c : key) value = (value ^ static_cast<std::uint8_t>(c)) * 16777619U;
  return value;
}

}  // namespace

ClusterState::ClusterState(ClusterSpec spec, Clock& clock, TimerService& timers)
    : spec_(std::move(spec)),
      clock_(clock),
      timers_(timers),
      started_(clock.now()),
      coordinator_(spec_.coordinator),
      topics_(ids_of(spec_), {spec_.partition_bytes, spec_.record_bytes, spec_.discard}),
      views_([this] { return view(); }),
      configs_(spec_),
      replication_(topics_, configs_,
                   {.stops_below_minimum =
                        [this](int leader) {
                          const Node* const node = find_node(leader);
                          return node == nullptr || node->release == nullptr ||
                                 node->release->is_since(3, 7);
                        },
                    .moved = [this](const Partition& partition) { touch(partition.serial); },
                    .shown = [this] { views_.changed(); }}),
      features_(spec_.consumer_groups, spec_.share_groups),
      telemetry_(clock_, configs_),
      fetch_waiters_(timers),
      produce_waiters_(timers) {
  for (const BrokerSpec& broker : spec_.brokers) {
    nodes_.push_back(node_of(broker));
    fetch_sessions_.emplace(broker.id, FetchSessions());
  }
  groups_ = std::make_shared<Groups>(
      clock_, timers_, group_settings(spec_),
      [this](std::string_view name) -> std::optional<TopicShape> {
        const Topic* const topic = topics_.find(name);
        if (topic == nullptr) return std::nullopt;
        return TopicShape{topic->id, static_cast<std::int32_t>(topic->partitions.size())};
      },
      ShareHooks{
          .settings = [this](const std::string& group) { return share_settings(group); },
          .freed = [this](const protocol::Uuid& topic,
                          std::int32_t partition) { shares_->changed({topic, partition}); }});
  shares_ = std::make_shared<Shares>(topics_, *groups_, fetch_waiters_);
  transactions_ = std::make_shared<Transactions>(
      clock_, timers_, producer_ids_, spec_.transaction_marker_delay,
      Transactions::Hooks{
          .write_marker = [this](const auto& at, ProducerIdentity who,
                                 bool committed) { end_transaction(at, who, committed); },
          .end_offsets =
              [this](const std::string& group, std::int64_t producer, bool committed) {
                if (Group* const known = groups_->find(group))
                  known->offsets.end_transaction(producer, committed);
              }});
  topics_.on_change([this] {
    groups_->forget_lost_topics();
    shares_->forget_lost_topics();
    apply_retention(!configs_.names(ConfigResource::kBroker).empty());
    if (topics_.any_down()) replication_.topics_made();
    views_.changed();
  });
  topics_.on_partition_change([this](std::uint64_t serial) { touch(serial); });
}

ClusterState::~ClusterState() = default;

Node* ClusterState::find_node(int id) {
  // Asked with every request; ids count from one as a rule.
  const auto guess = static_cast<std::size_t>(id) - 1;
  if (guess < nodes_.size() && nodes_[guess].id == id) return &nodes_[guess];
  const auto found =
      std::find_if(nodes_.begin(), nodes_.end(), [id](const Node& node) { return node.id == id; });
  return found == nodes_.end() ? nullptr : &*found;
}

bool ClusterState::is_up(int id) {
  const Node* const node = find_node(id);
  return node != nullptr && node->up;
}

bool ClusterState::unregister(int broker) {
  Node* const node = find_node(broker);
  if (node == nullptr) return false;
  unregistered_.push_back(std::move(*node));
  nodes_.erase(nodes_.begin() + (node - nodes_.data()));
  if (spec_.controller == broker) spec_.controller.reset();
  if (coordinator_ == broker) coordinator_.reset();
  registration_changed();
  replication_.broker_went_down(broker);
  for (const auto& [name, topic] : topics_.all()) {
    for (const auto& partition : topic->partitions) {
      if (partition->leader != broker) continue;
      replication_.elect(*partition, replication_.candidate(*partition, false));
    }
  }
  return true;
}

void ClusterState::came_up(int broker) {
  const auto known = std::find_if(unregistered_.begin(), unregistered_.end(),
                                  [broker](const Node& node) { return node.id == broker; });
  if (known != unregistered_.end()) {
    nodes_.push_back(std::move(*known));
    unregistered_.erase(known);
    registration_changed();
  }
  if (Node* const node = find_node(broker)) node->up = true;
  if (topics_.is_down(broker)) replication_.broker_came_up(broker);
}

void ClusterState::went_down(int broker) {
  Node* const node = find_node(broker);
  if (node == nullptr) return;
  if (std::exchange(node->up, false)) replication_.broker_went_down(broker);
}

void ClusterState::touch(std::uint64_t partition) {
  produce_waiters_.touch(partition);
  fetch_waiters_.touch(partition);
}

std::vector<std::int32_t> ClusterState::offline_replicas(const Partition& partition) const {
  if (!topics_.any_down()) return partition.offline;
  std::vector<std::int32_t> offline;
  std::ranges::copy_if(partition.replicas, std::back_inserter(offline), [&](std::int32_t broker) {
    return topics_.is_down(broker) ||
           std::ranges::find(partition.offline, broker) != partition.offline.end();
  });
  return offline;
}

void ClusterState::registration_changed() {
  std::vector<int> ids;
  for (const Node& node : nodes_) ids.push_back(node.id);
  topics_.set_brokers(std::move(ids));
  views_.changed();
}

bool ClusterState::add_node(const BrokerSpec& broker) {
  if (find_node(broker.id) != nullptr) return false;
  std::erase_if(unregistered_, [&](const Node& node) { return node.id == broker.id; });
  nodes_.push_back(node_of(broker));
  fetch_sessions_[broker.id] = FetchSessions();
  registration_changed();
  return true;
}

void ClusterState::set_address(Node& node, std::string host, std::uint16_t port) {
  node.host = std::move(host);
  node.port = port;
  views_.changed();
}

ClusterView ClusterState::view() {
  ClusterView view{.since = clock_.now(), .controller = controller()};
  for (const Node& node : nodes_) {
    if (node.listed) view.brokers.push_back({node.id, node.host, node.port, node.rack});
  }
  for (const auto& [name, topic] : topics_.all()) {
    ClusterView::Topic& shown = view.topics[name];
    shown.id = topic->id;
    shown.internal = topic->internal;
    for (const auto& partition : topic->partitions)
      shown.partitions.push_back({partition->leader, partition->leader_epoch, partition->replicas,
                                  partition->in_sync.of(partition->replicas),
                                  offline_replicas(*partition)});
  }
  return view;
}

// An idle controller writes a record each 500 ms (metadata.max.idle.interval.ms).
std::int64_t ClusterState::metadata_end_offset() const {
  return 1 + (clock_.now() - started_) / Millis(500);
}

int ClusterState::controller() const {
  if (spec_.controller) return *spec_.controller;
  return nodes_.empty() ? -1 : nodes_.front().id;
}

void ClusterState::set_controller(int broker) {
  spec_.controller = broker;
  views_.changed();
}

int ClusterState::coordinator_of(std::string_view key) const {
  if (coordinator_) return *coordinator_;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const Node& node = nodes_[(hash(key) + i) % nodes_.size()];
    if (node.up) return node.id;
  }
  return -1;
}

void ClusterState::set_coordinator(int broker) {
  if (coordinator_ != broker) groups_->release_waiting();
  coordinator_ = broker;
}

// A topic may have gone meanwhile.
void ClusterState::end_transaction(const Transactions::TopicPartition& at, ProducerIdentity who,
                                   bool committed) {
  Partition* const partition = topics_.find_partition(at.first, at.second);
  if (partition == nullptr) return;
  write_marker(*partition, who, committed, kCoordinatorEpoch, clock_.wall_ms());
  fetch_waiters_.touch(partition->serial);
}

const ConfigValues* ClusterState::configs_of(ConfigResource type, const std::string& name) {
  if (type != ConfigResource::kTopic) return &configs_.of(type, name);
  const Topic* const topic = topics_.find(name);
  return topic == nullptr ? nullptr : &topic->configs;
}

void ClusterState::set_configs(ConfigResource type, const std::string& name, ConfigValues values) {
  if (type != ConfigResource::kTopic) {
    configs_.set(type, name, std::move(values));
    if (type == ConfigResource::kBroker) {
      apply_retention(true);
      for (const auto& [known, topic] : topics_.all()) replication_.configs_changed(*topic);
      if (broker_configs_observer_) broker_configs_observer_();
    }
    if (type == ConfigResource::kClientMetrics) telemetry_.subscriptions_changed();
  } else if (Topic* const topic = topics_.find(name)) {
    topic->configs = std::move(values);
    apply_retention(*topic);
    replication_.configs_changed(*topic);
  }
}

// Never more than the log may take of this machine, whatever a topic allows.
void ClusterState::apply_retention(const Topic& topic) {
  for (const auto& partition : topic.partitions) {
    const std::int64_t bytes = configs_.retention_bytes(topic, partition->leader);
    const bool limited = bytes >= 0 && bytes < spec_.partition_bytes;
    partition->log.set_budget(limited ? bytes : spec_.partition_bytes);
  }
}

void ClusterState::apply_retention(bool everywhere) {
  for (const auto& [name, topic] : topics_.all()) {
    if (everywhere || !topic->configs.empty()) apply_retention(*topic);
  }
}

ShareSettings ClusterState::share_settings(const std::string& group) const {
  return fakebroker::share_settings(configs_, group, controller());
}

void ClusterState::connection_closed(std::uint64_t connection) {
  shares_->connection_closed(connection);
}

FetchSessions& ClusterState::fetch_sessions(int broker) { return fetch_sessions_.at(broker); }

}  // namespace ktrial::fakebroker
