// SPDX-License-Identifier: Apache-2.0
// AlterConfigs (33), v0-2: replaces all that is set on a resource.
#include "fakebroker/handlers/config_alteration.h"
#include "fakebroker/handlers/handlers.h"
#include "fakebroker/handlers/refusals.h"
#include "protocol/messages/alter_configs_request.h"
#include "protocol/messages/alter_configs_response.h"

namespace ktrial::fakebroker {
namespace {

using protocol::AlterConfigsRequest;
using protocol::AlterConfigsResponse;
using protocol::alter_configs_request::AlterConfigsResource;

std::optional<ConfigFault> alter(RequestContext& ctx, const AlterConfigsResource& resource,
                                 bool validate_only) {
  std::vector<std::string> keys;
  std::vector<std::string> without_value;
  ConfigValues values;
  for (const auto& config : resource.configs) {
    keys.push_back(config.name);
    if (config.value) {
      values[config.name] = *config.value;
    } else {
      without_value.push_back(config.name);
    }
  }
  if (auto fault = fault_of_keys(keys, without_value)) return fault;
  if (auto fault = fault_of_target(ctx, resource.resource_type, resource.resource_name))
    return fault;
  const ConfigTarget target{static_cast<ConfigResource>(resource.resource_type),
                            resource.resource_name};
  return put_configs(ctx, target, std::move(values), validate_only);
}

}  // namespace

Reply alter_configs(RequestContext& ctx, const AlterConfigsRequest& request) {
  return answer_alterations<AlterConfigsResponse>(
      request, [&](const auto& resource) { return alter(ctx, resource, request.validate_only); });
}

Reply refuse_alter_configs(RequestContext&, const AlterConfigsRequest& request,
                           std::int16_t error) {
  return refuse_alterations<AlterConfigsResponse>(request, error);
}

}  // namespace ktrial::fakebroker
