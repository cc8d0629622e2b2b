// SPDX-License-Identifier: Apache-2.0
// Configs: what was set on brokers, on all of them, on groups and client metrics subscriptions, and
// what holds in the end: the topic's own value, else the broker's, that of all brokers, the one the
// broker was started with, the default. A topic keeps its own values itself.
#pragma once

#include "fakebroker/cluster_spec.h"
#include "fakebroker/state/config_keys.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ktrial::fakebroker {

struct Topic;

// ConfigResource.Type
enum class ConfigResource : std::int8_t {
  kTopic = 2,
  kBroker = 4,  // no name: all brokers
  kBrokerLogger = 8,
  kClientMetrics = 16,
  kGroup = 32,
};

// ConfigEntry.ConfigSource
enum class ConfigSource : std::int8_t {
  kTopic = 1,
  kBroker = 2,
  kAllBrokers = 3,
  kStartedWith = 4,
  kDefault = 5,
  kClientMetrics = 7,
  kGroup = 8,
};

using ConfigValues = std::map<std::string, std::string>;

struct ConfigSetting {
  std::string name;
  std::optional<std::string> value;
  ConfigSource source = ConfigSource::kDefault;
};
// What holds, and all that would hold in turn if what is before it went: the synonyms.
struct DescribedConfig {
  const ConfigKey* key = nullptr;
  std::optional<std::string> value;
  ConfigSource source = ConfigSource::kDefault;
  std::vector<ConfigSetting> synonyms;
};

class Configs {
 public:
  explicit Configs(const ClusterSpec& spec);

  // What was set on a resource other than a topic.
  [[nodiscard]] const ConfigValues& of(ConfigResource type, const std::string& name) const;
  // All of it; without values, the resource is forgotten.
  void set(ConfigResource type, const std::string& name, ConfigValues values);
  // The names of resources that anything is set on.
  [[nodiscard]] std::vector<std::string> names(ConfigResource type) const;

  [[nodiscard]] std::vector<DescribedConfig> of_topic(const Topic& topic, int broker) const;
  [[nodiscard]] std::vector<DescribedConfig> of_broker(int broker) const;
  [[nodiscard]] std::vector<DescribedConfig> of_all_brokers() const;
  [[nodiscard]] std::vector<DescribedConfig> of_group(const std::string& group, int broker) const;
  [[nodiscard]] std::vector<DescribedConfig> of_client_metrics(const std::string& name) const;

  // What holds on the broker; nothing if that is null, or no broker has such a config.
  [[nodiscard]] std::optional<std::string> broker_value(std::string_view name, int broker) const;

  // What holds where the broker leads.
  [[nodiscard]] std::int64_t max_message_bytes(const Topic& topic, int broker) const;
  [[nodiscard]] bool log_append_time(const Topic& topic, int broker) const;
  // -1: no limit.
  [[nodiscard]] std::int64_t retention_bytes(const Topic& topic, int broker) const;
  [[nodiscard]] std::int64_t min_in_sync(const Topic& topic, int broker) const;
  // False for a topic that is compacted only.
  [[nodiscard]] bool deletes_records(const Topic& topic, int broker) const;

 private:
  [[nodiscard]] std::vector<ConfigSetting> broker_settings(const ConfigKey& key, int broker) const;
  [[nodiscard]] std::vector<ConfigSetting> inherited(const ConfigKey& key, int broker) const;
  [[nodiscard]] std::string topic_value(const Topic& topic, const std::string& name,
                                        int broker) const;
  [[nodiscard]] std::optional<std::string> started_with(std::string_view name, int broker) const;

  ConfigValues started_with_;
  bool plain_ = true;  // the brokers were started with nothing that topics inherit
  std::map<int, std::optional<std::string>> racks_;
  std::map<std::pair<ConfigResource, std::string>, ConfigValues> set_;
};

}  // namespace ktrial::fakebroker
