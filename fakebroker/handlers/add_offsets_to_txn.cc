// SPDX-License-Identifier: Apache-2.0
// AddOffsetsToTxn (25), v0-4: a group whose offsets the transaction will commit.
#include "fakebroker/handlers/handlers.h"
#include "fakebroker/handlers/transaction_errors.h"
#include "protocol/messages/add_offsets_to_txn_request.h"
#include "protocol/messages/add_offsets_to_txn_response.h"

namespace ktrial::fakebroker {

using protocol::AddOffsetsToTxnRequest;
using protocol::AddOffsetsToTxnResponse;
using protocol::KafkaError;

namespace {

constexpr std::int16_t kProducerFencedFrom = 2;

}  // namespace

Reply add_offsets_to_txn(RequestContext& ctx, const AddOffsetsToTxnRequest& request) {
  KafkaError error = check_transactional_id(ctx, request.transactional_id);
  if (error == KafkaError::kNone) {
    error = ctx.cluster.transactions().add_group(
        request.transactional_id, {request.producer_id, request.producer_epoch}, request.group_id);
  }
  AddOffsetsToTxnResponse response;
  response.error_code = code(as_told(error, ctx.version() >= kProducerFencedFrom));
  return response;
}

}  // namespace ktrial::fakebroker
