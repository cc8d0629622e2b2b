// SPDX-License-Identifier: Apache-2.0
// ListTransactions (66), v0-2 (KIP-664, KIP-994, KIP-1152): those that this broker coordinates. A
// pattern is a regular expression over the whole id, here of ECMAScript, in Kafka of RE2.
#include "fakebroker/handlers/authorization.h"
#include "fakebroker/handlers/handlers.h"
#include "fakebroker/handlers/transaction_errors.h"
#include "protocol/messages/list_transactions_request.h"
#include "protocol/messages/list_transactions_response.h"

#include <algorithm>
#include <array>
#include <optional>
#include <regex>
#include <string_view>

namespace ktrial::fakebroker {
namespace {

using protocol::KafkaError;
using protocol::ListTransactionsRequest;
using protocol::ListTransactionsResponse;

constexpr std::array<std::string_view, 8> kStates{
    "Empty",          "Ongoing",       "PrepareCommit", "PrepareAbort",
    "CompleteCommit", "CompleteAbort", "Dead",          "PrepareEpochFence"};

bool passes(const ListTransactionsRequest& request, const Transaction& transaction,
            std::int64_t now_ms) {
  const auto among = [](const auto& filters, const auto& value) {
    return filters.empty() || std::ranges::find(filters, value) != filters.end();
  };
  // One that never began has been at it for ever.
  const std::int64_t began =
      transaction.state == Transaction::State::kEmpty ? -1 : transaction.began_ms;
  return among(request.state_filters, transaction.state_name()) &&
         among(request.producer_id_filters, transaction.producer.id) &&
         (request.duration_filter < 0 || now_ms - began > request.duration_filter);
}

}  // namespace

Reply list_transactions(RequestContext& ctx, const ListTransactionsRequest& request) {
  ListTransactionsResponse response;
  for (const std::string& state : request.state_filters) {
    if (std::ranges::find(kStates, state) == kStates.end())
      response.unknown_state_filters.push_back(state);
  }
  std::optional<std::regex> pattern;
  if (request.transactional_id_pattern && !request.transactional_id_pattern->empty()) {
    try {
      pattern.emplace(*request.transactional_id_pattern);
    } catch (const std::regex_error&) {
      response.error_code = code(KafkaError::kInvalidRegularExpression);
      return response;
    }
  }
  for (const auto& [id, transaction] : ctx.cluster.transactions().all()) {
    if (check_coordinator(ctx, id) != KafkaError::kNone) continue;
    if (!passes(request, transaction, ctx.cluster.clock().wall_ms())) continue;
    if (pattern && !std::regex_match(id, *pattern)) continue;
    if (!may(ctx, AclOperation::kDescribe, ResourceType::kTransactionalId, id)) continue;
    auto& entry = response.transaction_states.emplace_back();
    entry.transactional_id = id;
    entry.producer_id = transaction.producer.id;
    entry.transaction_state = transaction.state_name();
  }
  return response;
}

}  // namespace ktrial::fakebroker
