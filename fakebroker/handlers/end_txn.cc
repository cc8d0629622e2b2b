// SPDX-License-Identifier: Apache-2.0
// EndTxn (26), v0-5. With v5 the answer holds a new epoch (KIP-890).
#include "fakebroker/handlers/handlers.h"
#include "fakebroker/handlers/transaction_errors.h"
#include "protocol/messages/end_txn_request.h"
#include "protocol/messages/end_txn_response.h"

namespace ktrial::fakebroker {

using protocol::EndTxnRequest;
using protocol::EndTxnResponse;
using protocol::KafkaError;

namespace {

constexpr std::int16_t kProducerFencedFrom = 2;
constexpr std::int16_t kSecondVersionFrom = 5;

}  // namespace

Reply end_txn(RequestContext& ctx, const EndTxnRequest& request) {
  const bool second = ctx.version() >= kSecondVersionFrom;
  Transactions::Outcome outcome{check_transactional_id(ctx, request.transactional_id)};
  if (outcome.error == KafkaError::kNone) {
    outcome = ctx.cluster.transactions().end(
        request.transactional_id, {request.producer_id, request.producer_epoch}, request.committed,
        second ? Transactions::Version::kSecond : Transactions::Version::kFirst);
  }
  EndTxnResponse response;
  response.error_code = code(as_told(outcome.error, ctx.version() >= kProducerFencedFrom));
  if (second && outcome.error == KafkaError::kNone) {
    response.producer_id = outcome.producer.id;
    response.producer_epoch = outcome.producer.epoch;
  }
  return response;
}

}  // namespace ktrial::fakebroker
