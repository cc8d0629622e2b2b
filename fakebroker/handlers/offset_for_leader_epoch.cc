// SPDX-License-Identifier: Apache-2.0
// OffsetForLeaderEpoch (23), v2-4: where an epoch ended, for a client that checks for truncation.
#include "fakebroker/handlers/authorization.h"
#include "fakebroker/handlers/handlers.h"
#include "fakebroker/handlers/leadership.h"
#include "protocol/messages/offset_for_leader_epoch_request.h"
#include "protocol/messages/offset_for_leader_epoch_response.h"

namespace ktrial::fakebroker {

using protocol::KafkaError;
using protocol::OffsetForLeaderEpochRequest;
using protocol::OffsetForLeaderEpochResponse;

Reply offset_for_leader_epoch(RequestContext& ctx, const OffsetForLeaderEpochRequest& request) {
  OffsetForLeaderEpochResponse response;
  for (const auto& wanted : request.topics) {
    auto& topic = response.topics.emplace_back();
    topic.topic = wanted.topic;
    const bool may_see = may_cluster(ctx, AclOperation::kClusterAction) ||
                         may_topic(ctx, AclOperation::kDescribe, wanted.topic);
    for (const auto& asked : wanted.partitions) {
      auto& end = topic.partitions.emplace_back();
      end.partition = asked.partition;
      const Partition* const partition =
          ctx.cluster.topics().find_partition(wanted.topic, asked.partition);
      KafkaError error =
          may_see ? KafkaError::kUnknownTopicOrPartition : KafkaError::kTopicAuthorizationFailed;
      if (may_see && partition != nullptr)
        error = check_leader(ctx, *partition, asked.current_leader_epoch);
      end.error_code = code(error);
      if (error != KafkaError::kNone) continue;
      const auto found_end =
          partition->log.end_of_epoch(asked.leader_epoch, partition->leader_epoch);
      end.leader_epoch = found_end.epoch;
      end.end_offset = found_end.end_offset;
    }
  }
  return response;
}

}  // namespace ktrial::fakebroker
