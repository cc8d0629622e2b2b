// SPDX-License-Identifier: Apache-2.0
// FindCoordinator (10), v0-6: one key up to v3, many from v4 on.
#include "fakebroker/handlers/authorization.h"
#include "fakebroker/handlers/coordination.h"
#include "fakebroker/handlers/handlers.h"
#include "fakebroker/handlers/refusals.h"
#include "protocol/messages/find_coordinator_request.h"
#include "protocol/messages/find_coordinator_response.h"

#include <algorithm>

namespace ktrial::fakebroker {
namespace {

using protocol::FindCoordinatorRequest;
using protocol::FindCoordinatorResponse;
using protocol::KafkaError;
using protocol::find_coordinator_response::Coordinator;

constexpr std::int16_t kManyKeysFrom = 4;
constexpr std::int16_t kShareFrom = 6;
enum KeyType : std::int8_t { kGroup = 0, kTransaction = 1, kShare = 2 };

Coordinator failed(const std::string& key, std::int16_t error) {
  Coordinator answer;
  answer.key = key;
  answer.node_id = -1;
  answer.port = -1;
  answer.error_code = error;
  return answer;
}

// Share keys are "group:topic id:partition".
bool is_valid(std::int8_t type, const std::string& key, std::int16_t version) {
  if (type == kShare) return version >= kShareFrom && std::count(key.begin(), key.end(), ':') == 2;
  return type == kGroup || type == kTransaction;
}

Coordinator find(RequestContext& ctx, std::int8_t type, const std::string& key) {
  if (!is_valid(type, key, ctx.version())) return failed(key, code(KafkaError::kInvalidRequest));
  if (type == kGroup && !may(ctx, AclOperation::kDescribe, ResourceType::kGroup, key))
    return failed(key, code(KafkaError::kGroupAuthorizationFailed));
  if (type == kTransaction &&
      !may(ctx, AclOperation::kDescribe, ResourceType::kTransactionalId, key))
    return failed(key, code(KafkaError::kTransactionalIdAuthorizationFailed));
  const Node* const node = ctx.cluster.find_node(ctx.cluster.coordinator_of(key));
  if (node == nullptr || !node->up) return failed(key, code(KafkaError::kCoordinatorNotAvailable));
  Coordinator answer;
  answer.key = key;
  answer.node_id = node->id;
  Endpoint endpoint = ctx.endpoint_of(*node);
  answer.host = std::move(endpoint.host);
  answer.port = endpoint.port;
  return answer;
}

template <class Find>
FindCoordinatorResponse answer(const RequestContext& ctx, const FindCoordinatorRequest& request,
                               Find find_one) {
  FindCoordinatorResponse response;
  if (ctx.version() >= kManyKeysFrom) {
    for (const std::string& key : request.coordinator_keys)
      response.coordinators.push_back(find_one(key));
    return response;
  }
  const Coordinator one = find_one(request.key);
  response.error_code = one.error_code;
  response.error_message = protocol::name(static_cast<KafkaError>(one.error_code));
  response.node_id = one.node_id;
  response.host = one.host;
  response.port = one.port;
  return response;
}

}  // namespace

Reply find_coordinator(RequestContext& ctx, const FindCoordinatorRequest& request) {
  return answer(ctx, request,
                [&](const std::string& key) { return find(ctx, request.key_type, key); });
}

Reply refuse_find_coordinator(RequestContext& ctx, const FindCoordinatorRequest& request,
                              std::int16_t error) {
  return answer(ctx, request, [&](const std::string& key) { return failed(key, error); });
}

}  // namespace ktrial::fakebroker
