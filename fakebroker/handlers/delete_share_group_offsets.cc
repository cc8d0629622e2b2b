// SPDX-License-Identifier: Apache-2.0
// DeleteShareGroupOffsets (92), v0 (KIP-932): a share group without members forgets topics.
#include "fakebroker/handlers/authorization.h"
#include "fakebroker/handlers/authorization_words.h"
#include "fakebroker/handlers/coordination.h"
#include "fakebroker/handlers/handlers.h"
#include "protocol/messages/delete_share_group_offsets_request.h"
#include "protocol/messages/delete_share_group_offsets_response.h"

namespace ktrial::fakebroker {
namespace {

using protocol::DeleteShareGroupOffsetsRequest;
using protocol::DeleteShareGroupOffsetsResponse;
using protocol::KafkaError;

DeleteShareGroupOffsetsResponse failed(KafkaError error, std::string why) {
  DeleteShareGroupOffsetsResponse response;
  response.error_code = code(error);
  response.error_message = std::move(why);
  return response;
}

}  // namespace

Reply delete_share_group_offsets(RequestContext& ctx,
                                 const DeleteShareGroupOffsetsRequest& request) {
  const std::string& id = request.group_id;
  if (!may_group(ctx, AclOperation::kDelete, id)) {
    return failed(KafkaError::kGroupAuthorizationFailed,
                  words_of_denial(KafkaError::kGroupAuthorizationFailed));
  }
  if (id.empty()) return failed(KafkaError::kInvalidGroupId, "The group id is invalid.");
  const KafkaError error = check_coordinator(ctx, id);
  if (error != KafkaError::kNone) return failed(error, "This is not the correct coordinator.");
  const Group* const group = ctx.groups().find(id);
  if (group == nullptr) return failed(KafkaError::kGroupIdNotFound, "Group " + id + " not found.");
  if (!group->share)
    return failed(KafkaError::kGroupIdNotFound, "Group " + id + " is not a share group.");
  if (!group->empty()) return failed(KafkaError::kNonEmptyGroup, "The group is not empty.");
  DeleteShareGroupOffsetsResponse response;
  for (const auto& topic : request.topics) {
    auto& result = response.responses.emplace_back();
    result.topic_name = topic.topic_name;
    if (!may_topic(ctx, AclOperation::kRead, topic.topic_name)) {
      result.error_code = code(KafkaError::kTopicAuthorizationFailed);
      result.error_message = words_of_denial(KafkaError::kTopicAuthorizationFailed);
      continue;
    }
    const Topic* const known = ctx.cluster.topics().find(topic.topic_name);
    if (known != nullptr && group->share->forget(known->id)) {
      result.topic_id = known->id;
      continue;
    }
    result.error_code = code(KafkaError::kUnknownTopicOrPartition);
    result.error_message = known == nullptr ? "This server does not host this topic-partition."
                                            : "There is no offset information to delete.";
  }
  return response;
}

}  // namespace ktrial::fakebroker
