// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/control/partition_actions.h"

#include "common/json_reader.h"

#include <utility>

namespace ktrial::fakebroker {

namespace json = boost::json;

Result<void> set_isr(Cluster& cluster, const std::string& topic, int partition,
                     const json::value& body) {
  JsonReader::Fault fault;
  JsonReader reader(body, "the replicas in sync", fault);
  auto replicas = reader.required("replicas", reader.integers("replicas", 0, INT32_MAX));
  reader.finish();
  if (fault.first) return tl::unexpected<Error>(*fault.first);
  return cluster.set_isr(topic, partition, std::move(*replicas));
}

Result<void> hold_high_watermark(Cluster& cluster, const std::string& topic, int partition,
                                 const json::value& body) {
  JsonReader::Fault fault;
  JsonReader reader(body, "the high watermark", fault);
  const auto held = reader.required("held", reader.boolean("held"));
  reader.finish();
  if (fault.first) return tl::unexpected<Error>(*fault.first);
  return cluster.hold_high_watermark(topic, partition, *held);
}

Result<void> set_replica_online(Cluster& cluster, const std::string& topic, int partition,
                                const json::value& body) {
  JsonReader::Fault fault;
  JsonReader reader(body, "a replica", fault);
  const auto broker = reader.required("broker", reader.integer("broker", 0, INT32_MAX));
  const auto online = reader.required("online", reader.boolean("online"));
  reader.finish();
  if (fault.first) return tl::unexpected<Error>(*fault.first);
  return cluster.set_replica_online(topic, partition, static_cast<int>(*broker), *online);
}

}  // namespace ktrial::fakebroker
