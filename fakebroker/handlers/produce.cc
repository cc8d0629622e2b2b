// SPDX-License-Identifier: Apache-2.0
// Produce (0), v3-13. With acks=0 there is no answer, and an error closes the connection; with
// acks=-1 it waits for the replicas that are in sync (produce_wait.h).
#include "fakebroker/handlers/authorization.h"
#include "fakebroker/handlers/handlers.h"
#include "fakebroker/handlers/leadership.h"
#include "fakebroker/handlers/produce_wait.h"
#include "fakebroker/handlers/refusals.h"
#include "fakebroker/handlers/transaction_errors.h"
#include "fakebroker/state/produce_validation.h"
#include "fakebroker/state/record_checks.h"
#include "protocol/messages/produce_request.h"
#include "protocol/messages/produce_response.h"

#include <fmt/core.h>

#include <charconv>
#include <map>

namespace ktrial::fakebroker {
namespace {

using protocol::KafkaError;
using protocol::ProduceRequest;
using protocol::ProduceResponse;
using protocol::produce_request::PartitionProduceData;
using protocol::produce_request::TopicProduceData;
using protocol::produce_response::PartitionProduceResponse;

constexpr std::int16_t kLeaderHintsFrom = 10;
constexpr std::int16_t kAllInSync = -1;
constexpr std::int16_t kAbortableFrom = 11;
constexpr std::int16_t kAddsPartitionsFrom = 12;
constexpr std::int16_t kTopicIdsFrom = 13;

PartitionProduceResponse failed(std::int32_t index, KafkaError error) {
  PartitionProduceResponse response;
  response.index = index;
  response.error_code = code(error);
  response.base_offset = -1;
  return response;
}

// Refused by the log itself, which then tells where it starts.
PartitionProduceResponse failed_in(const Partition& partition, KafkaError error) {
  PartitionProduceResponse response = failed(partition.index, error);
  response.log_start_offset = partition.log.start_offset();
  return response;
}
PartitionProduceResponse failed_in(const Partition& partition, RecordFaults faults) {
  PartitionProduceResponse response = failed_in(partition, faults.error);
  response.error_message = std::move(faults.message);
  for (RecordFaults::One& fault : faults.records) {
    auto& one = response.record_errors.emplace_back();
    one.batch_index = fault.batch_index;
    one.batch_index_error_message = std::move(fault.message);
  }
  return response;
}

RecordRules rules_of(RequestContext& ctx, const Topic& topic) {
  constexpr std::int64_t kAfterMaxMs = 3'600'000;  // message.timestamp.after.max.ms
  RecordRules rules;
  const auto policy = topic.configs.find("cleanup.policy");
  rules.keys_required =
      policy != topic.configs.end() && policy->second.find("compact") != std::string::npos;
  const auto after = topic.configs.find("message.timestamp.after.max.ms");
  std::int64_t allowed = kAfterMaxMs;
  if (after != topic.configs.end())
    std::from_chars(after->second.data(), after->second.data() + after->second.size(), allowed);
  // A client whose clock is sped up is ahead of ours by design.
  const std::int64_t now = ctx.cluster.clock().wall_ms();
  if (ctx.cluster.spec().client_speed == 1 && allowed < INT64_MAX - now &&
      !ctx.cluster.configs().log_append_time(topic, ctx.broker))
    rules.latest_timestamp_ms = now + allowed;
  return rules;
}

// A batch of its own with the time written in and a new CRC: what came in stays as it was.
Slice stamped(const Slice& records, std::int64_t time) {
  std::vector<std::uint8_t> copy(records.span().begin(), records.span().end());
  protocol::set_log_append_time(copy, time);
  return Slice(std::move(copy));
}

// What time it is of is the topic's to say, whatever the client wrote there.
Slice with_client_time(const Slice& records, const protocol::BatchHeader& header) {
  std::vector<std::uint8_t> copy(records.span().begin(), records.span().end());
  constexpr auto kBit = static_cast<std::uint8_t>(protocol::batch_bits::kLogAppendTime);
  copy.at(protocol::batch_at::kAttributes + 1) &= static_cast<std::uint8_t>(~kBit);
  // Which also computes the checksum.
  (void)protocol::set_producer_state(
      copy, {header.producer_id, header.producer_epoch, header.base_sequence});
  return Slice(std::move(copy));
}

// Records of a transaction are taken only if the coordinator knows that the partition is in it;
// from v12 on, sending them puts it there (KIP-890).
KafkaError check_transaction(RequestContext& ctx, const ProduceRequest& request, const Topic& topic,
                             const Partition& partition, const protocol::BatchHeader& batch) {
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
  if (batch.error == KafkaError::kMessageTooLarge || batch.error == KafkaError::kCorruptMessage)
    return failed(partition.index, batch.error);
  if (batch.error != KafkaError::kNone) return failed_in(partition, batch.error);
  if (RecordFaults faults = check_records(records, batch.header, rules_of(ctx, topic));
      faults.error != KafkaError::kNone) {
    return failed_in(partition, std::move(faults));
  }
  const bool transactional = batch.header.transactional();
  if (transactional) {
    const KafkaError error = check_transaction(ctx, request, topic, partition, batch.header);
    if (error != KafkaError::kNone) return failed(partition.index, error);
  } else if (partition.transactions.first_offset(batch.header.producer_id)) {
    return failed_in(partition, KafkaError::kInvalidTxnState);  // its transaction is not over
  }
  PartitionProduceResponse response;
  response.index = partition.index;
  const bool idempotent = batch.header.producer_id >= 0;
  if (idempotent) {
    const ProducerState::Verdict verdict = partition.producers.check(batch.header);
    if (verdict.error != KafkaError::kNone) return failed_in(partition, verdict.error);
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
  Slice stored = records;
  if (log_append_time) {
    stored = stamped(records, response.log_append_time_ms);
  } else if (batch.header.log_append_time()) {
    stored = with_client_time(records, batch.header);
  }
  response.base_offset = partition.log.append(stored, batch.header, partition.leader_epoch);
  response.log_start_offset = partition.log.start_offset();
  batch.header.base_offset = response.base_offset;
  if (transactional)
    partition.transactions.appended(batch.header.producer_id, batch.header.producer_epoch,
                                    response.base_offset);
  if (idempotent) partition.producers.record(batch.header, batch.header.max_timestamp);
  ctx.cluster.fetch_waiters().touch(partition.serial);
  return response;
}

bool has_transactional_batch(const ProduceRequest& request) {
  for (const TopicProduceData& topic : request.topic_data) {
    for (const PartitionProduceData& data : topic.partition_data) {
      const auto header = protocol::read_batch_header(data.records.value_or(Slice()).span());
      if (header && header->transactional()) return true;
    }
  }
  return false;
}

// Of a partition that is named twice, only the last is looked at.
std::vector<const PartitionProduceData*> last_of_each(const TopicProduceData& topic) {
  std::vector<const PartitionProduceData*> kept;
  if (topic.partition_data.size() == 1) return {&topic.partition_data.front()};
  std::map<std::int32_t, std::size_t> at;
  for (const PartitionProduceData& data : topic.partition_data) {
    const auto [known, is_new] = at.try_emplace(data.index, kept.size());
    if (is_new) kept.push_back(&data);
    kept[known->second] = &data;
  }
  return kept;
}

bool known_acks(std::int16_t acks) { return acks == -1 || acks == 0 || acks == 1; }

// What was appended is to be waited for, if the high watermark lags behind it.
void await_replicas(const Topic& topic, const Partition& partition, const Slice& records,
                    std::int64_t base_offset, ProduceProgress& progress) {
  if (partition.log.high_watermark() == partition.log.end_offset()) return;
  const std::int64_t end =
      base_offset + protocol::read_batch_header(records.span())->last_offset_delta + 1;
  if (partition.log.high_watermark() >= end) return;
  const auto& topics = progress.response.responses;
  progress.awaited.push_back({topic.name, topic.id, partition.index, end, topics.size() - 1,
                              topics.back().partition_responses.size()});
}

PartitionProduceResponse produce_to(RequestContext& ctx, const ProduceRequest& request,
                                    ProduceProgress& progress, const TopicProduceData& wanted,
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
  const Slice records = data.records.value_or(Slice());
  ValidatedBatch form = validate_form(records, ctx.version());
  if (form.error != KafkaError::kNone) {
    PartitionProduceResponse response = failed(data.index, form.error);
    // The only words that come with it.
    if (form.error == KafkaError::kCorruptMessage) response.error_message = std::move(form.message);
    return response;
  }
  if (!known_acks(request.acks)) return failed(data.index, KafkaError::kInvalidRequiredAcks);
  if (topic->internal) return failed(data.index, KafkaError::kInvalidTopicException);
  if (const KafkaError error = check_leader(ctx, *partition); error != KafkaError::kNone) {
    PartitionProduceResponse response = failed(data.index, error);
    if (ctx.version() >= kLeaderHintsFrom && error == KafkaError::kNotLeaderOrFollower)
      hint_leader(ctx, *partition, response, progress.response);
    return response;
  }
  if (request.acks == kAllInSync && !ctx.cluster.replication().has_minimum(*partition))
    return failed_in(*partition, KafkaError::kNotEnoughReplicas);
  PartitionProduceResponse response = append(ctx, request, *topic, *partition, records);
  if (request.acks == kAllInSync && response.error_code == 0)
    await_replicas(*topic, *partition, records, response.base_offset, progress);
  return response;
}

// Kafka tries again by itself while the markers of the producer's transaction before are on their
// way (add.partitions.to.txn.retry.backoff.ms and .max.ms).
constexpr Millis kMarkersRetry{20};
constexpr int kMarkersTries = 5;

bool comes_before_markers(const RequestContext& ctx, const ProduceRequest& request) {
  if (ctx.version() < kAddsPartitionsFrom || !request.transactional_id) return false;
  const Transaction* const transaction = ctx.cluster.transactions().find(*request.transactional_id);
  if (transaction == nullptr || !transaction->ending()) return false;
  for (const TopicProduceData& topic : request.topic_data) {
    for (const PartitionProduceData& data : topic.partition_data) {
      const auto header = protocol::read_batch_header(data.records.value_or(Slice()).span());
      if (header && header->producer_id == transaction->producer.id &&
          header->producer_epoch == transaction->producer.epoch)
        return true;
    }
  }
  return false;
}

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

// `held`: the right to answer, where it was taken before; taken over if the answer has to wait.
Reply take(RequestContext& ctx, const ProduceRequest& request, Responder& held) {
  // One batch of a transaction that the request does not name, and nothing of it is taken.
  if (!request.transactional_id && has_transactional_batch(request)) {
    return refuse_produce(ctx, request, code(KafkaError::kTransactionalIdAuthorizationFailed));
  }
  ProduceProgress progress;
  ProduceResponse& response = progress.response;
  for (const TopicProduceData& topic : request.topic_data) {
    if (topic.partition_data.empty()) continue;
    auto& topic_response = response.responses.emplace_back();
    topic_response.name = topic.name;
    topic_response.topic_id = topic.topic_id;
    for (const PartitionProduceData* const data : last_of_each(topic)) {
      topic_response.partition_responses.push_back(
          produce_to(ctx, request, progress, topic, *data));
    }
  }
  if (!progress.awaited.empty()) {
    Responder responder = held.open() ? std::move(held) : ctx.defer();
    return wait_for_replicas(ctx, request.timeout_ms, std::move(progress), std::move(responder));
  }
  return answer(request, std::move(response));
}

struct Waiting {
  Waiting(const RequestContext& asked, ProduceRequest what)
      : header(asked.header),
        request(std::move(what)),
        ctx{header,     asked.cluster, asked.broker,   asked.client_host, asked.connection,
            asked.sink, asked.ticket,  asked.listener, asked.principal,   asked.authentication},
        responder(asked.defer()) {}
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;

  protocol::RequestHeader header;  // the connection's own goes when the handler returns
  ProduceRequest request;
  RequestContext ctx;
  Responder responder;
  int tries_left = kMarkersTries;
};

void try_again_later(std::shared_ptr<Waiting> waiting) {
  TimerService& timers = waiting->ctx.cluster.timers();
  timers.after(kMarkersRetry, [waiting = std::move(waiting)] {
    if (!waiting->responder.open()) return;  // who asked has gone, and its name with it
    if (--waiting->tries_left > 0 && comes_before_markers(waiting->ctx, waiting->request))
      return try_again_later(waiting);
    Reply reply = take(waiting->ctx, waiting->request, waiting->responder);
    if (reply.kind() != Reply::Kind::kDeferred) waiting->responder.send(std::move(reply));
  });
}

}  // namespace

Reply produce(RequestContext& ctx, const ProduceRequest& request) {
  Responder none;
  if (!comes_before_markers(ctx, request)) return take(ctx, request, none);
  try_again_later(std::make_shared<Waiting>(ctx, request));
  return Reply::deferred();
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
