// SPDX-License-Identifier: Apache-2.0
// DescribeTransactions (65), v0 (KIP-664).
#include "fakebroker/handlers/authorization.h"
#include "fakebroker/handlers/handlers.h"
#include "fakebroker/handlers/transaction_errors.h"
#include "protocol/messages/describe_transactions_request.h"
#include "protocol/messages/describe_transactions_response.h"

namespace ktrial::fakebroker {
namespace {

using protocol::DescribeTransactionsRequest;
using protocol::DescribeTransactionsResponse;
using protocol::KafkaError;
using protocol::describe_transactions_response::TransactionState;

void describe(const RequestContext& ctx, TransactionState& result, const Transaction& transaction) {
  result.transaction_state = transaction.state_name();
  result.transaction_timeout_ms = static_cast<std::int32_t>(transaction.timeout.count());
  result.transaction_start_time_ms =
      transaction.state == Transaction::State::kEmpty ? -1 : transaction.began_ms;
  result.producer_id = transaction.producer.id;
  result.producer_epoch = transaction.producer.epoch;
  for (const auto& [topic, partition] : transaction.partitions) {  // in the order of topics
    if (!may_topic(ctx, AclOperation::kDescribe, topic)) continue;
    if (result.topics.empty() || result.topics.back().topic != topic)
      result.topics.emplace_back().topic = topic;
    result.topics.back().partitions.push_back(partition);
  }
}

}  // namespace

Reply describe_transactions(RequestContext& ctx, const DescribeTransactionsRequest& request) {
  DescribeTransactionsResponse response;
  for (const std::string& id : request.transactional_ids) {
    TransactionState& result = response.transaction_states.emplace_back();
    result.transactional_id = id;
    const Transaction* const transaction = ctx.cluster.transactions().find(id);
    KafkaError error = may(ctx, AclOperation::kDescribe, ResourceType::kTransactionalId, id)
                           ? check_transactional_id(ctx, id)
                           : KafkaError::kTransactionalIdAuthorizationFailed;
    if (error == KafkaError::kNone && transaction == nullptr)
      error = KafkaError::kTransactionalIdNotFound;
    result.error_code = code(error);
    if (error == KafkaError::kNone) describe(ctx, result, *transaction);
  }
  return response;
}

}  // namespace ktrial::fakebroker
