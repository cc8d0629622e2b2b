// SPDX-License-Identifier: Apache-2.0
// Config keys: the configs of topics, brokers, groups and client metrics subscriptions that a Kafka
// 4.4 broker knows: types, defaults and which values it takes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace ktrial::fakebroker {

// As on the wire, in DescribeConfigs.
enum class ConfigType : std::int8_t {
  kBoolean = 1,
  kString = 2,
  kInt = 3,
  kLong = 5,
  kDouble = 6,
  kList = 7,
};

struct ConfigKey {
  std::string_view name;
  ConfigType type = ConfigType::kString;
  std::optional<std::string_view> fallback = {};  // the value where nobody set one; else null
  std::optional<std::int64_t> least = {};
  std::optional<std::int64_t> most = {};
  std::string_view choices = {};  // "a, b": the strings it may be; of a list, its elements
  // Of a topic or group: the broker config it takes its value from.
  std::string_view broker_key = {};
  bool dynamic = true;  // of a broker: may change while it runs
};

std::span<const ConfigKey> topic_config_keys();
std::span<const ConfigKey> broker_config_keys();
std::span<const ConfigKey> group_config_keys();
std::span<const ConfigKey> client_metrics_config_keys();
const ConfigKey* find_config_key(std::span<const ConfigKey> keys, std::string_view name);

// What a broker says of a value that the key does not take; nothing if it does.
std::optional<std::string> fault_of_value(const ConfigKey& key, const std::string& value);

}  // namespace ktrial::fakebroker
