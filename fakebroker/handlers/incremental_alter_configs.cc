// SPDX-License-Identifier: Apache-2.0
// IncrementalAlterConfigs (44), v0-1 (KIP-339): sets and deletes configs of a resource one by one,
// adds to lists and takes from them. The levels of a broker's loggers cannot be altered here.
#include "fakebroker/handlers/config_alteration.h"
#include "fakebroker/handlers/handlers.h"
#include "fakebroker/handlers/refusals.h"
#include "protocol/messages/incremental_alter_configs_request.h"
#include "protocol/messages/incremental_alter_configs_response.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace ktrial::fakebroker {
namespace {

using protocol::IncrementalAlterConfigsRequest;
using protocol::IncrementalAlterConfigsResponse;
using protocol::KafkaError;
using protocol::incremental_alter_configs_request::AlterableConfig;
using protocol::incremental_alter_configs_request::AlterConfigsResource;

enum class Operation : std::int8_t { kSet = 0, kDelete = 1, kAppend = 2, kSubtract = 3 };

Operation operation_of(const AlterableConfig& config) {
  return static_cast<Operation>(config.config_operation);
}

std::optional<ConfigFault> fault_of_configs(const AlterConfigsResource& resource) {
  std::vector<std::string> keys;
  std::vector<std::string> without_value;
  for (const AlterableConfig& config : resource.configs) {
    keys.push_back(config.name);
    if (!config.value && operation_of(config) != Operation::kDelete)
      without_value.push_back(config.name);
  }
  if (auto fault = fault_of_keys(keys, without_value)) return fault;
  return std::nullopt;
}

ConfigFault not_a_list(const ConfigTarget& target, const AlterableConfig& config) {
  const bool append = operation_of(config) == Operation::kAppend;
  if (target.type == ConfigResource::kBroker) {
    return {KafkaError::kInvalidConfig,
            fmt::format("Config value {} is not allowed for config key: {}",
                        append ? "append" : "subtract", config.name)};
  }
  return {KafkaError::kInvalidConfig,
          fmt::format("Can't {} to key {} because its type is not LIST.",
                      append ? "APPEND" : "SUBTRACT", config.name)};
}

// A list that is not set is changed from its default.
std::vector<std::string> present_list(const ConfigTarget& target, const ConfigValues& values,
                                      const std::string& name) {
  const auto set = values.find(name);
  if (set != values.end()) return config_list(set->second);
  const auto keys =
      target.type == ConfigResource::kTopic ? topic_config_keys() : broker_config_keys();
  return config_list(find_config_key(keys, name)->fallback.value_or(""));
}

void change_list(const ConfigTarget& target, ConfigValues& values, const AlterableConfig& config) {
  std::vector<std::string> list = present_list(target, values, config.name);
  for (const std::string& one : config_list(*config.value)) {
    const auto found = std::find(list.begin(), list.end(), one);
    if (operation_of(config) == Operation::kSubtract) {
      if (found != list.end()) list.erase(found);
    } else if (found == list.end()) {
      list.push_back(one);
    }
  }
  values[config.name] = fmt::format("{}", fmt::join(list, ","));
}

std::optional<ConfigFault> alter(RequestContext& ctx, const AlterConfigsResource& resource,
                                 bool validate_only) {
  if (auto fault = fault_of_configs(resource)) return fault;
  if (auto fault = fault_of_target(ctx, resource.resource_type, resource.resource_name))
    return fault;
  for (const AlterableConfig& config : resource.configs) {
    if (config.config_operation < 0 || operation_of(config) > Operation::kSubtract) {
      return ConfigFault{KafkaError::kUnknownServerError, {}};  // no such AlterConfigOp
    }
  }
  const ConfigTarget target{static_cast<ConfigResource>(resource.resource_type),
                            resource.resource_name};
  const ConfigValues* const present = ctx.cluster.configs_of(target.type, target.name);
  ConfigValues values = present == nullptr ? ConfigValues() : *present;
  for (const AlterableConfig& config : resource.configs) {
    if (operation_of(config) == Operation::kSet) {
      values[config.name] = *config.value;
    } else if (operation_of(config) == Operation::kDelete) {
      values.erase(config.name);
    } else if (is_list_config(target.type, config.name)) {
      change_list(target, values, config);
    } else {
      return not_a_list(target, config);
    }
  }
  return put_configs(ctx, target, std::move(values), validate_only);
}

}  // namespace

Reply incremental_alter_configs(RequestContext& ctx,
                                const IncrementalAlterConfigsRequest& request) {
  return answer_alterations<IncrementalAlterConfigsResponse>(
      request, [&](const auto& resource) { return alter(ctx, resource, request.validate_only); });
}

Reply refuse_incremental_alter_configs(RequestContext&,
                                       const IncrementalAlterConfigsRequest& request,
                                       std::int16_t error) {
  return refuse_alterations<IncrementalAlterConfigsResponse>(request, error);
}

}  // namespace ktrial::fakebroker
