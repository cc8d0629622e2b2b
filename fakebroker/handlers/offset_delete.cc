// SPDX-License-Identifier: Apache-2.0
// OffsetDelete (47), v0 (KIP-496): not while somebody reads the topic.
#include "fakebroker/handlers/authorization.h"
#include "fakebroker/handlers/coordination.h"
#include "fakebroker/handlers/handlers.h"
#include "fakebroker/handlers/refusals.h"
#include "protocol/messages/offset_delete_request.h"
#include "protocol/messages/offset_delete_response.h"

namespace ktrial::fakebroker {
namespace {

using protocol::KafkaError;
using protocol::OffsetDeleteRequest;
using protocol::OffsetDeleteResponse;

KafkaError check(RequestContext& ctx, const std::string& group_id) {
  const KafkaError error = check_group(ctx, group_id);
  if (error != KafkaError::kNone) return error;
  const Group* const group = ctx.groups().find(group_id);
  if (group == nullptr || group->share) return KafkaError::kGroupIdNotFound;
  // What other kinds of groups read is not known.
  const bool opaque = group->classic && group->classic->protocol_type() != "consumer";
  return opaque && !group->empty() ? KafkaError::kNonEmptyGroup : KafkaError::kNone;
}

}  // namespace

Reply offset_delete(RequestContext& ctx, const OffsetDeleteRequest& request) {
  OffsetDeleteResponse response;
  const KafkaError error = check(ctx, request.group_id);
  response.error_code = code(error);
  if (error != KafkaError::kNone) return response;
  Group& group = *ctx.groups().find(request.group_id);
  for (const auto& topic : request.topics) {
    auto& result = response.topics.emplace_back();
    result.name = topic.name;
    const Topic* const known = ctx.cluster.topics().find(topic.name);
    const bool in_use = group.subscribed_to(topic.name);
    for (const auto& partition : topic.partitions) {
      auto& entry = result.partitions.emplace_back();
      entry.partition_index = partition.partition_index;
      if (!may_topic(ctx, AclOperation::kRead, topic.name)) {
        entry.error_code = code(KafkaError::kTopicAuthorizationFailed);
      } else if (known == nullptr || known->partition(partition.partition_index) == nullptr) {
        entry.error_code = code(KafkaError::kUnknownTopicOrPartition);
      } else if (in_use) {
        entry.error_code = code(KafkaError::kGroupSubscribedToTopic);
      } else {
        group.offsets.erase(topic.name, partition.partition_index);
      }
    }
  }
  return response;
}

Reply refuse_offset_delete(RequestContext&, const OffsetDeleteRequest&, std::int16_t error) {
  OffsetDeleteResponse response;
  response.error_code = error;
  return response;
}

}  // namespace ktrial::fakebroker
