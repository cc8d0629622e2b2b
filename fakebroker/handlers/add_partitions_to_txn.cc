// SPDX-License-Identifier: Apache-2.0
// AddPartitionsToTxn (24), v0-5: one transaction up to v3, as clients send it; several from v4 on,
// as brokers do, who may only ask whether the partitions are in it (KIP-890). All or nothing.
#include "fakebroker/handlers/handlers.h"
#include "fakebroker/handlers/refusals.h"
#include "fakebroker/handlers/transaction_errors.h"
#include "protocol/messages/add_partitions_to_txn_request.h"
#include "protocol/messages/add_partitions_to_txn_response.h"

namespace ktrial::fakebroker {
namespace {

using protocol::AddPartitionsToTxnRequest;
using protocol::AddPartitionsToTxnResponse;
using protocol::KafkaError;
using protocol::add_partitions_to_txn_request::AddPartitionsToTxnTopic;
using protocol::add_partitions_to_txn_request::AddPartitionsToTxnTransaction;
using protocol::add_partitions_to_txn_response::AddPartitionsToTxnTopicResult;
using Partitions = std::set<Transactions::TopicPartition>;

constexpr std::int16_t kManyFrom = 4;
constexpr std::int16_t kProducerFencedFrom = 2;

bool exists(RequestContext& ctx, const std::string& topic, std::int32_t partition) {
  return ctx.cluster.topics().find_partition(topic, partition) != nullptr;
}

template <class Error>
std::vector<AddPartitionsToTxnTopicResult> results(
    const std::vector<AddPartitionsToTxnTopic>& topics, Error error_of) {
  std::vector<AddPartitionsToTxnTopicResult> all;
  for (const AddPartitionsToTxnTopic& topic : topics) {
    auto& result = all.emplace_back();
    result.name = topic.name;
    for (const std::int32_t partition : topic.partitions) {
      auto& one = result.results_by_partition.emplace_back();
      one.partition_index = partition;
      one.partition_error_code = error_of(topic.name, partition);
    }
  }
  return all;
}

std::vector<AddPartitionsToTxnTopicResult> add(RequestContext& ctx,
                                               const AddPartitionsToTxnTransaction& wanted) {
  const ProducerIdentity who{wanted.producer_id, wanted.producer_epoch};
  Transactions& transactions = ctx.cluster.transactions();
  KafkaError error = check_coordinator(ctx, wanted.transactional_id);
  if (wanted.verify_only && error == KafkaError::kNone) {
    return results(wanted.topics, [&](const std::string& topic, std::int32_t partition) {
      if (!exists(ctx, topic, partition)) return code(KafkaError::kUnknownTopicOrPartition);
      return code(transactions.verify(wanted.transactional_id, who, {topic, partition}));
    });
  }
  Partitions partitions;
  bool all_exist = true;
  for (const AddPartitionsToTxnTopic& topic : wanted.topics) {
    for (const std::int32_t partition : topic.partitions) {
      partitions.emplace(topic.name, partition);
      all_exist = all_exist && exists(ctx, topic.name, partition);
    }
  }
  if (error == KafkaError::kNone && !all_exist) {
    return results(wanted.topics, [&](const std::string& topic, std::int32_t partition) {
      return code(exists(ctx, topic, partition) ? KafkaError::kOperationNotAttempted
                                                : KafkaError::kUnknownTopicOrPartition);
    });
  }
  if (error == KafkaError::kNone)
    error = transactions.add(wanted.transactional_id, who, partitions);
  error = as_told(error, ctx.version() >= kProducerFencedFrom);
  return results(wanted.topics, [error](const auto&, auto) { return code(error); });
}

AddPartitionsToTxnTransaction as_one_of_many(const AddPartitionsToTxnRequest& request) {
  AddPartitionsToTxnTransaction one;
  one.transactional_id = request.v3_and_below_transactional_id;
  one.producer_id = request.v3_and_below_producer_id;
  one.producer_epoch = request.v3_and_below_producer_epoch;
  one.topics = request.v3_and_below_topics;
  return one;
}

template <class Results>
AddPartitionsToTxnResponse answer(const RequestContext& ctx,
                                  const AddPartitionsToTxnRequest& request, Results results_of) {
  AddPartitionsToTxnResponse response;
  if (ctx.version() < kManyFrom) {
    response.results_by_topic_v3_and_below = results_of(as_one_of_many(request));
    return response;
  }
  for (const AddPartitionsToTxnTransaction& transaction : request.transactions) {
    auto& result = response.results_by_transaction.emplace_back();
    result.transactional_id = transaction.transactional_id;
    result.topic_results = results_of(transaction);
  }
  return response;
}

}  // namespace

Reply add_partitions_to_txn(RequestContext& ctx, const AddPartitionsToTxnRequest& request) {
  return answer(ctx, request, [&ctx](const AddPartitionsToTxnTransaction& transaction) {
    return add(ctx, transaction);
  });
}

Reply refuse_add_partitions_to_txn(RequestContext& ctx, const AddPartitionsToTxnRequest& request,
                                   std::int16_t error) {
  return answer(ctx, request, [error](const AddPartitionsToTxnTransaction& transaction) {
    return results(transaction.topics, [error](const auto&, auto) { return error; });
  });
}

}  // namespace ktrial::fakebroker
