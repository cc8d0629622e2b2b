// SPDX-License-Identifier: Apache-2.0
#include "harness/run/cluster_of.h"

#include "fakebroker/broker_config.h"

#include <fmt/format.h>

#include <algorithm>

namespace ktrial::harness {
namespace {

constexpr std::uint16_t kPort = 9092;

std::vector<std::string> bootstrap_list(const ClusterPart& part,
                                        const fakebroker::ClusterSpec& spec) {
  std::vector<std::string> servers;
  const auto add = [&](const fakebroker::BrokerSpec& broker) {
    servers.push_back(fmt::format("{}:{}", broker.host, broker.port));
  };
  if (part.bootstrap.empty()) std::ranges::for_each(spec.brokers, add);
  for (const int id : part.bootstrap) add(spec.brokers.at(static_cast<std::size_t>(id) - 1));
  servers.insert(servers.end(), part.bootstrap_extra.begin(), part.bootstrap_extra.end());
  return servers;
}

}  // namespace

fakebroker::BrokerSpec broker_of(int id, int slot) {
  fakebroker::BrokerSpec broker;
  broker.id = id;
  broker.host = fmt::format("127.{}.{}.{}", slot, id / 250, id % 250 + 1);
  broker.port = kPort;
  return broker;
}

void apply_settings(const ClusterPart& part, fakebroker::ClusterSpec& spec) {
  for (const TopicPart& topic : part.topics)
    spec.topics.push_back(
        {topic.name, topic.partitions, topic.leaders, topic.configs, topic.discard});
  spec.coordinator = part.coordinator;
  spec.controller = part.controller;
  spec.idle_close = part.idle_close;
  spec.auto_create_topics = part.auto_create_topics;
  spec.keepalive = part.keepalive;
  spec.consumer_groups = part.consumer_groups;
  spec.telemetry = part.telemetry;
  spec.initial_rebalance_delay = part.initial_rebalance_delay;
  spec.consumer_heartbeat_interval = part.consumer_heartbeat_interval;
  spec.share_groups = part.share_groups;
  spec.rack_aware_replicas = part.rack_aware_replicas;
  spec.release = part.release;
  spec.seed = part.seed;
  spec.discard = part.discard;
  spec.record_bytes = part.record_memory.value_or(spec.record_bytes);
  spec.security = part.security.spec;
  // What is wrong with one was said when the file was read.
  for (const auto& [key, value] : part.config)
    (void)fakebroker::set_broker_config(spec, key, value);
  for (fakebroker::BrokerSpec& broker : spec.brokers) {
    const auto release = part.releases.find(broker.id);
    if (release != part.releases.end()) broker.release = release->second;
    if (!part.racks.empty())
      broker.rack = part.racks[static_cast<std::size_t>(broker.id - 1) % part.racks.size()];
    broker.listed = std::ranges::find(part.unlisted, broker.id) == part.unlisted.end();
  }
}

fakebroker::ClusterSpec cluster_of(const ClusterPart& part, int slot, double client_speed) {
  fakebroker::ClusterSpec spec;
  for (int id = 1; id <= part.brokers; ++id) {
    spec.brokers.push_back(broker_of(id, slot));
  }
  spec.client_speed = client_speed;
  apply_settings(part, spec);
  return spec;
}

std::string bootstrap_of(const ClusterPart& part, const fakebroker::ClusterSpec& spec) {
  return fmt::format("{}", fmt::join(bootstrap_list(part, spec), ","));
}

boost::json::object layout_note(const ClusterPart& part, const fakebroker::ClusterSpec& spec) {
  boost::json::array brokers;
  for (const auto& broker : spec.brokers)
    brokers.push_back({{"id", broker.id}, {"host", broker.host}, {"port", broker.port}});
  boost::json::object topics;
  for (const auto& topic : spec.topics)
    topics[topic.name] = boost::json::object{{"leaders", boost::json::value_from(topic.leaders)}};
  boost::json::object note{{"e", "layout"},
                           {"brokers", std::move(brokers)},
                           {"bootstrap", boost::json::value_from(bootstrap_list(part, spec))},
                           {"topics", std::move(topics)}};
  if (part.coordinator) note["coordinator"] = *part.coordinator;
  return note;
}

}  // namespace ktrial::harness
