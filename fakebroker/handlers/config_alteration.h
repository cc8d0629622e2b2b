// SPDX-License-Identifier: Apache-2.0
// What AlterConfigs and IncrementalAlterConfigs share: which resources a broker takes, and how new
// values are checked and put in place. A fault leaves everything of its resource as it was.
#pragma once

#include "fakebroker/request_context.h"
#include "fakebroker/state/config_rules.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ktrial::fakebroker {

struct ConfigTarget {
  ConfigResource type = ConfigResource::kTopic;
  std::string name;
};

// Checks of the request itself: keys that are named twice, values that are missing.
std::optional<ConfigFault> fault_of_keys(const std::vector<std::string>& keys,
                                         const std::vector<std::string>& without_value);
// Whether this broker takes changes of the resource, from who asks.
std::optional<ConfigFault> fault_of_target(const RequestContext& ctx, std::int8_t type,
                                           const std::string& name);
// Nothing but the check if `validate_only`.
std::optional<ConfigFault> put_configs(RequestContext& ctx, const ConfigTarget& target,
                                       ConfigValues values, bool validate_only);

// `answer_one(resource)` is the fault of one resource; those that come twice are not tried.
template <class Response, class Request, class AnswerOne>
Response answer_alterations(const Request& request, AnswerOne answer_one) {
  Response response;
  for (const auto& resource : request.resources) {
    int times = 0;
    for (const auto& other : request.resources) {
      if (other.resource_type == resource.resource_type &&
          other.resource_name == resource.resource_name)
        ++times;
    }
    std::optional<ConfigFault> fault;
    if (times > 1) {
      fault = ConfigFault{protocol::KafkaError::kInvalidRequest,
                          "Each resource must appear at most once."};
    } else {
      fault = answer_one(resource);
    }
    auto& result = response.responses.emplace_back();
    result.resource_type = resource.resource_type;
    result.resource_name = resource.resource_name;
    result.error_code = fault ? code(fault->error) : std::int16_t{0};
    result.error_message = std::nullopt;
    if (fault && !fault->message.empty()) result.error_message = fault->message;
  }
  return response;
}

template <class Response, class Request>
Response refuse_alterations(const Request& request, std::int16_t error) {
  Response response;
  for (const auto& resource : request.resources) {
    auto& result = response.responses.emplace_back();
    result.resource_type = resource.resource_type;
    result.resource_name = resource.resource_name;
    result.error_code = error;
    result.error_message = std::nullopt;
  }
  return response;
}

}  // namespace ktrial::fakebroker
