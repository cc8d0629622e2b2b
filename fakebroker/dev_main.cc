// SPDX-License-Identifier: Apache-2.0
// ktrial-cluster-dev: the fake cluster alone, for trying clients by hand while building it:
// ktrial-cluster-dev BROKERS [PORT] [TOPIC:PARTITIONS...]. Topics are created on demand too.
#include "fakebroker/serve.h"

#include <charconv>
#include <string_view>

namespace {

int number(std::string_view text) {
  int value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace ktrial::fakebroker;
  const int brokers = argc > 1 ? number(argv[1]) : 3;
  const int port = argc > 2 ? number(argv[2]) : 9092;
  ClusterSpec spec = loopback_cluster(brokers, static_cast<std::uint16_t>(port));
  spec.auto_create_topics = true;
  spec.ledger_limit = 10'000;
  for (int i = 3; i < argc; ++i) {
    const std::string_view text = argv[i];
    const std::size_t colon = text.find(':');
    TopicSpec topic;
    topic.name = text.substr(0, colon);
    if (colon != std::string_view::npos) topic.partitions = number(text.substr(colon + 1));
    spec.topics.push_back(std::move(topic));
  }
  return serve(std::move(spec), {});
}
