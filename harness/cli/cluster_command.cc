// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/serve.h"
#include "harness/cli/commands.h"

#include <charconv>
#include <iostream>
#include <optional>
#include <string_view>

namespace ktrial::harness {
namespace {

std::optional<fakebroker::ControlOptions> control_of(const ClusterOptions& options) {
  const std::string_view text = options.control;
  const std::size_t colon = text.rfind(':');
  const std::string_view port = colon == std::string_view::npos ? text : text.substr(colon + 1);
  fakebroker::ControlOptions control;
  control.token = options.control_token;
  if (colon != std::string_view::npos) control.host = text.substr(0, colon);
  if (control.host.starts_with('[') && control.host.ends_with(']'))
    control.host = control.host.substr(1, control.host.size() - 2);
  const auto [end, bad] = std::from_chars(port.data(), port.data() + port.size(), control.port);
  const bool good = bad == std::errc() && end == port.data() + port.size() && !control.host.empty();
  return good ? std::optional(std::move(control)) : std::nullopt;
}

}  // namespace

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
  if (!options.release.empty()) spec.release = options.release;
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
  auto security = security_of(options.security);
  if (!security) {
    std::cerr << "ktrial: " << security.error().to_string() << '\n';
    return kExitUsage;
  }
  spec.security = std::move(*security);
  fakebroker::ServeOptions serve{options.json, options.exit_with_parent};
  if (options.control != "off") {
    serve.control = control_of(options);
    if (!serve.control) {
      std::cerr << "ktrial: --control: '" << options.control
                << "' is not PORT, ADDRESS:PORT or off\n";
      return kExitUsage;
    }
  }
  return fakebroker::serve(std::move(spec), std::move(serve));
}

}  // namespace ktrial::harness
