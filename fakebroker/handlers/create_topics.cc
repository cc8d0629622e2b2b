// SPDX-License-Identifier: Apache-2.0
// CreateTopics (19), v2-7.
#include "fakebroker/handlers/authorization.h"
#include "fakebroker/handlers/handlers.h"
#include "fakebroker/handlers/mutation_budget.h"
#include "fakebroker/handlers/refusals.h"
#include "fakebroker/handlers/replica_list.h"
#include "fakebroker/request_context.h"
#include "fakebroker/state/config_rules.h"
#include "protocol/messages/create_topics_request.h"
#include "protocol/messages/create_topics_response.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

namespace ktrial::fakebroker {
namespace {

using protocol::CreateTopicsRequest;
using protocol::CreateTopicsResponse;
using protocol::KafkaError;
using protocol::create_topics_request::CreatableTopic;
using protocol::create_topics_response::CreatableTopicResult;

CreatableTopicResult failed(const CreatableTopic& wanted, KafkaError error,
                            std::string message = {}) {
  CreatableTopicResult result;
  result.name = wanted.name;
  result.error_code = code(error);
  result.error_message = message.empty() ? std::nullopt : std::optional(std::move(message));
  return result;
}

TopicSpec spec_of(const CreatableTopic& wanted, const ClusterSpec& cluster) {
  TopicSpec spec;
  spec.name = wanted.name;
  spec.partitions =
      wanted.num_partitions == -1 ? cluster.default_partitions : wanted.num_partitions;
  if (!wanted.assignments.empty()) {
    spec.partitions = static_cast<int>(wanted.assignments.size());
    spec.leaders.assign(wanted.assignments.size(), -1);
    for (const auto& assignment : wanted.assignments) {
      const bool in_range =
          assignment.partition_index >= 0 && assignment.partition_index < spec.partitions;
      if (!in_range || assignment.broker_ids.empty()) continue;
      spec.leaders[static_cast<std::size_t>(assignment.partition_index)] =
          assignment.broker_ids.front();
    }
  }
  for (const auto& config : wanted.configs) {
    if (config.value) spec.configs[config.name] = *config.value;
  }
  return spec;
}

// Metrics take dots for underscores: names that differ in nothing else may not be.
bool collides(RequestContext& ctx, std::string name) {
  std::ranges::replace(name, '.', '_');
  for (const auto& [other, topic] : ctx.cluster.topics().all()) {
    std::string plain(other);
    std::ranges::replace(plain, '.', '_');
    if (plain == name) return true;
  }
  return false;
}

// Partitions from 0 on, each once, on brokers that there are.
KafkaError check_assignments(RequestContext& ctx, const CreatableTopic& wanted) {
  if (wanted.num_partitions != -1 || wanted.replication_factor != -1)
    return KafkaError::kInvalidRequest;
  std::set<std::int32_t> indexes;
  for (const auto& assignment : wanted.assignments) {
    if (fault_of_replica_list(ctx, assignment.broker_ids))
      return KafkaError::kInvalidReplicaAssignment;
    if (assignment.broker_ids.size() != wanted.assignments.front().broker_ids.size())
      return KafkaError::kInvalidReplicaAssignment;
    indexes.insert(assignment.partition_index);
  }
  const bool gapless = indexes.size() == wanted.assignments.size() && *indexes.begin() == 0 &&
                       *indexes.rbegin() == static_cast<std::int32_t>(indexes.size()) - 1;
  return gapless ? KafkaError::kNone : KafkaError::kInvalidReplicaAssignment;
}

KafkaError check_name(RequestContext& ctx, const TopicSpec& spec) {
  if (!Topics::is_valid_name(spec.name)) return KafkaError::kInvalidTopicException;
  if (ctx.cluster.topics().find(spec.name) != nullptr) return KafkaError::kTopicAlreadyExists;
  if (collides(ctx, spec.name)) return KafkaError::kInvalidTopicException;
  return KafkaError::kNone;
}

KafkaError check_placement(RequestContext& ctx, const TopicSpec& spec,
                           const CreatableTopic& wanted) {
  if (!wanted.assignments.empty()) return check_assignments(ctx, wanted);
  if (spec.partitions < 1) return KafkaError::kInvalidPartitions;
  const auto brokers = static_cast<int>(ctx.cluster.nodes().size());
  const bool possible = wanted.replication_factor == -1 ||
                        (wanted.replication_factor > 0 && wanted.replication_factor <= brokers);
  return possible ? KafkaError::kNone : KafkaError::kInvalidReplicationFactor;
}

// Kafka draws an id even for a topic that it only looks at.
protocol::Uuid passing_id(const std::string& name) {
  protocol::Uuid id;
  const std::size_t hash = std::hash<std::string>()(name) | 1U;
  for (std::size_t i = 0; i < sizeof hash; ++i)
    id.bytes.at(i) = static_cast<std::uint8_t>(hash >> (i * 8));
  return id;
}

// On the brokers that the client names, or on as many as it wants.
void place(RequestContext& ctx, Topic& topic, const CreatableTopic& wanted) {
  for (const auto& assignment : wanted.assignments)
    place_on(ctx, *topic.partition(assignment.partition_index), assignment.broker_ids);
  if (!wanted.assignments.empty() || wanted.replication_factor < 1) return;
  for (const auto& partition : topic.partitions) {
    place_on(ctx, *partition, replicas_from(ctx, partition->leader, wanted.replication_factor));
  }
}

CreatableTopicResult create(RequestContext& ctx, const CreatableTopic& wanted, bool validate_only,
                            MutationBudget& budget) {
  if (!may_create(ctx, wanted.name))
    return failed(wanted, KafkaError::kTopicAuthorizationFailed, "Authorization failed.");
  const TopicSpec spec = spec_of(wanted, ctx.cluster.spec());
  KafkaError error = check_name(ctx, spec);
  const auto null = std::ranges::find_if(wanted.configs, [](const auto& c) { return !c.value; });
  if (error == KafkaError::kNone && null != wanted.configs.end()) {
    return failed(wanted, KafkaError::kInvalidConfig,
                  "Null value not supported for topic configs: " + null->name);
  }
  if (error == KafkaError::kNone) {
    if (const auto fault = fault_of_topic_configs(spec.name, spec.configs))
      return failed(wanted, fault->error, fault->message);
  }
  if (error == KafkaError::kNone) error = check_placement(ctx, spec, wanted);
  if (error == KafkaError::kNone) {
    error = budget.take(static_cast<std::size_t>(spec.partitions));
    if (error != KafkaError::kNone) return failed(wanted, error, MutationBudget::kWords);
  }
  if (error == KafkaError::kNone && !validate_only) error = ctx.cluster.topics().create(spec);
  if (error != KafkaError::kNone)
    return failed(wanted, error, std::string(protocol::name(error)) + ": " + wanted.name);
  CreatableTopicResult result;
  result.name = wanted.name;
  result.error_message = std::nullopt;
  result.num_partitions = spec.partitions;
  Topic* const topic = ctx.cluster.topics().find(spec.name);
  if (topic != nullptr) place(ctx, *topic, wanted);
  result.topic_id = topic != nullptr ? topic->id : passing_id(wanted.name);
  result.replication_factor =
      topic == nullptr ? wanted.replication_factor
                       : static_cast<std::int16_t>(topic->partitions.front()->replicas.size());
  Topic named;
  named.configs = spec.configs;
  for (DescribedConfig& described : ctx.cluster.configs().of_topic(named, ctx.broker)) {
    auto& config = result.configs->emplace_back();
    config.name = described.key->name;
    config.value = std::move(described.value);
    config.config_source = static_cast<std::int8_t>(described.source);
  }
  return result;
}

}  // namespace

Reply create_topics(RequestContext& ctx, const CreateTopicsRequest& request) {
  std::map<std::string_view, int> named;
  for (const CreatableTopic& topic : request.topics) ++named[topic.name];
  constexpr std::int16_t kStrictFrom = 6;
  MutationBudget budget(ctx, kStrictFrom);
  CreateTopicsResponse response;
  for (const CreatableTopic& topic : request.topics) {
    if (named[topic.name] > 1) {
      response.topics.push_back(
          failed(topic, KafkaError::kInvalidRequest, "Duplicate topic name."));
      named[topic.name] = -1;
    } else if (named[topic.name] == 1) {
      response.topics.push_back(create(ctx, topic, request.validate_only, budget));
    }
  }
  response.throttle_time_ms = budget.throttle_ms();
  return response;
}

Reply refuse_create_topics(RequestContext&, const CreateTopicsRequest& request,
                           std::int16_t error) {
  CreateTopicsResponse response;
  for (const CreatableTopic& topic : request.topics) {
    response.topics.push_back(failed(topic, static_cast<KafkaError>(error)));
  }
  return response;
}

}  // namespace ktrial::fakebroker
