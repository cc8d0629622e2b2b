// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/state/config_rules.h"

#include "fakebroker/connection_quotas.h"
#include "fakebroker/state/topics.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <regex>

namespace ktrial::fakebroker {
namespace {

using protocol::KafkaError;

constexpr std::string_view kListeners = "listeners";

ConfigFault invalid_config(std::string message) {
  return {KafkaError::kInvalidConfig, std::move(message)};
}
ConfigFault invalid_request(std::string message) {
  return {KafkaError::kInvalidRequest, std::move(message)};
}

std::optional<std::int64_t> number(const ConfigValues& values, const std::string& key) {
  const auto found = values.find(key);
  if (found == values.end()) return std::nullopt;
  std::int64_t value = 0;
  std::from_chars(found->second.data(), found->second.data() + found->second.size(), value);
  return value;
}

std::optional<ConfigFault> unknown_key(std::span<const ConfigKey> keys, const ConfigValues& values,
                                       std::string_view what) {
  for (const auto& [name, value] : values) {
    if (find_config_key(keys, name) == nullptr)
      return invalid_config(fmt::format("Unknown {} config name: {}", what, name));
  }
  return std::nullopt;
}

// What only makes sense together, of a topic.
std::optional<ConfigFault> fault_between(const ConfigValues& values) {
  const std::int64_t least = number(values, "min.compaction.lag.ms").value_or(0);
  const std::int64_t most =
      number(values, "max.compaction.lag.ms").value_or(std::numeric_limits<std::int64_t>::max());
  if (least > most) {
    return invalid_config(fmt::format(
        "conflict topic config setting min.compaction.lag.ms ({}) > max.compaction.lag.ms ({})",
        least, most));
  }
  const auto tiered = values.find("remote.storage.enable");
  if (tiered != values.end() && tiered->second == "true") {
    return invalid_config(
        "Tiered Storage functionality is disabled in the broker. Topic cannot be configured with "
        "remote log storage.");
  }
  return std::nullopt;
}

bool is_client_match(const std::string& pattern) {
  static constexpr std::array<std::string_view, 6> kNames = {
      "client_instance_id",    "client_id",
      "client_software_name",  "client_software_version",
      "client_source_address", "client_source_port"};
  const std::size_t equals = pattern.find('=');
  if (equals == std::string::npos || equals + 1 == pattern.size() ||
      pattern.find('=', equals + 1) != std::string::npos)
    return false;
  std::string name = pattern.substr(0, equals);
  name.erase(std::remove(name.begin(), name.end(), ' '), name.end());
  if (std::find(kNames.begin(), kNames.end(), name) == kNames.end()) return false;
  try {
    std::regex(pattern.substr(equals + 1));
  } catch (const std::regex_error&) {
    return false;
  }
  return true;
}

}  // namespace

std::string invalid_topic_name(const std::string& name) {
  return fmt::format(
      "Topic name is invalid: '{}' contains one or more characters other than ASCII "
      "alphanumerics, '.', '_' and '-'",
      name);
}

std::vector<std::string> config_list(std::string_view text) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    if (comma > 0) parts.emplace_back(text.substr(0, comma));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return parts;
}

bool is_list_config(ConfigResource type, const std::string& key) {
  if (type != ConfigResource::kTopic && type != ConfigResource::kBroker) return false;
  const ConfigKey* const known = find_config_key(
      type == ConfigResource::kTopic ? topic_config_keys() : broker_config_keys(), key);
  return known != nullptr && known->type == ConfigType::kList;
}

std::optional<ConfigFault> fault_of_topic_configs(const std::string& topic,
                                                  const ConfigValues& values) {
  if (topic.empty()) return invalid_request("Default topic resources are not allowed.");
  if (!Topics::is_valid_name(topic))
    return ConfigFault{KafkaError::kInvalidTopicException, invalid_topic_name(topic)};
  if (auto fault = unknown_key(topic_config_keys(), values, "topic")) return fault;
  for (const auto& [name, value] : values) {
    if (auto why = fault_of_value(*find_config_key(topic_config_keys(), name), value))
      return invalid_config(std::move(*why));
  }
  return fault_between(values);
}

// What a broker does not know is another's business (a plugin's): it takes it.
std::optional<ConfigFault> fault_of_broker_configs(const std::string& broker,
                                                   const ConfigValues& values) {
  for (const auto& [name, value] : values) {
    const ConfigKey* const key = find_config_key(broker_config_keys(), name);
    if (key != nullptr && !key->dynamic)
      return invalid_request(fmt::format("Cannot update these configs dynamically: [{}]", name));
  }
  for (const auto& [name, value] : values) {
    const ConfigKey* const key = find_config_key(broker_config_keys(), name);
    if (key == nullptr) continue;
    if (auto why = fault_of_value(*key, value)) return invalid_request(std::move(*why));
    if (name == ConnectionLimits::kOverrides) {
      const auto overrides = ConnectionLimits::read_overrides(value);
      if (!overrides) return invalid_request(overrides.error().message);
    }
    if (broker.empty() && name == kListeners) {
      return invalid_request(
          "Cannot update these configs at default cluster level, broker id must be specified: "
          "[listeners]");
    }
  }
  return std::nullopt;
}

std::optional<ConfigFault> fault_of_group_configs(const std::string& group,
                                                  const ConfigValues& values) {
  if (group.empty()) return invalid_request("Default group resources are not allowed.");
  if (auto fault = unknown_key(group_config_keys(), values, "group")) return fault;
  for (const auto& [name, value] : values) {
    ConfigKey key = *find_config_key(group_config_keys(), name);
    const auto least = std::exchange(key.least, 0);
    const auto most = std::exchange(key.most, std::nullopt);
    if (auto why = fault_of_value(key, value)) return invalid_config(std::move(*why));
    if (!least) continue;
    const std::int64_t wanted = *number(values, name);
    if (wanted < *least || wanted > *most) {
      return invalid_config(
          fmt::format("{} must be in the range {} to {} inclusive.", name, *least, *most));
    }
  }
  return std::nullopt;
}

std::optional<ConfigFault> fault_of_client_metrics_configs(const std::string& subscription,
                                                           const ConfigValues& values) {
  if (subscription.empty()) return invalid_request("Subscription name can't be empty");
  for (const auto& [name, value] : values) {
    if (find_config_key(client_metrics_config_keys(), name) == nullptr)
      return invalid_request(fmt::format("Unknown client metrics configuration: {}", name));
  }
  if (const auto interval = values.find("interval.ms"); interval != values.end()) {
    ConfigKey key = *find_config_key(client_metrics_config_keys(), "interval.ms");
    const auto least = std::exchange(key.least, std::nullopt);
    const auto most = std::exchange(key.most, std::nullopt);
    if (auto why = fault_of_value(key, interval->second)) return invalid_config(std::move(*why));
    const std::int64_t wanted = *number(values, "interval.ms");
    if (wanted < *least || wanted > *most) {
      return invalid_request(fmt::format(
          "Invalid value {} for interval.ms, interval must be between {} and {} (1 hour)", wanted,
          *least, *most));
    }
  }
  if (const auto match = values.find("match"); match != values.end()) {
    for (const std::string& pattern : config_list(match->second)) {
      if (!is_client_match(pattern))
        return invalid_config("Illegal client matching pattern: " + pattern);
    }
  }
  return std::nullopt;
}

}  // namespace ktrial::fakebroker
