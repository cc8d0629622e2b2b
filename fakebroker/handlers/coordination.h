// SPDX-License-Identifier: Apache-2.0
// Coordination: what the handlers of the group APIs share: whether this broker is the one to ask,
// and answers that come later.
#pragma once

#include "fakebroker/request_context.h"
#include "fakebroker/state/groups.h"
#include "protocol/errors.h"

#include <memory>
#include <string>
#include <utility>

namespace ktrial::fakebroker {

// READ 3, DELETE 6, DESCRIBE 8, DESCRIBE_CONFIGS 10, ALTER_CONFIGS 11
inline constexpr std::int32_t kGroupOperations = 0b1101'0100'1000;

inline protocol::KafkaError check_coordinator(const RequestContext& ctx, const std::string& group) {
  const bool is_coordinator = ctx.cluster.coordinator_of(group) == ctx.broker;
  return is_coordinator ? protocol::KafkaError::kNone : protocol::KafkaError::kNotCoordinator;
}

// For all but offsets, which may belong to the group without a name.
inline protocol::KafkaError check_group(const RequestContext& ctx, const std::string& group) {
  return group.empty() ? protocol::KafkaError::kInvalidGroupId : check_coordinator(ctx, group);
}

inline GroupClient client_of(const RequestContext& ctx) {
  return {std::string(ctx.client_id()), "/" + std::string(ctx.client_host)};
}

// The handler then returns Reply::deferred(); the answer may have been given by then.
template <class Response>
Answer<Response> answer_later(const RequestContext& ctx) {
  return [responder = std::make_shared<Responder>(ctx.defer())](Response response) {
    responder->send(std::move(response));
  };
}

}  // namespace ktrial::fakebroker
