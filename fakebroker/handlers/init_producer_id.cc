// SPDX-License-Identifier: Apache-2.0
// InitProducerId (22), v0-5 (KIP-98, KIP-360).
#include "fakebroker/handlers/handlers.h"
#include "fakebroker/request_context.h"
#include "protocol/messages/init_producer_id_request.h"
#include "protocol/messages/init_producer_id_response.h"

namespace ktrial::fakebroker {
namespace {

using protocol::InitProducerIdRequest;
using protocol::InitProducerIdResponse;
using protocol::KafkaError;

constexpr std::int16_t kProducerFencedFrom = 4;
constexpr std::int32_t kMaxTransactionTimeoutMs = 15 * 60 * 1000;  // transaction.max.timeout.ms

ProducerIds::Identity initialise(RequestContext& ctx, const InitProducerIdRequest& request) {
  ProducerIds& ids = ctx.cluster.producer_ids();
  if (!request.transactional_id) return ids.fresh();
  if (request.transactional_id->empty()) return {KafkaError::kInvalidRequest, -1, -1};
  if (ctx.cluster.coordinator_of(*request.transactional_id) != ctx.broker)
    return {KafkaError::kNotCoordinator, -1, -1};
  if (request.transaction_timeout_ms <= 0 ||
      request.transaction_timeout_ms > kMaxTransactionTimeoutMs) {
    return {KafkaError::kInvalidTransactionTimeout, -1, -1};
  }
  return ids.transactional(*request.transactional_id,
                           {KafkaError::kNone, request.producer_id, request.producer_epoch});
}

}  // namespace

Reply init_producer_id(RequestContext& ctx, const InitProducerIdRequest& request) {
  const ProducerIds::Identity identity = initialise(ctx, request);
  KafkaError error = identity.error;
  if (error == KafkaError::kProducerFenced && ctx.version() < kProducerFencedFrom)
    error = KafkaError::kInvalidProducerEpoch;
  InitProducerIdResponse response;
  response.error_code = code(error);
  response.producer_id = identity.producer_id;
  response.producer_epoch = identity.epoch;
  return response;
}

}  // namespace ktrial::fakebroker
