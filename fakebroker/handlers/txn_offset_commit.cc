// SPDX-License-Identifier: Apache-2.0
// TxnOffsetCommit (28), v0-6: offsets that count once the transaction commits. From v5 on the group
// becomes part of the transaction by it (KIP-890), before that by AddOffsetsToTxn.
#include "fakebroker/handlers/authorization.h"
#include "fakebroker/handlers/handlers.h"
#include "fakebroker/handlers/refusals.h"
#include "fakebroker/handlers/transaction_errors.h"
#include "protocol/messages/txn_offset_commit_request.h"
#include "protocol/messages/txn_offset_commit_response.h"

namespace ktrial::fakebroker {
namespace {

using protocol::KafkaError;
using protocol::TxnOffsetCommitRequest;
using protocol::TxnOffsetCommitResponse;

constexpr std::int16_t kMembersFrom = 3;
constexpr std::int16_t kAbortableFrom = 4;
constexpr std::int16_t kAddsTheGroupFrom = 5;
constexpr std::int16_t kTopicIdsFrom = 6;

// From v3 on the sender may say which member it is (KIP-447).
KafkaError check_member(RequestContext& ctx, const TxnOffsetCommitRequest& request) {
  const std::int32_t epoch = request.generation_id_or_member_epoch;
  const bool anybody = ctx.version() < kMembersFrom ||
                       (request.member_id.empty() && epoch < 0 && !request.group_instance_id);
  Group* const group = ctx.groups().find(request.group_id);
  if (anybody) return KafkaError::kNone;
  if (group == nullptr) return KafkaError::kIllegalGeneration;
  return group->check_commit(request.member_id, request.group_instance_id, epoch, ctx.version());
}

KafkaError check_transaction(RequestContext& ctx, const TxnOffsetCommitRequest& request) {
  Transactions& transactions = ctx.cluster.transactions();
  const ProducerIdentity who{request.producer_id, request.producer_epoch};
  if (ctx.version() >= kAddsTheGroupFrom)
    return transactions.add_group(request.transactional_id, who, request.group_id);
  return as_told_of_verification(
      transactions.verify_group(request.transactional_id, who, request.group_id),
      ctx.version() >= kAbortableFrom);
}

KafkaError check(RequestContext& ctx, const TxnOffsetCommitRequest& request) {
  KafkaError error = check_group(ctx, request.group_id);
  if (error == KafkaError::kNone) error = check_member(ctx, request);
  if (error == KafkaError::kNone) error = check_transaction(ctx, request);
  // A fenced producer learns here that its epoch is old.
  return as_told(error, false);
}

template <class Error>
TxnOffsetCommitResponse answer(const TxnOffsetCommitRequest& request, Error error_of) {
  TxnOffsetCommitResponse response;
  for (const auto& topic : request.topics) {
    auto& result = response.topics.emplace_back();
    result.name = topic.name;
    result.topic_id = topic.topic_id;
    for (const auto& partition : topic.partitions) {
      auto& one = result.partitions.emplace_back();
      one.partition_index = partition.partition_index;
      one.error_code = error_of(topic, partition);
    }
  }
  return response;
}

}  // namespace

Reply txn_offset_commit(RequestContext& ctx, const TxnOffsetCommitRequest& request) {
  const KafkaError refused = check(ctx, request);
  return answer(request, [&](const auto& wanted, const auto& partition) {
    const Topic* const topic = ctx.cluster.topics().find(wanted.name, wanted.topic_id);
    if (topic == nullptr && ctx.version() >= kTopicIdsFrom)
      return code(KafkaError::kUnknownTopicId);
    if (!may_topic(ctx, AclOperation::kRead, topic != nullptr ? topic->name : wanted.name))
      return code(KafkaError::kTopicAuthorizationFailed);
    // What is not there is told before the coordinator is asked for the rest.
    if (topic == nullptr || topic->partition(partition.partition_index) == nullptr)
      return code(KafkaError::kUnknownTopicOrPartition);
    if (refused != KafkaError::kNone) return code(refused);
    std::string metadata = partition.committed_metadata.value_or("");
    if (metadata.size() > ctx.groups().settings().max_metadata_bytes)
      return code(KafkaError::kOffsetMetadataTooLarge);
    ctx.groups()
        .open(request.group_id)
        .offsets.commit_in_transaction(
            request.producer_id, std::string(topic->name), partition.partition_index,
            {partition.committed_offset, partition.committed_leader_epoch, std::move(metadata)});
    return code(KafkaError::kNone);
  });
}

Reply refuse_txn_offset_commit(RequestContext&, const TxnOffsetCommitRequest& request,
                               std::int16_t error) {
  return answer(request, [error](const auto&, const auto&) { return error; });
}

}  // namespace ktrial::fakebroker
