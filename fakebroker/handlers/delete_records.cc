// SPDX-License-Identifier: Apache-2.0
// DeleteRecords (21), v0-2: moves a log's start forward, at the partition's leader.
#include "fakebroker/handlers/authorization.h"
#include "fakebroker/handlers/handlers.h"
#include "fakebroker/handlers/leadership.h"
#include "fakebroker/handlers/refusals.h"
#include "protocol/messages/delete_records_request.h"
#include "protocol/messages/delete_records_response.h"

namespace ktrial::fakebroker {
namespace {

using protocol::DeleteRecordsRequest;
using protocol::DeleteRecordsResponse;
using protocol::KafkaError;
using protocol::delete_records_request::DeleteRecordsPartition;
using protocol::delete_records_response::DeleteRecordsPartitionResult;

constexpr std::int64_t kHighWatermark = -1;

KafkaError check(const RequestContext& ctx, const Topic& topic, const Partition& partition,
                 std::int64_t offset) {
  if (topic.internal) return KafkaError::kInvalidTopicException;
  if (const KafkaError error = check_leader(ctx, partition); error != KafkaError::kNone)
    return error;
  if (!ctx.cluster.configs().deletes_records(topic, ctx.broker))
    return KafkaError::kPolicyViolation;
  const bool in_range = offset >= 0 && offset <= partition.log.high_watermark();
  return in_range ? KafkaError::kNone : KafkaError::kOffsetOutOfRange;
}

DeleteRecordsPartitionResult erase(RequestContext& ctx, const Topic* topic,
                                   const DeleteRecordsPartition& wanted) {
  DeleteRecordsPartitionResult result;
  result.partition_index = wanted.partition_index;
  result.low_watermark = -1;
  Partition* const partition =
      topic == nullptr ? nullptr : topic->partition(wanted.partition_index);
  if (partition == nullptr) {
    result.error_code = code(KafkaError::kUnknownTopicOrPartition);
    return result;
  }
  const std::int64_t offset =
      wanted.offset == kHighWatermark ? partition->log.high_watermark() : wanted.offset;
  const KafkaError error = check(ctx, *topic, *partition, offset);
  result.error_code = code(error);
  if (error != KafkaError::kNone) return result;
  partition->log.advance_start(offset);
  result.low_watermark = partition->log.start_offset();
  return result;
}

}  // namespace

Reply delete_records(RequestContext& ctx, const DeleteRecordsRequest& request) {
  DeleteRecordsResponse response;
  for (const auto& wanted : request.topics) {
    auto& topic = response.topics.emplace_back();
    topic.name = wanted.name;
    const Topic* const found = ctx.cluster.topics().find(wanted.name);
    const bool allowed = may_topic(ctx, AclOperation::kDelete, wanted.name);
    for (const DeleteRecordsPartition& partition : wanted.partitions) {
      topic.partitions.push_back(erase(ctx, allowed ? found : nullptr, partition));
      if (!allowed)
        topic.partitions.back().error_code = code(KafkaError::kTopicAuthorizationFailed);
    }
  }
  return response;
}

Reply refuse_delete_records(RequestContext&, const DeleteRecordsRequest& request,
                            std::int16_t error) {
  DeleteRecordsResponse response;
  for (const auto& wanted : request.topics) {
    auto& topic = response.topics.emplace_back();
    topic.name = wanted.name;
    for (const DeleteRecordsPartition& partition : wanted.partitions) {
      auto& result = topic.partitions.emplace_back();
      result.partition_index = partition.partition_index;
      result.low_watermark = -1;
      result.error_code = error;
    }
  }
  return response;
}

}  // namespace ktrial::fakebroker
