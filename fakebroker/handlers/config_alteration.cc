// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/handlers/config_alteration.h"

#include "fakebroker/handlers/authorization.h"
#include "fakebroker/handlers/authorization_words.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <charconv>
#include <set>

namespace ktrial::fakebroker {
namespace {

using protocol::KafkaError;

std::optional<ConfigFault> fault_of_access(const RequestContext& ctx, std::int8_t type,
                                           const std::string& name) {
  const KafkaError denied = denied_configs(ctx, AclOperation::kAlterConfigs, type, name);
  if (denied == KafkaError::kNone) return std::nullopt;
  return ConfigFault{denied, words_of_denial(denied)};
}

// A broker changes its own configs only; who asks another is sent away.
std::optional<ConfigFault> fault_of_broker_name(const RequestContext& ctx,
                                                const std::string& name) {
  int id = -1;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), id);
  if (error != std::errc() || end != name.data() + name.size()) {
    return ConfigFault{KafkaError::kInvalidRequest,
                       "Node id must be an integer, but it is: " + name};
  }
  if (id == ctx.broker) return std::nullopt;
  return ConfigFault{
      KafkaError::kInvalidRequest,
      fmt::format("Unexpected broker id, expected {}, but received {}", ctx.broker, name)};
}

std::optional<ConfigFault> fault_of_values(const ConfigTarget& target, const ConfigValues& values) {
  switch (target.type) {
    case ConfigResource::kTopic:
      return fault_of_topic_configs(target.name, values);
    case ConfigResource::kBroker:
      return fault_of_broker_configs(target.name, values);
    case ConfigResource::kGroup:
      return fault_of_group_configs(target.name, values);
    default:
      return fault_of_client_metrics_configs(target.name, values);
  }
}

}  // namespace

std::optional<ConfigFault> fault_of_keys(const std::vector<std::string>& keys,
                                         const std::vector<std::string>& without_value) {
  if (std::set<std::string>(keys.begin(), keys.end()).size() < keys.size())
    return ConfigFault{KafkaError::kInvalidRequest, "Error due to duplicate config keys"};
  if (without_value.empty()) return std::nullopt;
  return ConfigFault{KafkaError::kInvalidRequest, fmt::format("Null value not supported for : {}",
                                                              fmt::join(without_value, ", "))};
}

std::optional<ConfigFault> fault_of_target(const RequestContext& ctx, std::int8_t type,
                                           const std::string& name) {
  switch (static_cast<ConfigResource>(type)) {
    case ConfigResource::kBroker:
      if (!name.empty()) {
        if (auto fault = fault_of_broker_name(ctx, name)) return fault;
      }
      [[fallthrough]];
    case ConfigResource::kTopic:
    case ConfigResource::kGroup:
    case ConfigResource::kClientMetrics:
      return fault_of_access(ctx, type, name);
    default:
      return ConfigFault{KafkaError::kInvalidRequest,
                         fmt::format("Unknown resource type {}", type)};
  }
}

std::optional<ConfigFault> put_configs(RequestContext& ctx, const ConfigTarget& target,
                                       ConfigValues values, bool validate_only) {
  if (auto fault = fault_of_values(target, values)) return fault;
  if (ctx.cluster.configs_of(target.type, target.name) == nullptr) {
    return ConfigFault{KafkaError::kUnknownTopicOrPartition,
                       fmt::format("The topic '{}' does not exist.", target.name)};
  }
  if (!validate_only) ctx.cluster.set_configs(target.type, target.name, std::move(values));
  return std::nullopt;
}

}  // namespace ktrial::fakebroker
