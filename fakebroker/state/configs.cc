// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/state/configs.h"

#include "fakebroker/state/log_dirs.h"
#include "fakebroker/state/topics.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <charconv>

namespace ktrial::fakebroker {
namespace {

constexpr std::int64_t kDefaultMaxMessageBytes = 1048588;

std::int64_t number(const std::string& text, std::int64_t otherwise) {
  std::int64_t value = otherwise;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

DescribedConfig described(const ConfigKey& key, std::vector<ConfigSetting> settings) {
  DescribedConfig config{.key = &key, .value = {}, .source = {}, .synonyms = std::move(settings)};
  if (config.synonyms.empty()) {
    config.source = ConfigSource::kDefault;
    if (key.fallback) config.value = std::string(*key.fallback);
  } else {
    config.value = config.synonyms.front().value;
    config.source = config.synonyms.front().source;
  }
  return config;
}

constexpr std::string_view kSetByController = "min.insync.replicas";

void put_own(std::vector<ConfigSetting>& settings, const ConfigValues& own, const ConfigKey& key,
             ConfigSource source) {
  const auto set = own.find(std::string(key.name));
  if (set != own.end()) settings.insert(settings.begin(), {set->first, set->second, source});
}

}  // namespace

Configs::Configs(const ClusterSpec& spec) {
  plain_ = !spec.broker_configs.contains("message.max.bytes") &&
           !spec.broker_configs.contains("log.message.timestamp.type");
  started_with_ = {
      {"auto.create.topics.enable", spec.auto_create_topics ? "true" : "false"},
      {"connections.max.idle.ms", std::to_string(spec.idle_close.value_or(Millis(-1)).count())},
      {"group.consumer.heartbeat.interval.ms",
       std::to_string(spec.consumer_heartbeat_interval.count())},
      {"group.initial.rebalance.delay.ms", std::to_string(spec.initial_rebalance_delay.count())},
      {"log.dirs", fmt::format("{}", fmt::join(LogDirs::all(), ","))},
      {"log.retention.bytes", std::to_string(spec.partition_bytes)},
      {"num.partitions", std::to_string(spec.default_partitions)},
      {"process.roles", "broker,controller"},
      {"queued.max.request.bytes", std::to_string(spec.request_bytes)},
      {"socket.request.max.bytes", std::to_string(spec.max_request_bytes)},
  };
  // Kafka's default is no setting.
  if (spec.share_heartbeat_interval != ClusterSpec().share_heartbeat_interval) {
    started_with_["group.share.heartbeat.interval.ms"] =
        std::to_string(spec.share_heartbeat_interval.count());
  }
  for (const auto& [name, value] : spec.broker_configs) started_with_[name] = value;
  for (const BrokerSpec& broker : spec.brokers) racks_[broker.id] = broker.rack;
}

const ConfigValues& Configs::of(ConfigResource type, const std::string& name) const {
  static const ConfigValues kNone;
  const auto found = set_.find({type, name});
  return found == set_.end() ? kNone : found->second;
}

void Configs::set(ConfigResource type, const std::string& name, ConfigValues values) {
  if (values.empty()) {
    set_.erase({type, name});
  } else {
    set_[{type, name}] = std::move(values);
  }
}

std::vector<std::string> Configs::names(ConfigResource type) const {
  std::vector<std::string> names;
  for (const auto& [resource, values] : set_) {
    if (resource.first == type) names.push_back(resource.second);
  }
  return names;
}

std::optional<std::string> Configs::started_with(std::string_view name, int broker) const {
  if (name == "node.id" || name == "broker.id") return std::to_string(broker);
  if (name == "broker.rack") {
    const auto rack = racks_.find(broker);
    return rack == racks_.end() ? std::nullopt : rack->second;
  }
  const auto found = started_with_.find(std::string(name));
  return found == started_with_.end() ? std::nullopt : std::optional(found->second);
}

std::vector<ConfigSetting> Configs::broker_settings(const ConfigKey& key, int broker) const {
  const std::string name(key.name);
  std::vector<ConfigSetting> settings;
  if (key.fallback) settings = {{name, std::string(*key.fallback), ConfigSource::kDefault}};
  if (const auto value = started_with(key.name, broker))
    settings.insert(settings.begin(), {name, *value, ConfigSource::kStartedWith});
  // With eligible leader replicas (KIP-966) the controller itself sets this one for all brokers.
  const ConfigValues& all = of(ConfigResource::kBroker, "");
  if (key.name == kSetByController && !all.contains(name))
    settings.insert(settings.begin(), {name, settings.front().value, ConfigSource::kAllBrokers});
  put_own(settings, all, key, ConfigSource::kAllBrokers);
  put_own(settings, of(ConfigResource::kBroker, std::to_string(broker)), key,
          ConfigSource::kBroker);
  return settings;
}

std::vector<ConfigSetting> Configs::inherited(const ConfigKey& key, int broker) const {
  const ConfigKey* const from = find_config_key(broker_config_keys(), key.broker_key);
  return from == nullptr ? std::vector<ConfigSetting>() : broker_settings(*from, broker);
}

std::vector<DescribedConfig> Configs::of_topic(const Topic& topic, int broker) const {
  std::vector<DescribedConfig> configs;
  for (const ConfigKey& key : topic_config_keys()) {
    std::vector<ConfigSetting> settings = inherited(key, broker);
    put_own(settings, topic.configs, key, ConfigSource::kTopic);
    configs.push_back(described(key, std::move(settings)));
  }
  return configs;
}

std::vector<DescribedConfig> Configs::of_broker(int broker) const {
  std::vector<DescribedConfig> configs;
  for (const ConfigKey& key : broker_config_keys())
    configs.push_back(described(key, broker_settings(key, broker)));
  return configs;
}

std::vector<DescribedConfig> Configs::of_all_brokers() const {
  std::vector<DescribedConfig> configs;
  for (const ConfigKey& key : broker_config_keys()) {
    std::vector<ConfigSetting> settings;
    put_own(settings, of(ConfigResource::kBroker, ""), key, ConfigSource::kAllBrokers);
    if (!settings.empty()) configs.push_back(described(key, std::move(settings)));
  }
  return configs;
}

std::vector<DescribedConfig> Configs::of_group(const std::string& group, int broker) const {
  std::vector<DescribedConfig> configs;
  for (const ConfigKey& key : group_config_keys()) {
    std::vector<ConfigSetting> settings = inherited(key, broker);
    put_own(settings, of(ConfigResource::kGroup, group), key, ConfigSource::kGroup);
    configs.push_back(described(key, std::move(settings)));
  }
  return configs;
}

std::vector<DescribedConfig> Configs::of_client_metrics(const std::string& name) const {
  std::vector<DescribedConfig> configs;
  for (const ConfigKey& key : client_metrics_config_keys()) {
    std::vector<ConfigSetting> settings;
    put_own(settings, of(ConfigResource::kClientMetrics, name), key, ConfigSource::kClientMetrics);
    configs.push_back(described(key, std::move(settings)));
  }
  return configs;
}

std::optional<std::string> Configs::broker_value(std::string_view name, int broker) const {
  const ConfigKey* const key = find_config_key(broker_config_keys(), name);
  return key == nullptr ? std::nullopt : described(*key, broker_settings(*key, broker)).value;
}

std::string Configs::topic_value(const Topic& topic, const std::string& name, int broker) const {
  const auto own = topic.configs.find(name);
  if (own != topic.configs.end()) return own->second;
  const ConfigKey& key = *find_config_key(topic_config_keys(), name);
  return described(key, inherited(key, broker)).value.value_or("");
}

// These two are asked for each batch that is produced: nothing is looked up where nothing is set.
std::int64_t Configs::max_message_bytes(const Topic& topic, int broker) const {
  if (plain_ && topic.configs.empty() && set_.empty()) return kDefaultMaxMessageBytes;
  return number(topic_value(topic, "max.message.bytes", broker), kDefaultMaxMessageBytes);
}

bool Configs::log_append_time(const Topic& topic, int broker) const {
  if (plain_ && topic.configs.empty() && set_.empty()) return false;
  return topic_value(topic, "message.timestamp.type", broker) == "LogAppendTime";
}

std::int64_t Configs::retention_bytes(const Topic& topic, int broker) const {
  return number(topic_value(topic, "retention.bytes", broker), -1);
}

std::int64_t Configs::min_in_sync(const Topic& topic, int broker) const {
  if (topic.configs.empty() && set_.empty()) return 1;
  return number(topic_value(topic, std::string(kSetByController), broker), 1);
}

bool Configs::deletes_records(const Topic& topic, int broker) const {
  return topic_value(topic, "cleanup.policy", broker).find("delete") != std::string::npos;
}

}  // namespace ktrial::fakebroker
