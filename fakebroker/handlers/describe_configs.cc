// SPDX-License-Identifier: Apache-2.0
// DescribeConfigs (32), v1-4: of topics, brokers, groups and client metrics subscriptions. Loggers
// are not described: there are none.
#include "fakebroker/handlers/authorization.h"
#include "fakebroker/handlers/authorization_words.h"
#include "fakebroker/handlers/handlers.h"
#include "fakebroker/request_context.h"
#include "fakebroker/state/config_rules.h"
#include "protocol/messages/describe_configs_request.h"
#include "protocol/messages/describe_configs_response.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <iterator>

namespace ktrial::fakebroker {
namespace {

using protocol::DescribeConfigsRequest;
using protocol::DescribeConfigsResponse;
using protocol::KafkaError;
using protocol::describe_configs_request::DescribeConfigsResource;
using protocol::describe_configs_response::DescribeConfigsResult;

using Described = std::vector<DescribedConfig>;
using DescribedOrFault = tl::expected<Described, ConfigFault>;

tl::unexpected<ConfigFault> invalid_request(std::string message) {
  return tl::unexpected(ConfigFault{KafkaError::kInvalidRequest, std::move(message)});
}

DescribedOrFault of_topic(RequestContext& ctx, const std::string& name) {
  if (!Topics::is_valid_name(name)) {
    return tl::unexpected(
        ConfigFault{KafkaError::kInvalidTopicException, invalid_topic_name(name)});
  }
  const Topic* const topic = ctx.cluster.topics().find(name);
  if (topic != nullptr) return ctx.cluster.configs().of_topic(*topic, ctx.broker);
  return tl::unexpected(ConfigFault{KafkaError::kUnknownTopicOrPartition, ""});
}

DescribedOrFault of_broker(RequestContext& ctx, const std::string& name) {
  if (name.empty()) return ctx.cluster.configs().of_all_brokers();
  int id = -1;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), id);
  if (error != std::errc() || end != name.data() + name.size())
    return invalid_request("Broker id must be an integer, but it is: " + name);
  if (id == ctx.broker) return ctx.cluster.configs().of_broker(id);
  return invalid_request(fmt::format(
      "Unexpected broker id, expected {} or empty string, but received {}", ctx.broker, name));
}

DescribedOrFault configs_of(RequestContext& ctx, const DescribeConfigsResource& wanted) {
  const std::string& name = wanted.resource_name;
  switch (static_cast<ConfigResource>(wanted.resource_type)) {
    case ConfigResource::kTopic:
      return of_topic(ctx, name);
    case ConfigResource::kBroker:
      return of_broker(ctx, name);
    case ConfigResource::kClientMetrics:
      if (name.empty())
        return invalid_request("Client metrics subscription name must not be empty");
      return ctx.cluster.configs().of_client_metrics(name);
    case ConfigResource::kGroup:
      if (name.empty()) return invalid_request("Group name must not be empty");
      return ctx.cluster.configs().of_group(name, ctx.broker);
    default:
      return invalid_request("Unsupported resource type: " + std::to_string(wanted.resource_type));
  }
}

bool is_wanted(const DescribeConfigsResource& wanted, std::string_view name) {
  if (!wanted.configuration_keys || wanted.configuration_keys->empty()) return true;
  return std::find(wanted.configuration_keys->begin(), wanted.configuration_keys->end(), name) !=
         wanted.configuration_keys->end();
}

void fill(DescribeConfigsResult& result, const DescribeConfigsRequest& request,
          const DescribeConfigsResource& wanted, Described configs) {
  const bool of_a_broker =
      static_cast<ConfigResource>(wanted.resource_type) == ConfigResource::kBroker;
  for (DescribedConfig& described : configs) {
    if (!is_wanted(wanted, described.key->name)) continue;
    auto& config = result.configs.emplace_back();
    config.name = described.key->name;
    config.value = std::move(described.value);
    config.is_default = described.source == ConfigSource::kDefault;
    config.config_source = static_cast<std::int8_t>(described.source);
    config.config_type = static_cast<std::int8_t>(described.key->type);
    config.documentation = std::nullopt;
    config.read_only = of_a_broker && !described.key->dynamic;
    if (!request.include_synonyms) continue;
    for (ConfigSetting& setting : described.synonyms) {
      auto& synonym = config.synonyms.emplace_back();
      synonym.name = std::move(setting.name);
      synonym.value = std::move(setting.value);
      synonym.source = static_cast<std::int8_t>(setting.source);
    }
  }
}

}  // namespace

Reply describe_configs(RequestContext& ctx, const DescribeConfigsRequest& request) {
  DescribeConfigsResponse response;
  std::vector<DescribeConfigsResult> refused;  // told last
  for (const DescribeConfigsResource& wanted : request.resources) {
    const KafkaError denied = denied_configs(ctx, AclOperation::kDescribeConfigs,
                                             wanted.resource_type, wanted.resource_name);
    if (denied != KafkaError::kNone) {
      DescribeConfigsResult& result = refused.emplace_back();
      result.resource_type = wanted.resource_type;
      result.resource_name = wanted.resource_name;
      result.error_code = code(denied);
      result.error_message = words_of_denial(denied);
      continue;
    }
    DescribeConfigsResult& result = response.results.emplace_back();
    result.resource_type = wanted.resource_type;
    result.resource_name = wanted.resource_name;
    DescribedOrFault configs = configs_of(ctx, wanted);
    if (configs) {
      fill(result, request, wanted, std::move(*configs));
    } else {
      result.error_code = code(configs.error().error);
      result.error_message = configs.error().message;
    }
  }
  std::ranges::move(refused, std::back_inserter(response.results));
  return response;
}

}  // namespace ktrial::fakebroker
