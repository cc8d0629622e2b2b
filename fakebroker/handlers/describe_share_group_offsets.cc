// SPDX-License-Identifier: Apache-2.0
// DescribeShareGroupOffsets (90), v0-1 (KIP-932; the lag of v1: KIP-1226): what a share group has
// written down. A group or topic that nobody knows is no error: nothing was written of it.
#include "fakebroker/handlers/authorization.h"
#include "fakebroker/handlers/authorization_words.h"
#include "fakebroker/handlers/coordination.h"
#include "fakebroker/handlers/handlers.h"
#include "protocol/messages/describe_share_group_offsets_request.h"
#include "protocol/messages/describe_share_group_offsets_response.h"

namespace ktrial::fakebroker {
namespace {

using protocol::KafkaError;
using protocol::describe_share_group_offsets_response::DescribeShareGroupOffsetsResponseGroup;
using protocol::describe_share_group_offsets_response::DescribeShareGroupOffsetsResponsePartition;

DescribeShareGroupOffsetsResponsePartition show(const ShareGroup* group, const Topic* topic,
                                                std::int32_t index) {
  DescribeShareGroupOffsetsResponsePartition shown;
  shown.partition_index = index;
  shown.start_offset = SharePartition::kUnset;
  const Partition* const partition = topic == nullptr ? nullptr : topic->partition(index);
  if (group == nullptr || partition == nullptr) return shown;
  const ShareGroup::Written written = group->written(topic->id, index);
  shown.start_offset = written.start;
  shown.leader_epoch = written.leader_epoch;
  if (written.start != SharePartition::kUnset)
    shown.lag = partition->log.high_watermark() - written.start - written.done;
  return shown;
}

template <class Indexes>
void describe(DescribeShareGroupOffsetsResponseGroup& result, const ShareGroup* group,
              const std::string& name, const Topic* topic, const Indexes& partitions) {
  auto& entry = result.topics.emplace_back();
  entry.topic_name = name;
  if (topic != nullptr) entry.topic_id = topic->id;
  for (const std::int32_t index : partitions) entry.partitions.push_back(show(group, topic, index));
}

template <class Indexes>
void refuse(DescribeShareGroupOffsetsResponseGroup& result, const std::string& name,
            const Indexes& partitions) {
  auto& entry = result.topics.emplace_back();
  entry.topic_name = name;
  for (const std::int32_t index : partitions) {
    auto& shown = entry.partitions.emplace_back();
    shown.partition_index = index;
    shown.start_offset = SharePartition::kUnset;
    shown.lag = -1;
    shown.error_code = code(KafkaError::kTopicAuthorizationFailed);
    shown.error_message = words_of_denial(KafkaError::kTopicAuthorizationFailed);
  }
}

}  // namespace

Reply describe_share_group_offsets(RequestContext& ctx,
                                   const protocol::DescribeShareGroupOffsetsRequest& request) {
  protocol::DescribeShareGroupOffsetsResponse response;
  for (const auto& asked : request.groups) {
    DescribeShareGroupOffsetsResponseGroup& result = response.groups.emplace_back();
    result.group_id = asked.group_id;
    if (!may_group(ctx, AclOperation::kDescribe, asked.group_id)) {
      result.error_code = code(KafkaError::kGroupAuthorizationFailed);
      continue;
    }
    const KafkaError error = check_coordinator(ctx, asked.group_id);
    if (error != KafkaError::kNone) {
      result.error_code = code(error);
      result.error_message = "This is not the correct coordinator.";
      continue;
    }
    const Group* const known = ctx.groups().find(asked.group_id);
    const ShareGroup* const group = known == nullptr ? nullptr : known->share.get();
    Topics& topics = ctx.cluster.topics();
    if (asked.topics) {
      for (const auto& topic : *asked.topics) {
        if (may_topic(ctx, AclOperation::kDescribe, topic.topic_name))
          describe(result, group, topic.topic_name, topics.find(topic.topic_name),
                   topic.partitions);
      }
      for (const auto& topic : *asked.topics) {
        if (!may_topic(ctx, AclOperation::kDescribe, topic.topic_name))
          refuse(result, topic.topic_name, topic.partitions);
      }
    } else if (group != nullptr) {
      for (const auto& [id, partitions] : group->initialized()) {
        const Topic* const topic = topics.find(id);
        if (topic != nullptr && may_topic(ctx, AclOperation::kDescribe, topic->name))
          describe(result, group, topic->name, topic, partitions);
      }
    }
  }
  return response;
}

}  // namespace ktrial::fakebroker
