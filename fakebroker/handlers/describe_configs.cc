// SPDX-License-Identifier: Apache-2.0
// DescribeConfigs (32), v1-4: of topics and brokers, the configs that mean something here.
#include "fakebroker/handlers/handlers.h"
#include "fakebroker/request_context.h"
#include "protocol/messages/describe_configs_request.h"
#include "protocol/messages/describe_configs_response.h"

#include <algorithm>
#include <charconv>
#include <string_view>

namespace ktrial::fakebroker {
namespace {

using protocol::DescribeConfigsRequest;
using protocol::DescribeConfigsResponse;
using protocol::KafkaError;
using protocol::describe_configs_request::DescribeConfigsResource;
using protocol::describe_configs_response::DescribeConfigsResult;

constexpr std::int8_t kTopicResource = 2;
constexpr std::int8_t kBrokerResource = 4;
enum class Source : std::int8_t { kTopic = 1, kStaticBroker = 4, kDefault = 5 };
enum class Type : std::int8_t { kBoolean = 1, kString = 2, kInt = 3, kLong = 5, kList = 7 };

struct Entry {
  std::string name;
  std::string value;
  Source source;
  Type type;
};

std::vector<Entry> topic_entries(const Topic& topic, const ClusterSpec& spec) {
  std::vector<Entry> entries = {
      {"cleanup.policy", "delete", Source::kDefault, Type::kList},
      {"compression.type", "producer", Source::kDefault, Type::kString},
      {"max.message.bytes", "1048588", Source::kDefault, Type::kInt},
      {"message.timestamp.type", "CreateTime", Source::kDefault, Type::kString},
      {"min.insync.replicas", "1", Source::kDefault, Type::kInt},
      {"retention.bytes", std::to_string(spec.partition_bytes), Source::kStaticBroker, Type::kLong},
      {"retention.ms", "604800000", Source::kDefault, Type::kLong},
  };
  for (const auto& [name, value] : topic.configs) {
    const auto known = std::find_if(entries.begin(), entries.end(),
                                    [&](const Entry& e) { return e.name == name; });
    if (known == entries.end()) {
      entries.push_back({name, value, Source::kTopic, Type::kString});
    } else {
      known->value = value;
      known->source = Source::kTopic;
    }
  }
  return entries;
}

std::vector<Entry> broker_entries(int id, const ClusterSpec& spec) {
  const Millis idle = spec.idle_close.value_or(Millis(-1));
  return {
      {"auto.create.topics.enable", spec.auto_create_topics ? "true" : "false",
       Source::kStaticBroker, Type::kBoolean},
      {"connections.max.idle.ms", std::to_string(idle.count()), Source::kStaticBroker, Type::kLong},
      {"group.initial.rebalance.delay.ms", std::to_string(spec.initial_rebalance_delay.count()),
       Source::kStaticBroker, Type::kInt},
      {"message.max.bytes", "1048588", Source::kDefault, Type::kInt},
      {"node.id", std::to_string(id), Source::kStaticBroker, Type::kInt},
      {"num.partitions", std::to_string(spec.default_partitions), Source::kStaticBroker,
       Type::kInt},
      {"socket.request.max.bytes", std::to_string(spec.max_request_bytes), Source::kStaticBroker,
       Type::kInt},
  };
}

void fill(DescribeConfigsResult& result, const DescribeConfigsRequest& request,
          const DescribeConfigsResource& wanted, const std::vector<Entry>& entries) {
  for (const Entry& entry : entries) {
    if (wanted.configuration_keys && !wanted.configuration_keys->empty() &&
        std::find(wanted.configuration_keys->begin(), wanted.configuration_keys->end(),
                  entry.name) == wanted.configuration_keys->end()) {
      continue;
    }
    auto& config = result.configs.emplace_back();
    config.name = entry.name;
    config.value = entry.value;
    config.is_default = entry.source == Source::kDefault;
    config.config_source = static_cast<std::int8_t>(entry.source);
    config.config_type = static_cast<std::int8_t>(entry.type);
    config.documentation = std::nullopt;
    config.read_only = wanted.resource_type == kBrokerResource;
    if (!request.include_synonyms) continue;
    auto& synonym = config.synonyms.emplace_back();
    synonym.name = entry.name;
    synonym.value = entry.value;
    synonym.source = config.config_source;
  }
}

void fail_with(DescribeConfigsResult& result, KafkaError error, std::string message) {
  result.error_code = code(error);
  result.error_message = std::move(message);
}

DescribeConfigsResult describe(RequestContext& ctx, const DescribeConfigsRequest& request,
                               const DescribeConfigsResource& wanted) {
  DescribeConfigsResult result;
  result.error_message = std::nullopt;
  result.resource_type = wanted.resource_type;
  result.resource_name = wanted.resource_name;
  const std::string& name = wanted.resource_name;
  if (wanted.resource_type == kTopicResource) {
    const Topic* const topic = ctx.cluster.topics().find(name);
    if (topic != nullptr) {
      fill(result, request, wanted, topic_entries(*topic, ctx.cluster.spec()));
    } else {
      fail_with(result, KafkaError::kUnknownTopicOrPartition,
                "This server does not host this topic-partition.");
    }
  } else if (wanted.resource_type == kBrokerResource) {
    int id = -1;
    const auto parsed = std::from_chars(name.data(), name.data() + name.size(), id);
    const bool whole =
        name.empty() || (parsed.ec == std::errc() && parsed.ptr == name.data() + name.size());
    // An empty name is the cluster-wide default, which nothing is set in.
    if (name.empty()) return result;
    if (whole && id == ctx.broker) {
      fill(result, request, wanted, broker_entries(id, ctx.cluster.spec()));
    } else {
      fail_with(result, KafkaError::kInvalidRequest,
                "Unexpected broker id, expected " + std::to_string(ctx.broker) +
                    " or empty string, but received " + name);
    }
  } else {
    fail_with(result, KafkaError::kInvalidRequest,
              "Unsupported resource type: " + std::to_string(wanted.resource_type));
  }
  return result;
}

}  // namespace

Reply describe_configs(RequestContext& ctx, const DescribeConfigsRequest& request) {
  DescribeConfigsResponse response;
  for (const DescribeConfigsResource& wanted : request.resources)
    response.results.push_back(describe(ctx, request, wanted));
  return response;
}

}  // namespace ktrial::fakebroker
