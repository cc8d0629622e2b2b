// SPDX-License-Identifier: Apache-2.0
// DeleteTopics (20), v1-6: names up to v5, names or ids from v6 on.
#include "fakebroker/handlers/authorization.h"
#include "fakebroker/handlers/handlers.h"
#include "fakebroker/handlers/refusals.h"
#include "fakebroker/request_context.h"
#include "protocol/messages/delete_topics_request.h"
#include "protocol/messages/delete_topics_response.h"

namespace ktrial::fakebroker {
namespace {

using protocol::DeleteTopicsRequest;
using protocol::DeleteTopicsResponse;
using protocol::KafkaError;
using protocol::delete_topics_request::DeleteTopicState;
using protocol::delete_topics_response::DeletableTopicResult;

std::vector<DeleteTopicState> wanted(const DeleteTopicsRequest& request) {
  std::vector<DeleteTopicState> topics = request.topics;
  for (const std::string& name : request.topic_names) topics.emplace_back().name = name;
  return topics;
}

DeletableTopicResult erase(RequestContext& ctx, const DeleteTopicState& topic) {
  DeletableTopicResult result;
  result.name = topic.name;
  result.topic_id = topic.topic_id;
  const Topic* const found = ctx.cluster.topics().find(topic.name.value_or(""), topic.topic_id);
  const std::string name = found != nullptr ? found->name : topic.name.value_or("");
  const bool allowed = name.empty() || (may_topic(ctx, AclOperation::kDescribe, name) &&
                                        may_topic(ctx, AclOperation::kDelete, name));
  if (topic.name && !topic.topic_id.is_zero()) {
    result.error_code = code(KafkaError::kInvalidRequest);
  } else if (!allowed) {
    result.error_code = code(KafkaError::kTopicAuthorizationFailed);
  } else if (found == nullptr) {
    result.error_code =
        code(topic.name ? KafkaError::kUnknownTopicOrPartition : KafkaError::kUnknownTopicId);
  } else {
    result.name = found->name;
    result.topic_id = found->id;
    result.error_code = code(ctx.cluster.topics().erase(std::string(found->name)));
  }
  return result;
}

}  // namespace

Reply delete_topics(RequestContext& ctx, const DeleteTopicsRequest& request) {
  DeleteTopicsResponse response;
  for (const DeleteTopicState& topic : wanted(request))
    response.responses.push_back(erase(ctx, topic));
  return response;
}

Reply refuse_delete_topics(RequestContext&, const DeleteTopicsRequest& request,
                           std::int16_t error) {
  DeleteTopicsResponse response;
  for (const DeleteTopicState& topic : wanted(request)) {
    auto& result = response.responses.emplace_back();
    result.name = topic.name;
    result.topic_id = topic.topic_id;
    result.error_code = error;
  }
  return response;
}

}  // namespace ktrial::fakebroker
