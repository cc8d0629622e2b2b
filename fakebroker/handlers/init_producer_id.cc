// SPDX-License-Identifier: Apache-2.0
// InitProducerId (22), v0-5 (KIP-98, KIP-360).
#include "fakebroker/handlers/handlers.h"
#include "fakebroker/handlers/transaction_errors.h"
#include "protocol/messages/init_producer_id_request.h"
#include "protocol/messages/init_producer_id_response.h"

namespace ktrial::fakebroker {
namespace {

using protocol::InitProducerIdRequest;
using protocol::InitProducerIdResponse;
using protocol::KafkaError;

constexpr std::int16_t kProducerFencedFrom = 4;
constexpr std::int32_t kMaxTransactionTimeoutMs = 15 * 60 * 1000;  // transaction.max.timeout.ms

Transactions::Outcome initialise(RequestContext& ctx, const InitProducerIdRequest& request) {
  // An id and an epoch go together.
  if ((request.producer_id == -1) != (request.producer_epoch == -1))
    return {KafkaError::kInvalidRequest};
  if (!request.transactional_id)
    return {KafkaError::kNone, {ctx.cluster.producer_ids().fresh(), 0}};
  if (request.transactional_id->empty()) return {KafkaError::kInvalidRequest};
  if (const KafkaError error = check_coordinator(ctx, *request.transactional_id);
      error != KafkaError::kNone) {
    return {error};
  }
  if (request.transaction_timeout_ms <= 0 ||
      request.transaction_timeout_ms > kMaxTransactionTimeoutMs) {
    return {KafkaError::kInvalidTransactionTimeout};
  }
  return ctx.cluster.transactions().init(*request.transactional_id,
                                         {request.producer_id, request.producer_epoch},
                                         Millis(request.transaction_timeout_ms));
}

}  // namespace

Reply init_producer_id(RequestContext& ctx, const InitProducerIdRequest& request) {
  const Transactions::Outcome outcome = initialise(ctx, request);
  InitProducerIdResponse response;
  response.error_code = code(as_told(outcome.error, ctx.version() >= kProducerFencedFrom));
  const bool known = outcome.error == KafkaError::kNone;
  response.producer_id = known ? outcome.producer.id : -1;
  response.producer_epoch = known ? outcome.producer.epoch : std::int16_t{-1};
  return response;
}

}  // namespace ktrial::fakebroker
