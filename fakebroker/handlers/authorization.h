// SPDX-License-Identifier: Apache-2.0
// Authorization: may who asks do what is asked? Whole requests are judged here (`denied`), topics
// in them by their handlers. Without an authorizer everything may be done.
#pragma once

#include "fakebroker/handlers/handlers.h"
#include "fakebroker/handlers/operations.h"
#include "fakebroker/request_context.h"
#include "fakebroker/security/authorizer.h"
#include "protocol/errors.h"

#include <cstdint>
#include <string_view>

namespace ktrial::fakebroker {

inline constexpr std::string_view kClusterResource = "kafka-cluster";

[[nodiscard]] inline bool may(const RequestContext& ctx, AclOperation operation, ResourceType type,
                              std::string_view name) {
  const AuthorizerSpec& spec = ctx.cluster.spec().security.authorizer;
  return !spec.enabled || Authorizer(spec, ctx.cluster.acls())
                              .allows({ctx.principal, ctx.client_host}, operation, type, name);
}
[[nodiscard]] inline bool may_topic(const RequestContext& ctx, AclOperation operation,
                                    std::string_view topic) {
  return may(ctx, operation, ResourceType::kTopic, topic);
}
[[nodiscard]] inline bool may_group(const RequestContext& ctx, AclOperation operation,
                                    std::string_view group) {
  return may(ctx, operation, ResourceType::kGroup, group);
}
[[nodiscard]] inline bool may_cluster(const RequestContext& ctx, AclOperation operation) {
  return may(ctx, operation, ResourceType::kCluster, kClusterResource);
}
// Those of these operations that may be done, as a bit field.
[[nodiscard]] inline std::int32_t may_of(const RequestContext& ctx, std::int32_t operations,
                                         ResourceType type, std::string_view name) {
  const AuthorizerSpec& spec = ctx.cluster.spec().security.authorizer;
  if (!spec.enabled) return operations;
  return Authorizer(spec, ctx.cluster.acls())
      .allowed_of({ctx.principal, ctx.client_host}, operations, type, name);
}

// Nothing is told of the cluster to who may not describe it.
[[nodiscard]] inline std::int32_t cluster_operations(const RequestContext& ctx) {
  if (!may_cluster(ctx, AclOperation::kDescribe)) return 0;
  return may_of(ctx, kClusterOperations, ResourceType::kCluster, kClusterResource);
}
[[nodiscard]] inline bool may_create(const RequestContext& ctx, std::string_view topic) {
  return may_cluster(ctx, AclOperation::kCreate) || may_topic(ctx, AclOperation::kCreate, topic);
}

// What is told of a resource whose configs somebody may not see (kDescribeConfigs) or change
// (kAlterConfigs); kNone if they may. Brokers and client metrics are the cluster's.
protocol::KafkaError denied_configs(const RequestContext& ctx, AclOperation operation,
                                    std::int8_t resource_type, std::string_view name);

// Why a whole request is refused; kNone if it is not.
protocol::KafkaError denied(const RequestContext& ctx, const protocol::JoinGroupRequest& request);
protocol::KafkaError denied(const RequestContext& ctx, const protocol::SyncGroupRequest& request);
protocol::KafkaError denied(const RequestContext& ctx, const protocol::HeartbeatRequest& request);
protocol::KafkaError denied(const RequestContext& ctx, const protocol::LeaveGroupRequest& request);
protocol::KafkaError denied(const RequestContext& ctx,
                            const protocol::ConsumerGroupHeartbeatRequest& request);
protocol::KafkaError denied(const RequestContext& ctx,
                            const protocol::ShareGroupHeartbeatRequest& request);
protocol::KafkaError denied(const RequestContext& ctx,
                            const protocol::OffsetCommitRequest& request);
protocol::KafkaError denied(const RequestContext& ctx,
                            const protocol::OffsetDeleteRequest& request);
protocol::KafkaError denied(const RequestContext& ctx, const protocol::ProduceRequest& request);
protocol::KafkaError denied(const RequestContext& ctx,
                            const protocol::InitProducerIdRequest& request);
protocol::KafkaError denied(const RequestContext& ctx,
                            const protocol::AddOffsetsToTxnRequest& request);
protocol::KafkaError denied(const RequestContext& ctx, const protocol::EndTxnRequest& request);
protocol::KafkaError denied(const RequestContext& ctx,
                            const protocol::AddPartitionsToTxnRequest& request);
protocol::KafkaError denied(const RequestContext& ctx,
                            const protocol::TxnOffsetCommitRequest& request);
protocol::KafkaError denied(const RequestContext& ctx, const protocol::CreateAclsRequest& request);
protocol::KafkaError denied(const RequestContext& ctx, const protocol::DeleteAclsRequest& request);
protocol::KafkaError denied(const RequestContext& ctx,
                            const protocol::DescribeAclsRequest& request);
protocol::KafkaError denied(const RequestContext& ctx,
                            const protocol::AlterUserScramCredentialsRequest& request);
protocol::KafkaError denied(const RequestContext& ctx,
                            const protocol::DescribeUserScramCredentialsRequest& request);
protocol::KafkaError denied(const RequestContext& ctx,
                            const protocol::AlterClientQuotasRequest& request);
protocol::KafkaError denied(const RequestContext& ctx,
                            const protocol::DescribeClientQuotasRequest& request);
protocol::KafkaError denied(const RequestContext& ctx,
                            const protocol::WriteTxnMarkersRequest& request);
protocol::KafkaError denied(const RequestContext& ctx,
                            const protocol::UpdateFeaturesRequest& request);
protocol::KafkaError denied(const RequestContext& ctx,
                            const protocol::AlterPartitionReassignmentsRequest& request);
protocol::KafkaError denied(const RequestContext& ctx,
                            const protocol::ElectLeadersRequest& request);
protocol::KafkaError denied(const RequestContext& ctx,
                            const protocol::AlterReplicaLogDirsRequest& request);
protocol::KafkaError denied(const RequestContext& ctx,
                            const protocol::ListConfigResourcesRequest& request);
protocol::KafkaError denied(const RequestContext& ctx,
                            const protocol::ListPartitionReassignmentsRequest& request);
protocol::KafkaError denied(const RequestContext& ctx,
                            const protocol::UnregisterBrokerRequest& request);

}  // namespace ktrial::fakebroker
