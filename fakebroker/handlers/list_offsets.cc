// SPDX-License-Identifier: Apache-2.0
// ListOffsets (2), v1-11. Times below zero are names: -1 latest, -2 earliest, -3 greatest timestamp
// (KIP-734), -4 earliest local, -5 latest tiered (KIP-1005), -6 earliest to be tiered (KIP-1023).
// Nothing is tiered here, so -4 is -2 and the last two are not found.
#include "fakebroker/handlers/authorization.h"
#include "fakebroker/handlers/handlers.h"
#include "fakebroker/handlers/leadership.h"
#include "protocol/messages/list_offsets_request.h"
#include "protocol/messages/list_offsets_response.h"

#include <map>
#include <utility>

namespace ktrial::fakebroker {
namespace {

using protocol::KafkaError;
using protocol::ListOffsetsRequest;
using protocol::ListOffsetsResponse;
using protocol::list_offsets_request::ListOffsetsPartition;
using protocol::list_offsets_response::ListOffsetsPartitionResponse;
using Position = PartitionLog::Position;

constexpr std::int8_t kReadCommitted = 1;
constexpr std::int16_t kNotAvailableFrom = 5;
constexpr std::int64_t kLatest = -1;
constexpr std::int64_t kEarliest = -2;
constexpr std::int64_t kMaxTimestamp = -3;
constexpr std::int64_t kEarliestLocal = -4;
constexpr std::int64_t kLatestTiered = -5;
constexpr std::int64_t kEarliestPendingUpload = -6;

std::int16_t first_version_of(std::int64_t timestamp) {
  switch (timestamp) {
    case kMaxTimestamp:
      return 7;
    case kEarliestLocal:
      return 8;
    case kLatestTiered:
      return 9;
    case kEarliestPendingUpload:
      return 11;
    default:
      return timestamp < kEarliestPendingUpload ? INT16_MAX : std::int16_t{1};
  }
}

// What the client may not see is not found.
Position below(std::int64_t end, const std::optional<Position>& found) {
  return found && found->offset < end ? *found : Position();
}

Position position_of(const Partition& partition, std::int64_t timestamp, std::int64_t end) {
  const PartitionLog& log = partition.log;
  switch (timestamp) {
    case kLatest:
      return {end, -1, partition.leader_epoch};
    case kEarliest:
    case kEarliestLocal:
      return {log.start_offset(), -1,
              log.epoch_of(log.start_offset()).value_or(partition.leader_epoch)};
    case kMaxTimestamp:
      return below(end, log.max_timestamp());
    case kLatestTiered:
    case kEarliestPendingUpload:
      return {};
    default:
      return below(end, log.find_timestamp(timestamp));
  }
}

// Whether what is asked for may be where the client cannot see yet.
bool needs_the_end(const Partition& partition, std::int64_t timestamp, std::int64_t end) {
  if (timestamp == kLatest) return true;
  if (timestamp == kEarliest || timestamp == kEarliestLocal) return false;
  const Position found = position_of(partition, timestamp, INT64_MAX);
  return found.offset >= end;
}

// Of a replica id that debugging tools send: any replica answers.
constexpr std::int32_t kDebugger = -2;

ListOffsetsPartitionResponse answer(RequestContext& ctx, const Topic* topic,
                                    const ListOffsetsPartition& wanted, bool read_committed,
                                    bool may_describe, bool debugs) {
  ListOffsetsPartitionResponse response;
  response.partition_index = wanted.partition_index;
  const Partition* const partition =
      topic == nullptr ? nullptr : topic->partition(wanted.partition_index);
  KafkaError error =
      may_describe ? KafkaError::kUnknownTopicOrPartition : KafkaError::kTopicAuthorizationFailed;
  if (may_describe && partition != nullptr) {
    error = check_leader(ctx, *partition, wanted.current_leader_epoch);
    if (error == KafkaError::kNotLeaderOrFollower && debugs && is_replica(ctx, *partition))
      error = KafkaError::kNone;
  }
  if (error == KafkaError::kNone && ctx.version() < first_version_of(wanted.timestamp))
    error = KafkaError::kUnsupportedVersion;
  response.error_code = code(error);
  if (error != KafkaError::kNone) return response;
  const std::int64_t end =
      read_committed ? partition->last_stable_offset() : partition->log.high_watermark();
  // After an election, until the new leader knows how far its followers are.
  const bool behind = partition->log.epoch_start() > partition->log.high_watermark();
  if (behind && needs_the_end(*partition, wanted.timestamp, end)) {
    response.error_code =
        code(ctx.version() >= kNotAvailableFrom ? KafkaError::kOffsetNotAvailable
                                                : KafkaError::kLeaderNotAvailable);
    return response;
  }
  const Position position = position_of(*partition, wanted.timestamp, end);
  response.offset = position.offset;
  response.timestamp = position.timestamp;
  response.leader_epoch = position.leader_epoch;
  return response;
}

ListOffsetsPartitionResponse failed(const ListOffsetsPartition& wanted, KafkaError error) {
  ListOffsetsPartitionResponse response;
  response.partition_index = wanted.partition_index;
  response.error_code = code(error);
  return response;
}

}  // namespace

Reply list_offsets(RequestContext& ctx, const ListOffsetsRequest& request) {
  // No client sends another level; a broker meets it as a fault of its own.
  const bool known_level =
      request.isolation_level == 0 || request.isolation_level == kReadCommitted;
  ListOffsetsResponse response;
  for (const auto& wanted : request.topics) {
    if (wanted.partitions.empty()) continue;
    auto& topic = response.topics.emplace_back();
    topic.name = wanted.name;
    const Topic* const found = ctx.cluster.topics().find(wanted.name);
    const bool may_describe = may_topic(ctx, AclOperation::kDescribe, wanted.name);
    std::map<std::int32_t, int> named;
    for (const ListOffsetsPartition& partition : wanted.partitions)
      ++named[partition.partition_index];
    for (const ListOffsetsPartition& partition : wanted.partitions) {
      int& times = named[partition.partition_index];
      if (times > 1) topic.partitions.push_back(failed(partition, KafkaError::kInvalidRequest));
      if (std::exchange(times, times > 1 ? 0 : times) != 1) continue;
      topic.partitions.push_back(known_level ? answer(ctx, found, partition,
                                                      request.isolation_level == kReadCommitted,
                                                      may_describe, request.replica_id == kDebugger)
                                             : failed(partition, KafkaError::kUnknownServerError));
    }
  }
  return response;
}

}  // namespace ktrial::fakebroker
