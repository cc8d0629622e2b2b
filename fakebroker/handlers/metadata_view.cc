// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/handlers/metadata_view.h"

#include "protocol/errors.h"

namespace ktrial::fakebroker {
namespace {

using protocol::KafkaError;
using protocol::MetadataResponse;
using protocol::metadata_response::MetadataResponseTopic;

constexpr std::int16_t kUnknown = protocol::code(KafkaError::kUnknownTopicOrPartition);

std::map<std::string, ClusterView::Topic>::const_iterator find(const ClusterView& view,
                                                               const MetadataResponseTopic& topic) {
  if (topic.name && !topic.name->empty()) return view.topics.find(*topic.name);
  return std::find_if(view.topics.begin(), view.topics.end(),
                      [&](const auto& known) { return known.second.id == topic.topic_id; });
}

void show(const std::string& name, const ClusterView::Topic& known, MetadataResponseTopic& topic) {
  topic.name = name;
  topic.topic_id = known.id;
  topic.is_internal = known.internal;
  topic.error_code = 0;
  topic.partitions.clear();
  for (const ClusterView::Partition& partition : known.partitions) {
    auto& shown = topic.partitions.emplace_back();
    shown.partition_index = static_cast<std::int32_t>(topic.partitions.size() - 1);
    shown.leader_id = partition.leader;
    shown.leader_epoch = partition.leader_epoch;
    shown.replica_nodes = partition.replicas;
    shown.isr_nodes = partition.in_sync;
    shown.offline_replicas = partition.offline;
    if (partition.leader < 0) shown.error_code = code(KafkaError::kLeaderNotAvailable);
  }
}

void forget(MetadataResponseTopic& topic) {
  const bool by_id = !topic.name || topic.name->empty();
  topic.error_code = by_id ? code(KafkaError::kUnknownTopicId) : kUnknown;
  if (!by_id) topic.topic_id = {};
  topic.partitions.clear();
}

}  // namespace

void show_as_of(const ClusterView& view, bool all, MetadataResponse& response) {
  response.controller_id = view.controller;
  response.brokers.clear();
  for (const ClusterView::Broker& known : view.brokers) {
    auto& broker = response.brokers.emplace_back();
    broker.node_id = known.id;
    broker.host = known.host;
    broker.port = known.port;
    broker.rack = known.rack;
  }
  if (all) {
    response.topics.clear();
    for (const auto& [name, known] : view.topics) show(name, known, response.topics.emplace_back());
    return;
  }
  for (MetadataResponseTopic& topic : response.topics) {
    const auto known = find(view, topic);
    if (known != view.topics.end())
      show(known->first, known->second, topic);
    else
      forget(topic);
  }
}

}  // namespace ktrial::fakebroker
