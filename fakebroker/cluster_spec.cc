// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/cluster_spec.h"

#include <fmt/core.h>

namespace ktrial::fakebroker {

ClusterSpec loopback_cluster(int count, std::uint16_t port) {
  constexpr int kPerBlock = 250;
  ClusterSpec spec;
  for (int i = 0; i < count; ++i) {
    BrokerSpec broker;
    broker.id = i + 1;
    broker.host = fmt::format("127.1.{}.{}", i / kPerBlock, i % kPerBlock + 1);
    broker.port = port;
    spec.brokers.push_back(std::move(broker));
  }
  return spec;
}

}  // namespace ktrial::fakebroker
