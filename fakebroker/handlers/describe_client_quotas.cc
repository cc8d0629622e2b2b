// SPDX-License-Identifier: Apache-2.0
// DescribeClientQuotas (48), v0-1 (KIP-546).
#include "fakebroker/handlers/handlers.h"
#include "fakebroker/handlers/refusals.h"
#include "fakebroker/request_context.h"
#include "protocol/messages/describe_client_quotas_request.h"
#include "protocol/messages/describe_client_quotas_response.h"

#include <fmt/core.h>

#include <algorithm>

namespace ktrial::fakebroker {
namespace {

using protocol::DescribeClientQuotasRequest;
using protocol::DescribeClientQuotasResponse;
using protocol::KafkaError;
using protocol::describe_client_quotas_request::ComponentData;

enum Match : std::int8_t { kExact, kDefault, kAnyName };

struct Fault {
  KafkaError error;
  std::string message;
};

bool has(const QuotaFilter& filter, const std::string& type) {
  return filter.exact.contains(type) ||
         std::find(filter.types.begin(), filter.types.end(), type) != filter.types.end();
}

std::optional<Fault> fault_of(const QuotaFilter& before, const ComponentData& component) {
  const std::string& type = component.entity_type;
  if (type.empty()) return Fault{KafkaError::kInvalidRequest, "Invalid empty entity type."};
  if (has(before, type)) {
    return Fault{KafkaError::kInvalidRequest,
                 fmt::format("Entity type {} cannot appear more than once in the filter.", type)};
  }
  if (type != "user" && type != "client-id" && type != "ip")
    return Fault{KafkaError::kUnsupportedVersion, "Unsupported entity type " + type};
  const auto match = component.match_type;
  if (match != kExact && match != kDefault && match != kAnyName)
    return Fault{KafkaError::kInvalidRequest, fmt::format("Unknown match type {}", match)};
  if (match == kExact && !component.match) {
    return Fault{KafkaError::kInvalidRequest,
                 "Request specified MATCH_TYPE_EXACT, but set match string to null."};
  }
  if (match != kExact && component.match) {
    return Fault{KafkaError::kInvalidRequest,
                 fmt::format("Request specified MATCH_TYPE_{}, but also specified a match string.",
                             match == kDefault ? "DEFAULT" : "SPECIFIED")};
  }
  return std::nullopt;
}

void add(QuotaFilter& filter, const ComponentData& component) {
  if (component.match_type == kAnyName) {
    filter.types.push_back(component.entity_type);
  } else {
    filter.exact[component.entity_type] = component.match;
  }
}

std::optional<Fault> read(const DescribeClientQuotasRequest& request, QuotaFilter& filter) {
  for (const ComponentData& component : request.components) {
    if (auto fault = fault_of(filter, component)) return fault;
    add(filter, component);
  }
  if (has(filter, "ip") && (has(filter, "user") || has(filter, "client-id"))) {
    return Fault{KafkaError::kInvalidRequest,
                 "Invalid entity filter component combination. IP filter component should not be "
                 "used with user or clientId filter component."};
  }
  return std::nullopt;
}

DescribeClientQuotasResponse failed(std::int16_t error, std::optional<std::string> message) {
  DescribeClientQuotasResponse response;
  response.error_code = error;
  response.error_message = std::move(message);
  response.entries = std::nullopt;
  return response;
}

}  // namespace

Reply describe_client_quotas(RequestContext& ctx, const DescribeClientQuotasRequest& request) {
  QuotaFilter filter;
  filter.strict = request.strict;
  if (const auto fault = read(request, filter)) return failed(code(fault->error), fault->message);
  DescribeClientQuotasResponse response;
  for (const auto& [entity, quotas] : ctx.cluster.client_quotas().find(filter)) {
    auto& entry = response.entries->emplace_back();
    for (const auto& [type, name] : entity) {
      auto& part = entry.entity.emplace_back();
      part.entity_type = type;
      part.entity_name = name;
    }
    for (const auto& [key, value] : quotas) {
      auto& quota = entry.values.emplace_back();
      quota.key = key;
      quota.value = value;
    }
  }
  return response;
}

Reply refuse_describe_client_quotas(RequestContext&, const DescribeClientQuotasRequest&,
                                    std::int16_t error) {
  return failed(error, std::nullopt);
}

}  // namespace ktrial::fakebroker
