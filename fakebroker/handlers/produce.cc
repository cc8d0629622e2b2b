// SPDX-License-Identifier: Apache-2.0
// Produce (0), v3-13. With acks=0 there is no answer, and an error closes the connection.
#include "fakebroker/handlers/authorization.h"
#include "fakebroker/handlers/handlers.h"
#include "fakebroker/handlers/leadership.h"
#include "fakebroker/handlers/refusals.h"
#include "fakebroker/handlers/transaction_errors.h"
#include "fakebroker/state/produce_validation.h"
#include "protocol/messages/produce_request.h"
#include "protocol/messages/produce_response.h"

#include <fmt/core.h>

namespace ktrial::fakebroker {
namespace {

using protocol::KafkaError;
using protocol::ProduceRequest;
using protocol::ProduceResponse;
using protocol::produce_request::PartitionProduceData;
using protocol::produce_request::TopicProduceData;
using protocol::produce_response::PartitionProduceResponse;

constexpr std::int16_t kLeaderHintsFrom = 10;
constexpr std::int16_t kAbortableFrom = 11;
constexpr std::int16_t kAddsPartitionsFrom = 12;
constexpr std::int16_t kTopicIdsFrom = 13;

PartitionProduceResponse failed(std::int32_t index, KafkaError error, std::string message = {}) {
  PartitionProduceResponse response;
  response.index = index;
  response.error_code = code(error);
  response.base_offset = -1;
  if (!message.empty()) response.error_message = std::move(message);
  return response;
}

// A batch of its own with the time written in and a new CRC: what came in stays as it was.
Slice stamped(const Slice& records, std::int64_t time) {
  std::vector<std::uint8_t> copy(records.span().begin(), records.span().end());
  protocol::set_log_append_time(copy, time);
  return Slice(std::move(copy));
}

// Records of a transaction are taken only if the coordinator knows that the partition is in it;
// from v12 on, sending them puts it there (KIP-890).
KafkaError check_transaction(RequestContext& ctx, const ProduceRequest& request, const Topic& topic,
                             const Partition& partition, const protocol::BatchHeader& batch) {
  if (!request.transactional_id) return KafkaError::kTransactionalIdAuthorizationFailed;
  if (partition.transactions.has(batch.producer_id, batch.producer_epoch)) return KafkaError::kNone;
  const ProducerIdentity who{batch.producer_id, batch.producer_epoch};
  const Transactions::TopicPartition at{topic.name, partition.index};
  Transactions& transactions = ctx.cluster.transactions();
  const KafkaError error = ctx.version() >= kAddsPartitionsFrom
                               ? transactions.add(*request.transactional_id, who, {at})
                               : transactions.verify(*request.transactional_id, who, at);
  return as_told(as_told_of_verification(error, ctx.version() >= kAbortableFrom), false);
}

PartitionProduceResponse append(RequestContext& ctx, const ProduceRequest& request,
                                const Topic& topic, Partition& partition, const Slice& records) {
  const Configs& configs = ctx.cluster.configs();
  ValidatedBatch batch =
      validate_produce(records, ctx.version(), configs.max_message_bytes(topic, ctx.broker));
  if (batch.error != KafkaError::kNone)
    return failed(partition.index, batch.error, std::move(batch.message));
  const bool transactional = batch.header.transactional();
  if (transactional) {
    const KafkaError error = check_transaction(ctx, request, topic, partition, batch.header);
    if (error != KafkaError::kNone) return failed(partition.index, error);
  }
  PartitionProduceResponse response;
  response.index = partition.index;
  const bool idempotent = batch.header.producer_id >= 0;
  if (idempotent) {
    const ProducerState::Verdict verdict = partition.producers.check(batch.header);
    if (verdict.error != KafkaError::kNone) return failed(partition.index, verdict.error);
    if (verdict.duplicate_of) {
      response.base_offset = *verdict.duplicate_of;
      response.log_append_time_ms = verdict.duplicate_timestamp;
      response.log_start_offset = partition.log.start_offset();
      return response;
    }
  }
  const bool log_append_time = configs.log_append_time(topic, ctx.broker);
  if (log_append_time) {
    response.log_append_time_ms = ctx.cluster.clock().wall_ms();
    batch.header.max_timestamp = response.log_append_time_ms;
  }
  const Slice stored = log_append_time ? stamped(records, response.log_append_time_ms) : records;
  response.base_offset = partition.log.append(stored, batch.header, partition.leader_epoch);
  response.log_start_offset = partition.log.start_offset();
  batch.header.base_offset = response.base_offset;
  if (transactional)
    partition.transactions.appended(batch.header.producer_id, batch.header.producer_epoch,
                                    response.base_offset);
  if (idempotent) partition.producers.record(batch.header, response.log_append_time_ms);
  ctx.cluster.fetch_waiters().touch(partition.serial);
  return response;
}

PartitionProduceResponse produce_to(RequestContext& ctx, const ProduceRequest& request,
                                    ProduceResponse& whole, const TopicProduceData& wanted,
                                    const PartitionProduceData& data) {
  const Topic* const topic = ctx.cluster.topics().find(wanted.name, wanted.topic_id);
  const std::string& name = topic != nullptr ? topic->name : wanted.name;
  if (!name.empty() && !may_topic(ctx, AclOperation::kWrite, name))
    return failed(data.index, KafkaError::kTopicAuthorizationFailed);
  if (topic == nullptr) {
    const bool by_id = ctx.version() >= kTopicIdsFrom;
    return failed(data.index,
                  by_id ? KafkaError::kUnknownTopicId : KafkaError::kUnknownTopicOrPartition);
  }
  Partition* const partition = topic->partition(data.index);
  if (partition == nullptr) return failed(data.index, KafkaError::kUnknownTopicOrPartition);
  if (topic->internal) return failed(data.index, KafkaError::kInvalidTopicException);
  if (const KafkaError error = check_leader(ctx, *partition); error != KafkaError::kNone) {
    PartitionProduceResponse response = failed(data.index, error);
    if (ctx.version() < kLeaderHintsFrom) return response;
    response.current_leader.leader_id = partition->leader;
    response.current_leader.leader_epoch = partition->leader_epoch;
    add_endpoint(ctx, whole.node_endpoints, partition->leader);
    return response;
  }
  return append(ctx, request, *topic, *partition, data.records.value_or(Slice()));
}

bool known_acks(std::int16_t acks) { return acks == -1 || acks == 0 || acks == 1; }

Reply answer(const ProduceRequest& request, ProduceResponse response) {
  if (request.acks != 0) return response;
  for (const auto& topic : response.responses) {
    for (const auto& partition : topic.partition_responses) {
      if (partition.error_code == 0) continue;
      return Reply::close(fmt::format("error {} for acks=0", partition.error_code));
    }
  }
  return Reply::none();
}

}  // namespace

Reply produce(RequestContext& ctx, const ProduceRequest& request) {
  ProduceResponse response;
  for (const TopicProduceData& topic : request.topic_data) {
    auto& topic_response = response.responses.emplace_back();
    topic_response.name = topic.name;
    topic_response.topic_id = topic.topic_id;
    for (const PartitionProduceData& data : topic.partition_data) {
      topic_response.partition_responses.push_back(
          known_acks(request.acks) ? produce_to(ctx, request, response, topic, data)
                                   : failed(data.index, KafkaError::kInvalidRequiredAcks));
    }
  }
  return answer(request, std::move(response));
}

Reply refuse_produce(RequestContext&, const ProduceRequest& request, std::int16_t error) {
  ProduceResponse response;
  for (const TopicProduceData& topic : request.topic_data) {
    auto& topic_response = response.responses.emplace_back();
    topic_response.name = topic.name;
    topic_response.topic_id = topic.topic_id;
    for (const PartitionProduceData& data : topic.partition_data) {
      topic_response.partition_responses.push_back(
          failed(data.index, static_cast<KafkaError>(error)));
    }
  }
  return answer(request, std::move(response));
}

}  // namespace ktrial::fakebroker
