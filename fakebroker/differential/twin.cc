// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/differential/twin.h"

#include "fakebroker/handlers/registry.h"
#include "fakebroker/releases/releases.h"
#include "protocol/api_info.h"

#include <string>

namespace ktrial::fakebroker::differential {

const char* const kAsTheFake =
    "auto.create.topics.enable=true\n"
    "log.initial.task.delay.ms=3600000\n"  // old timestamps are not to expire
    "group.consumer.heartbeat.interval.ms=5000\n"
    "log.retention.bytes=268435456\n"
    "socket.request.max.bytes=104857600\n";

ClusterSpec twin(int brokers) {
  ClusterSpec spec = loopback_cluster(brokers, 0);
  for (auto& broker : spec.brokers) broker.host = "127.0.0.1";
  spec.cluster_id = "a3RyaWFsLXRlc3RzLTAwMQ";
  spec.release = "4.4";
  spec.auto_create_topics = true;
  spec.topics = {{.name = "__consumer_offsets", .partitions = 3},
                 {.name = "__transaction_state", .partitions = 3}};
  return spec;
}

std::vector<ServedApi> served_by_both() {
  std::vector<ServedApi> apis;
  const ClusterSpec spec = twin();
  const Release* const release = Release::find(*spec.release).value();
  for (const ApiRow& row : registry()) {
    const auto range = offered(row, release);
    if (!range || !is_offered(row, spec)) continue;
    const auto* const info = protocol::find_api(row.key);
    apis.push_back({row.key, std::string(info->name), {range->min, range->max}});
  }
  return apis;
}

}  // namespace ktrial::fakebroker::differential
