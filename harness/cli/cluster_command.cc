// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/serve.h"
#include "harness/cli/commands.h"

#include <charconv>
#include <iostream>

namespace ktrial::harness {

int cluster_command(const ClusterOptions& options) {
  fakebroker::ClusterSpec spec;
  if (options.listen == "spread") {
    spec = fakebroker::loopback_cluster(options.brokers, options.port);
  } else {
    for (int id = 1; id <= options.brokers; ++id) {
      fakebroker::BrokerSpec broker;
      broker.id = id;
      broker.host = options.listen;
      broker.port = static_cast<std::uint16_t>(options.port == 0 ? 0 : options.port + id - 1);
      spec.brokers.push_back(std::move(broker));
    }
  }
  spec.auto_create_topics = !options.no_auto_create;
  spec.ledger_limit = 10'000;
  for (const std::string& text : options.topics) {
    fakebroker::TopicSpec topic;
    const std::size_t colon = text.rfind(':');
    topic.name = text.substr(0, colon);
    if (colon != std::string::npos) {
      const char* const end = text.data() + text.size();
      const auto parsed = std::from_chars(text.data() + colon + 1, end, topic.partitions);
      if (parsed.ptr != end || topic.partitions < 1) {
        std::cerr << "ktrial: --topic: '" << text << "' is not NAME or NAME:PARTITIONS\n";
        return kExitUsage;
      }
    }
    spec.topics.push_back(std::move(topic));
  }
  return fakebroker::serve(std::move(spec), {options.json, options.exit_with_parent});
}

}  // namespace ktrial::harness
