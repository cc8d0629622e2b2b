// SPDX-License-Identifier: Apache-2.0
// ListConfigResources (74), v0-1 (KIP-1142): v0 knows client metrics subscriptions only.
#include "fakebroker/handlers/handlers.h"
#include "fakebroker/request_context.h"
#include "protocol/messages/list_config_resources_request.h"
#include "protocol/messages/list_config_resources_response.h"

#include <algorithm>

namespace ktrial::fakebroker {
namespace {

using protocol::KafkaError;
using protocol::ListConfigResourcesRequest;
using protocol::ListConfigResourcesResponse;

std::vector<std::int8_t> types_of(std::int16_t version) {
  const auto id = [](ConfigResource type) { return static_cast<std::int8_t>(type); };
  if (version == 0) return {id(ConfigResource::kClientMetrics)};
  return {id(ConfigResource::kTopic), id(ConfigResource::kBroker),
          id(ConfigResource::kBrokerLogger), id(ConfigResource::kClientMetrics),
          id(ConfigResource::kGroup)};
}

std::vector<std::string> names_of(ClusterState& cluster, ConfigResource type) {
  std::vector<std::string> names;
  if (type == ConfigResource::kTopic) {
    for (const auto& [name, topic] : cluster.topics().all()) names.push_back(name);
  } else if (type == ConfigResource::kBroker || type == ConfigResource::kBrokerLogger) {
    for (const Node& node : cluster.nodes()) names.push_back(std::to_string(node.id));
  } else {
    names = cluster.configs().names(type);
  }
  return names;
}

}  // namespace

Reply list_config_resources(RequestContext& ctx, const ListConfigResourcesRequest& request) {
  ListConfigResourcesResponse response;
  const std::vector<std::int8_t> known = types_of(ctx.version());
  std::vector<std::int8_t> wanted = request.resource_types.empty() ? known : request.resource_types;
  std::sort(wanted.begin(), wanted.end());
  wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
  for (const std::int8_t type : wanted) {
    if (std::find(known.begin(), known.end(), type) == known.end()) {
      response.error_code = code(KafkaError::kUnsupportedVersion);
      response.config_resources.clear();
      return response;
    }
    for (std::string& name : names_of(ctx.cluster, static_cast<ConfigResource>(type))) {
      auto& resource = response.config_resources.emplace_back();
      resource.resource_name = std::move(name);
      resource.resource_type = type;
    }
  }
  return response;
}

}  // namespace ktrial::fakebroker
