// SPDX-License-Identifier: Apache-2.0
// Metadata (3), v0-13. A topic that this request creates is answered with error 3, as a KRaft
// broker does: it is there from the next request on, so a client must ask again.
#include "fakebroker/handlers/authorization.h"
#include "fakebroker/handlers/handlers.h"
#include "fakebroker/handlers/leadership.h"
#include "fakebroker/handlers/metadata_view.h"
#include "fakebroker/handlers/operations.h"
#include "fakebroker/handlers/refusals.h"
#include "protocol/messages/metadata_request.h"
#include "protocol/messages/metadata_response.h"

#include <algorithm>
#include <set>

namespace ktrial::fakebroker {
namespace {

using protocol::KafkaError;
using protocol::MetadataRequest;
using protocol::MetadataResponse;
using protocol::metadata_request::MetadataRequestTopic;
using protocol::metadata_response::MetadataResponsePartition;
using protocol::metadata_response::MetadataResponseTopic;

constexpr std::int16_t kRebootstrapRequired = protocol::code(KafkaError::kRebootstrapRequired);

MetadataResponse cluster_part(RequestContext& ctx, const MetadataRequest& request) {
  MetadataResponse response;
  response.cluster_id = ctx.cluster.spec().cluster_id;
  response.controller_id = ctx.cluster.controller();
  for (const Node& node : ctx.cluster.nodes()) {
    if (!node.listed) continue;
    auto& broker = response.brokers.emplace_back();
    broker.node_id = node.id;
    Endpoint endpoint = ctx.endpoint_of(node);
    broker.host = std::move(endpoint.host);
    broker.port = endpoint.port;
    broker.rack = node.rack;
  }
  if (request.include_cluster_authorized_operations)
    response.cluster_authorized_operations = cluster_operations(ctx);
  return response;
}

MetadataResponsePartition describe(const RequestContext& ctx, const Partition& partition) {
  MetadataResponsePartition response;
  response.partition_index = partition.index;
  response.leader_id = partition.leader;
  response.leader_epoch = partition.leader_epoch;
  response.replica_nodes = partition.replicas;
  response.isr_nodes = partition.in_sync.of(partition.replicas);
  response.offline_replicas = ctx.cluster.offline_replicas(partition);
  if (partition.leader < 0) response.error_code = code(KafkaError::kLeaderNotAvailable);
  return response;
}

MetadataResponseTopic describe(const RequestContext& ctx, const Topic& topic,
                               const MetadataRequest& request) {
  MetadataResponseTopic response;
  response.name = topic.name;
  response.topic_id = topic.id;
  response.is_internal = topic.internal;
  if (request.include_topic_authorized_operations)
    response.topic_authorized_operations =
        may_of(ctx, kTopicOperations, ResourceType::kTopic, topic.name);
  response.partitions.reserve(topic.partitions.size());
  for (const auto& partition : topic.partitions)
    response.partitions.push_back(describe(ctx, *partition));
  return response;
}

MetadataResponseTopic failed(const MetadataRequestTopic& wanted, KafkaError error,
                             std::int16_t version) {
  MetadataResponseTopic response;
  response.name = wanted.topic_id.is_zero() || version < 12 ? wanted.name : std::nullopt;
  // Only v12 may say null.
  if (!response.name && version < 12) response.name = "";
  response.topic_id = wanted.topic_id;
  response.error_code = code(error);
  return response;
}

KafkaError create_if_asked(RequestContext& ctx, const MetadataRequest& request,
                           const std::string& name) {
  if (!Topics::is_valid_name(name)) return KafkaError::kInvalidTopicException;
  const bool creates = ctx.cluster.spec().auto_create_topics && request.allow_auto_topic_creation;
  if (creates && !may_create(ctx, name)) return KafkaError::kTopicAuthorizationFailed;
  if (creates) {
    TopicSpec spec;
    spec.name = name;
    spec.partitions = ctx.cluster.spec().default_partitions;
    ctx.cluster.topics().create(spec);
  }
  return KafkaError::kUnknownTopicOrPartition;
}

MetadataResponseTopic answer(RequestContext& ctx, const MetadataRequest& request,
                             const MetadataRequestTopic& wanted) {
  const std::int16_t version = ctx.version();
  const bool by_id = !wanted.topic_id.is_zero();
  const Topic* const topic =
      by_id ? ctx.cluster.topics().find(wanted.topic_id) : ctx.cluster.topics().find(*wanted.name);
  const std::string name = topic != nullptr ? topic->name : wanted.name.value_or("");
  if (!(by_id && topic == nullptr) && !may_topic(ctx, AclOperation::kDescribe, name)) {
    // An id does not tell whose it is.
    return failed(wanted,
                  by_id ? KafkaError::kUnknownTopicId : KafkaError::kTopicAuthorizationFailed,
                  version);
  }
  if (topic != nullptr) return describe(ctx, *topic, request);
  return failed(wanted,
                by_id ? KafkaError::kUnknownTopicId : create_if_asked(ctx, request, *wanted.name),
                version);
}

// In v0 an empty list means all, later null does and empty means none.
bool wants_all(const MetadataRequest& request, std::int16_t version) {
  return !request.topics || (version == 0 && request.topics->empty());
}

bool names_ids(const MetadataRequest& request) {
  return request.topics && std::ranges::any_of(*request.topics, [](const auto& topic) {
           return !topic.topic_id.is_zero();
         });
}

// Topic ids are there from v10 on, but to be used from v12 on.
KafkaError fault_of(const MetadataRequest& request, std::int16_t version) {
  constexpr std::int16_t kIdsCountFrom = 12;
  if (!request.topics) return KafkaError::kNone;
  for (const MetadataRequestTopic& topic : *request.topics) {
    if (version < kIdsCountFrom && (!topic.name || !topic.topic_id.is_zero()))
      return KafkaError::kInvalidRequest;
    if (!topic.name && topic.topic_id.is_zero()) return KafkaError::kUnknownServerError;
  }
  return KafkaError::kNone;
}

MetadataResponse refused_whole(const MetadataRequest& request, KafkaError error) {
  MetadataResponse response;
  response.error_code = code(error);
  response.controller_id = -1;
  for (const MetadataRequestTopic& wanted : *request.topics) {
    auto& topic = response.topics.emplace_back();
    topic.name = wanted.name.value_or("");
    topic.topic_id = wanted.topic_id;
    topic.error_code = code(error);
  }
  return response;
}

}  // namespace

Reply metadata(RequestContext& ctx, const MetadataRequest& request) {
  if (const KafkaError error = fault_of(request, ctx.version()); error != KafkaError::kNone)
    return refused_whole(request, error);
  const bool by_id = names_ids(request);
  MetadataResponse response = cluster_part(ctx, request);
  const bool all = wants_all(request, ctx.version());
  if (all) {
    for (const auto& [name, topic] : ctx.cluster.topics().all()) {
      if (may_topic(ctx, AclOperation::kDescribe, name))
        response.topics.push_back(describe(ctx, *topic, request));
    }
  } else {
    std::set<std::pair<std::string, protocol::Uuid>> answered;
    for (const MetadataRequestTopic& wanted : *request.topics) {
      if (by_id && wanted.topic_id.is_zero()) continue;  // where there are ids, names do not count
      if (!answered.emplace(wanted.name.value_or(""), wanted.topic_id).second) continue;
      response.topics.push_back(answer(ctx, request, wanted));
    }
  }
  const auto view = ctx.as_of ? ctx.cluster.views().at(*ctx.as_of) : nullptr;
  if (view) {
    show_as_of(*view, all, response);
    std::erase_if(response.topics, [&](const MetadataResponseTopic& topic) {
      return all && !may_topic(ctx, AclOperation::kDescribe, *topic.name);
    });
  }
  return response;
}

// Topics carry the error, without partitions; v13's top level is for REBOOTSTRAP_REQUIRED alone.
Reply refuse_metadata(RequestContext& ctx, const MetadataRequest& request, std::int16_t error) {
  MetadataResponse response = cluster_part(ctx, request);
  if (error == kRebootstrapRequired && ctx.version() >= 13) {
    response.error_code = error;
    return response;
  }
  std::vector<MetadataRequestTopic> wanted =
      request.topics.value_or(std::vector<MetadataRequestTopic>());
  if (wants_all(request, ctx.version())) {
    for (const auto& [name, topic] : ctx.cluster.topics().all()) {
      auto& entry = wanted.emplace_back();
      entry.name = name;
      entry.topic_id = topic->id;
    }
  }
  for (const MetadataRequestTopic& topic : wanted) {
    response.topics.push_back(failed(topic, static_cast<KafkaError>(error), ctx.version()));
  }
  return response;
}

}  // namespace ktrial::fakebroker
