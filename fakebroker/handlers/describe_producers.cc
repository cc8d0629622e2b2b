// SPDX-License-Identifier: Apache-2.0
// DescribeProducers (61), v0 (KIP-664): what a partition's leader remembers of its producers.
#include "fakebroker/handlers/authorization.h"
#include "fakebroker/handlers/authorization_words.h"
#include "fakebroker/handlers/handlers.h"
#include "fakebroker/handlers/leadership.h"
#include "protocol/messages/describe_producers_request.h"
#include "protocol/messages/describe_producers_response.h"

namespace ktrial::fakebroker {

using protocol::DescribeProducersRequest;
using protocol::DescribeProducersResponse;
using protocol::KafkaError;

Reply describe_producers(RequestContext& ctx, const DescribeProducersRequest& request) {
  DescribeProducersResponse response;
  for (const auto& wanted : request.topics) {
    auto& topic = response.topics.emplace_back();
    topic.name = wanted.name;
    for (const std::int32_t index : wanted.partition_indexes) {
      auto& result = topic.partitions.emplace_back();
      result.partition_index = index;
      const Partition* const partition = ctx.cluster.topics().find_partition(wanted.name, index);
      const bool valid = Topics::is_valid_name(wanted.name);
      if (valid && !may_topic(ctx, AclOperation::kRead, wanted.name)) {
        result.error_code = code(KafkaError::kTopicAuthorizationFailed);
        result.error_message = words_of_denial(KafkaError::kTopicAuthorizationFailed);
        continue;
      }
      const KafkaError error = !valid                 ? KafkaError::kInvalidTopicException
                               : partition == nullptr ? KafkaError::kUnknownTopicOrPartition
                                                      : check_replica(ctx, *partition);
      result.error_code = code(error);
      if (ctx.cluster.topics().find(wanted.name) == nullptr)
        result.error_message = "This server does not host this topic-partition.";
      if (error != KafkaError::kNone) continue;
      for (const auto& active : partition->producers.active()) {
        auto& producer = result.active_producers.emplace_back();
        producer.producer_id = active.producer_id;
        producer.producer_epoch = active.epoch;
        producer.last_sequence = active.last_sequence;
        producer.last_timestamp = active.last_timestamp;
        producer.coordinator_epoch = -1;  // of the last marker, which nobody notes
        producer.current_txn_start_offset =
            partition->transactions.first_offset(active.producer_id).value_or(-1);
      }
    }
  }
  return response;
}

}  // namespace ktrial::fakebroker
