// SPDX-License-Identifier: Apache-2.0
// CreatePartitions (37), v0-3.
#include "fakebroker/handlers/authorization.h"
#include "fakebroker/handlers/handlers.h"
#include "fakebroker/handlers/refusals.h"
#include "fakebroker/request_context.h"
#include "protocol/messages/create_partitions_request.h"
#include "protocol/messages/create_partitions_response.h"

#include <fmt/core.h>

namespace ktrial::fakebroker {
namespace {

using protocol::CreatePartitionsRequest;
using protocol::CreatePartitionsResponse;
using protocol::KafkaError;
using protocol::create_partitions_request::CreatePartitionsTopic;
using protocol::create_partitions_response::CreatePartitionsTopicResult;

CreatePartitionsTopicResult grow(RequestContext& ctx, const CreatePartitionsTopic& wanted,
                                 bool validate_only) {
  CreatePartitionsTopicResult result;
  result.name = wanted.name;
  if (!may_topic(ctx, AclOperation::kAlter, wanted.name)) {
    result.error_code = code(KafkaError::kTopicAuthorizationFailed);
    return result;
  }
  Topic* const topic = ctx.cluster.topics().find(wanted.name);
  if (topic == nullptr) {
    result.error_code = code(KafkaError::kUnknownTopicOrPartition);
    return result;
  }
  const auto present = static_cast<std::int32_t>(topic->partitions.size());
  KafkaError error = wanted.count > present ? KafkaError::kNone : KafkaError::kInvalidPartitions;
  if (error == KafkaError::kNone && !validate_only)
    error = ctx.cluster.topics().grow(*topic, wanted.count);
  result.error_code = code(error);
  if (error != KafkaError::kNone) {
    result.error_message =
        fmt::format("The topic {} currently has {} partition(s); {} would not be an increase.",
                    wanted.name, present, wanted.count);
  }
  return result;
}

}  // namespace

Reply create_partitions(RequestContext& ctx, const CreatePartitionsRequest& request) {
  CreatePartitionsResponse response;
  for (const CreatePartitionsTopic& topic : request.topics)
    response.results.push_back(grow(ctx, topic, request.validate_only));
  return response;
}

Reply refuse_create_partitions(RequestContext&, const CreatePartitionsRequest& request,
                               std::int16_t error) {
  CreatePartitionsResponse response;
  for (const CreatePartitionsTopic& topic : request.topics) {
    auto& result = response.results.emplace_back();
    result.name = topic.name;
    result.error_code = error;
  }
  return response;
}

}  // namespace ktrial::fakebroker
