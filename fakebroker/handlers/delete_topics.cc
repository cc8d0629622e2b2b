// SPDX-License-Identifier: Apache-2.0
// DeleteTopics (20), v1-6: names up to v5, names or ids from v6 on.
#include "fakebroker/handlers/authorization.h"
#include "fakebroker/handlers/handlers.h"
#include "fakebroker/handlers/mutation_budget.h"
#include "fakebroker/handlers/refusals.h"
#include "fakebroker/request_context.h"
#include "protocol/messages/delete_topics_request.h"
#include "protocol/messages/delete_topics_response.h"

#include <algorithm>
#include <map>
#include <utility>

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

DeletableTopicResult erase(RequestContext& ctx, const DeleteTopicState& topic,
                           MutationBudget& budget) {
  DeletableTopicResult result;
  result.name = topic.name;
  result.topic_id = topic.topic_id;
  const Topic* const found = ctx.cluster.topics().find(topic.name.value_or(""), topic.topic_id);
  const std::string name = found != nullptr ? found->name : topic.name.value_or("");
  const bool allowed = name.empty() || (may_topic(ctx, AclOperation::kDescribe, name) &&
                                        may_topic(ctx, AclOperation::kDelete, name));
  if (topic.name && !topic.topic_id.is_zero()) {
    result.error_code = code(KafkaError::kInvalidRequest);
    result.error_message = "You may not specify both topic name and topic id.";
  } else if (!topic.name && topic.topic_id.is_zero()) {
    result.error_code = code(KafkaError::kInvalidRequest);
    result.error_message = "Neither topic name nor id were specified.";
  } else if (!allowed) {
    result.error_code = code(KafkaError::kTopicAuthorizationFailed);
  } else if (found == nullptr) {
    const KafkaError unknown =
        topic.name ? KafkaError::kUnknownTopicOrPartition : KafkaError::kUnknownTopicId;
    result.error_code = code(unknown);
    result.error_message = topic.name ? "This server does not host this topic-partition."
                                      : "This server does not host this topic ID.";
  } else {
    result.name = found->name;
    result.topic_id = found->id;
    const KafkaError over = budget.take(found->partitions.size());
    if (over != KafkaError::kNone) result.error_message = MutationBudget::kWords;
    result.error_code = code(
        over != KafkaError::kNone ? over : ctx.cluster.topics().erase(std::string(found->name)));
  }
  return result;
}

DeletableTopicResult duplicate(const Topic& topic, bool by_id) {
  DeletableTopicResult result;
  result.name = topic.name;
  result.error_code = code(KafkaError::kInvalidRequest);
  result.error_message = "Duplicate topic name.";
  if (by_id) result.topic_id = topic.id;
  return result;
}

}  // namespace

Reply delete_topics(RequestContext& ctx, const DeleteTopicsRequest& request) {
  const std::vector<DeleteTopicState> topics = wanted(request);
  // Whether by name or by id: who names a topic twice gets it deleted not even once.
  const auto topic_of = [&ctx](const DeleteTopicState& one) -> const Topic* {
    if (one.name && !one.topic_id.is_zero()) return nullptr;
    return ctx.cluster.topics().find(one.name.value_or(""), one.topic_id);
  };
  std::map<const Topic*, int> named;
  for (const DeleteTopicState& one : topics) ++named[topic_of(one)];
  const bool any_id = std::ranges::any_of(
      topics, [](const DeleteTopicState& one) { return !one.topic_id.is_zero(); });
  constexpr std::int16_t kStrictFrom = 5;
  MutationBudget budget(ctx, kStrictFrom);
  DeleteTopicsResponse response;
  for (const DeleteTopicState& one : topics) {
    const Topic* const topic = topic_of(one);
    if (topic != nullptr && named[topic] != 1) {
      if (std::exchange(named[topic], 0) > 1)
        response.responses.push_back(duplicate(*topic, any_id));
      continue;
    }
    response.responses.push_back(erase(ctx, one, budget));
    named.erase(topic);
  }
  response.throttle_time_ms = budget.throttle_ms();
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
