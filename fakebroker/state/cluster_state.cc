// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/state/cluster_state.h"

#include <algorithm>

namespace ktrial::fakebroker {
namespace {

std::vector<int> ids_of(const ClusterSpec& spec) {
  std::vector<int> ids;
  for (const BrokerSpec& broker : spec.brokers) ids.push_back(broker.id);
  return ids;
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
      coordinator_(spec_.coordinator),
      topics_(ids_of(spec_), spec_.partition_bytes),
      fetch_waiters_(timers) {
  for (const BrokerSpec& broker : spec_.brokers) {
    nodes_.push_back({broker.id, broker.advertised_host.value_or(broker.host),
                      broker.advertised_port.value_or(broker.port), broker.rack, true});
    fetch_sessions_.emplace(broker.id, FetchSessions());
  }
  topics_.on_partition_change([this](std::uint64_t serial) { fetch_waiters_.touch(serial); });
}

ClusterState::~ClusterState() = default;

Node* ClusterState::find_node(int id) {
  const auto found =
      std::find_if(nodes_.begin(), nodes_.end(), [id](const Node& node) { return node.id == id; });
  return found == nodes_.end() ? nullptr : &*found;
}

int ClusterState::controller() const {
  if (spec_.controller) return *spec_.controller;
  return nodes_.empty() ? -1 : nodes_.front().id;
}

int ClusterState::coordinator_of(std::string_view key) const {
  if (coordinator_) return *coordinator_;
  return nodes_.empty() ? -1 : nodes_[hash(key) % nodes_.size()].id;
}

FetchSessions& ClusterState::fetch_sessions(int broker) { return fetch_sessions_.at(broker); }

}  // namespace ktrial::fakebroker
