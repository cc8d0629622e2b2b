// SPDX-License-Identifier: Apache-2.0
#include "common/result.h"
#include "fakebroker/broker_config.h"
#include "fakebroker/serve.h"
#include "fakebroker/state/config_rules.h"
#include "harness/cli/commands.h"
#include "harness/run/cluster_of.h"
#include "harness/scenario/cluster_file.h"
#include "harness/scenario/topics_file.h"

#include <charconv>
#include <iostream>
#include <optional>
#include <set>
#include <string_view>

namespace ktrial::harness {
namespace {

// Which option is wrong, and what is.
tl::unexpected<Error> fault(std::string option, std::string text) {
  return fail(Errc::kInvalidArgument, std::move(text), std::move(option));
}

template <class Number>
bool parse_number(std::string_view text, Number& out) {
  const auto [end, bad] = std::from_chars(text.data(), text.data() + text.size(), out);
  return bad == std::errc() && end == text.data() + text.size();
}

struct HostPort {
  std::string host = {};
  std::string_view port = {};  // empty: none
};

// "HOST", "HOST:PORT", "[V6]:PORT".
HostPort split_address(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  const bool has_port = colon != std::string_view::npos && !text.ends_with(']');
  std::string_view host = has_port ? text.substr(0, colon) : text;
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  return {std::string(host), has_port ? text.substr(colon + 1) : std::string_view()};
}

Result<void> read_control(const ClusterOptions& options, fakebroker::ServeOptions& serve) {
  if (options.control == "off") return {};
  fakebroker::ControlOptions control;
  control.token = options.control_token;
  const std::string_view text = options.control;
  if (!parse_number(text, control.port)) {
    const HostPort address = split_address(text);
    control.host = address.host;
    if (address.host.empty() || !parse_number(address.port, control.port))
      return fault("--control", "'" + options.control + "' is not PORT, ADDRESS:PORT or off");
  }
  serve.control = std::move(control);
  return {};
}

Result<void> add_brokers(const ClusterOptions& options, fakebroker::ClusterSpec& spec) {
  if (options.listen == "spread") {
    spec = fakebroker::loopback_cluster(options.brokers, options.port);
    return {};
  }
  if (options.port != 0 && options.port + options.brokers - 1 > UINT16_MAX)
    return fault("--port", "there is no port for each broker from there on");
  const bool any_address = options.listen == "0.0.0.0" || options.listen == "::";
  if (any_address && options.advertise.empty())
    return fault("--listen",
                 "clients cannot be told " + options.listen + "; --advertise an address");
  for (int id = 1; id <= options.brokers; ++id) {
    fakebroker::BrokerSpec broker;
    broker.id = id;
    broker.host = options.listen;
    broker.port = static_cast<std::uint16_t>(options.port == 0 ? 0 : options.port + id - 1);
    spec.brokers.push_back(std::move(broker));
  }
  return {};
}

Result<void> advertise(const ClusterOptions& options, fakebroker::ClusterSpec& spec) {
  if (options.advertise.empty()) return {};
  const HostPort address = split_address(options.advertise);
  std::uint16_t port = 0;
  const bool has_port = !address.port.empty();
  if (address.host.empty() || options.advertise.ends_with(':') ||
      (has_port &&
       (!parse_number(address.port, port) || port == 0 || port + options.brokers - 1 > UINT16_MAX)))
    return fault("--advertise", "'" + options.advertise + "' is not HOST or HOST:PORT");
  for (fakebroker::BrokerSpec& broker : spec.brokers) {
    broker.advertised_host = address.host;
    if (has_port) broker.advertised_port = static_cast<std::uint16_t>(port + broker.id - 1);
  }
  return {};
}

Result<void> add_topics(const ClusterOptions& options, fakebroker::ClusterSpec& spec) {
  if (!options.topics_file.empty()) {
    const auto topics = read_topics_file(options.topics_file, options.brokers);
    KTRIAL_TRY(topics);
    for (const auto& [topic, at] : *topics) {
      if (const auto wrong = fakebroker::fault_of_topic_configs(topic.name, topic.configs))
        return fault(at.to_string(), wrong->message);
      spec.topics.push_back(
          {topic.name, topic.partitions, topic.leaders, topic.configs, topic.discard});
    }
  }
  for (const std::string& text : options.topics) {
    fakebroker::TopicSpec topic;
    const std::size_t colon = text.rfind(':');
    topic.name = text.substr(0, colon);
    if (colon != std::string::npos &&
        (!parse_number(std::string_view(text).substr(colon + 1), topic.partitions) ||
         topic.partitions < 1))
      return fault("--topic", "'" + text + "' is not NAME or NAME:PARTITIONS");
    spec.topics.push_back(std::move(topic));
  }
  std::set<std::string_view> names;
  for (const fakebroker::TopicSpec& topic : spec.topics) {
    if (!names.insert(topic.name).second)
      return fault("--topic", "'" + topic.name + "' is there twice");
  }
  return {};
}

Result<void> limit(const ClusterOptions& options, fakebroker::ClusterSpec& spec) {
  if (options.discard) spec.discard = true;
  if (options.record_memory) spec.record_bytes = *options.record_memory;
  for (const std::string& text : options.config) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos) return fault("--config", "'" + text + "' is not KEY=VALUE");
    const auto set =
        fakebroker::set_broker_config(spec, text.substr(0, equals), text.substr(equals + 1));
    if (!set) return fault("--config", set.error().message);
  }
  return {};
}

// How many brokers there are is the file's to say.
Result<ClusterPart> read_file(ClusterOptions& options) {
  if (options.file.empty()) {
    ClusterPart part;
    part.brokers = options.brokers;
    part.auto_create_topics = true;
    return part;
  }
  auto part = read_cluster_file(options.file);
  if (part) options.brokers = part->brokers;
  return part;
}

}  // namespace

int cluster_command(ClusterOptions options) {
  fakebroker::ClusterSpec spec;
  fakebroker::ServeOptions serve{options.json, options.exit_with_parent};
  const auto complete = [&]() -> Result<void> {
    auto part = read_file(options);
    KTRIAL_TRY(part);
    KTRIAL_TRY(add_brokers(options, spec));
    apply_settings(*part, spec);
    for (RulePart& rule : part->rules) serve.rules.push_back(std::move(rule.rule));
    KTRIAL_TRY(advertise(options, spec));
    KTRIAL_TRY(add_topics(options, spec));
    KTRIAL_TRY(limit(options, spec));
    return read_control(options, serve);
  };
  if (const Result<void> done = complete(); !done) {
    std::cerr << "ktrial: " << done.error().to_string() << '\n';
    return kExitUsage;
  }
  if (options.no_auto_create) spec.auto_create_topics = false;
  // Only the control shows it.
  spec.ledger_limit = serve.control ? 10'000 : 0;
  if (!options.release.empty()) spec.release = options.release;
  auto security = security_of(options.security);
  if (!security) {
    std::cerr << "ktrial: " << security.error().to_string() << '\n';
    return kExitUsage;
  }
  // The file's, unless there are listeners on the command line.
  if (spec.security.listeners.empty() || !options.security.listeners.empty())
    spec.security = std::move(*security);
  return fakebroker::serve(std::move(spec), std::move(serve));
}

}  // namespace ktrial::harness
