// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/handlers/authorization.h"

#include "protocol/messages/add_offsets_to_txn_request.h"
#include "protocol/messages/add_partitions_to_txn_request.h"
#include "protocol/messages/alter_client_quotas_request.h"
#include "protocol/messages/alter_partition_reassignments_request.h"
#include "protocol/messages/alter_replica_log_dirs_request.h"
#include "protocol/messages/alter_user_scram_credentials_request.h"
#include "protocol/messages/consumer_group_heartbeat_request.h"
#include "protocol/messages/create_acls_request.h"
#include "protocol/messages/delete_acls_request.h"
#include "protocol/messages/describe_acls_request.h"
#include "protocol/messages/describe_client_quotas_request.h"
#include "protocol/messages/describe_user_scram_credentials_request.h"
#include "protocol/messages/elect_leaders_request.h"
#include "protocol/messages/end_txn_request.h"
#include "protocol/messages/heartbeat_request.h"
#include "protocol/messages/init_producer_id_request.h"
#include "protocol/messages/join_group_request.h"
#include "protocol/messages/leave_group_request.h"
#include "protocol/messages/list_config_resources_request.h"
#include "protocol/messages/list_partition_reassignments_request.h"
#include "protocol/messages/offset_commit_request.h"
#include "protocol/messages/offset_delete_request.h"
#include "protocol/messages/produce_request.h"
#include "protocol/messages/share_group_heartbeat_request.h"
#include "protocol/messages/sync_group_request.h"
#include "protocol/messages/txn_offset_commit_request.h"
#include "protocol/messages/unregister_broker_request.h"
#include "protocol/messages/update_features_request.h"
#include "protocol/messages/write_txn_markers_request.h"

#include <algorithm>

namespace ktrial::fakebroker {
namespace {

using protocol::KafkaError;

KafkaError for_group(const RequestContext& ctx, AclOperation operation, std::string_view group) {
  return may(ctx, operation, ResourceType::kGroup, group) ? KafkaError::kNone
                                                          : KafkaError::kGroupAuthorizationFailed;
}

KafkaError for_transaction(const RequestContext& ctx, std::string_view id) {
  return may(ctx, AclOperation::kWrite, ResourceType::kTransactionalId, id)
             ? KafkaError::kNone
             : KafkaError::kTransactionalIdAuthorizationFailed;
}

KafkaError for_cluster(const RequestContext& ctx, AclOperation operation) {
  return may_cluster(ctx, operation) ? KafkaError::kNone : KafkaError::kClusterAuthorizationFailed;
}

// KIP-679: who may write to some topic may be an idempotent producer.
KafkaError for_idempotence(const RequestContext& ctx) {
  const AuthorizerSpec& spec = ctx.cluster.spec().security.authorizer;
  if (may_cluster(ctx, AclOperation::kIdempotentWrite)) return KafkaError::kNone;
  const bool writes = Authorizer(spec, ctx.cluster.acls())
                          .allows_some({ctx.principal, ctx.client_host}, AclOperation::kWrite,
                                       ResourceType::kTopic);
  return writes ? KafkaError::kNone : KafkaError::kClusterAuthorizationFailed;
}

// A subscription to a topic that its member may not see is refused as a whole.
template <class Heartbeat>
KafkaError for_subscription(const RequestContext& ctx, const Heartbeat& request) {
  const KafkaError error = for_group(ctx, AclOperation::kRead, request.group_id);
  if (error != KafkaError::kNone || !request.subscribed_topic_names) return error;
  const bool all = std::ranges::all_of(
      *request.subscribed_topic_names,
      [&](const std::string& topic) { return may_topic(ctx, AclOperation::kDescribe, topic); });
  return all ? KafkaError::kNone : KafkaError::kTopicAuthorizationFailed;
}

KafkaError first_of(KafkaError first, KafkaError second) {
  return first == KafkaError::kNone ? second : first;
}

}  // namespace

KafkaError denied(const RequestContext& ctx, const protocol::JoinGroupRequest& request) {
  return for_group(ctx, AclOperation::kRead, request.group_id);
}
KafkaError denied(const RequestContext& ctx, const protocol::SyncGroupRequest& request) {
  return for_group(ctx, AclOperation::kRead, request.group_id);
}
KafkaError denied(const RequestContext& ctx, const protocol::HeartbeatRequest& request) {
  return for_group(ctx, AclOperation::kRead, request.group_id);
}
KafkaError denied(const RequestContext& ctx, const protocol::LeaveGroupRequest& request) {
  return for_group(ctx, AclOperation::kRead, request.group_id);
}

KafkaError denied(const RequestContext& ctx,
                  const protocol::ConsumerGroupHeartbeatRequest& request) {
  return for_subscription(ctx, request);
}
KafkaError denied(const RequestContext& ctx, const protocol::ShareGroupHeartbeatRequest& request) {
  return for_subscription(ctx, request);
}

KafkaError denied(const RequestContext& ctx, const protocol::OffsetCommitRequest& request) {
  return for_group(ctx, AclOperation::kRead, request.group_id);
}
KafkaError denied(const RequestContext& ctx, const protocol::OffsetDeleteRequest& request) {
  return for_group(ctx, AclOperation::kDelete, request.group_id);
}

KafkaError denied(const RequestContext& ctx, const protocol::ProduceRequest& request) {
  return request.transactional_id ? for_transaction(ctx, *request.transactional_id)
                                  : KafkaError::kNone;
}
KafkaError denied(const RequestContext& ctx, const protocol::InitProducerIdRequest& request) {
  return request.transactional_id ? for_transaction(ctx, *request.transactional_id)
                                  : for_idempotence(ctx);
}
KafkaError denied(const RequestContext& ctx, const protocol::AddOffsetsToTxnRequest& request) {
  return first_of(for_transaction(ctx, request.transactional_id),
                  for_group(ctx, AclOperation::kRead, request.group_id));
}
KafkaError denied(const RequestContext& ctx, const protocol::EndTxnRequest& request) {
  return for_transaction(ctx, request.transactional_id);
}
// From v4 on it comes from brokers. What is in none of the partitions may be in no transaction.
KafkaError denied(const RequestContext& ctx, const protocol::AddPartitionsToTxnRequest& request) {
  constexpr std::int16_t kFromBrokers = 4;
  if (ctx.version() >= kFromBrokers) return for_cluster(ctx, AclOperation::kClusterAction);
  const bool all = std::ranges::all_of(request.v3_and_below_topics, [&](const auto& topic) {
    return may_topic(ctx, AclOperation::kWrite, topic.name);
  });
  return first_of(for_transaction(ctx, request.v3_and_below_transactional_id),
                  all ? KafkaError::kNone : KafkaError::kTopicAuthorizationFailed);
}
KafkaError denied(const RequestContext& ctx, const protocol::TxnOffsetCommitRequest& request) {
  return first_of(for_transaction(ctx, request.transactional_id),
                  for_group(ctx, AclOperation::kRead, request.group_id));
}

KafkaError denied(const RequestContext& ctx, const protocol::CreateAclsRequest&) {
  return for_cluster(ctx, AclOperation::kAlter);
}
KafkaError denied(const RequestContext& ctx, const protocol::DeleteAclsRequest&) {
  return for_cluster(ctx, AclOperation::kAlter);
}
KafkaError denied(const RequestContext& ctx, const protocol::DescribeAclsRequest&) {
  return for_cluster(ctx, AclOperation::kDescribe);
}
KafkaError denied(const RequestContext& ctx, const protocol::AlterUserScramCredentialsRequest&) {
  return for_cluster(ctx, AclOperation::kAlter);
}
KafkaError denied(const RequestContext& ctx, const protocol::DescribeUserScramCredentialsRequest&) {
  return for_cluster(ctx, AclOperation::kDescribe);
}
KafkaError denied(const RequestContext& ctx, const protocol::AlterClientQuotasRequest&) {
  return for_cluster(ctx, AclOperation::kAlterConfigs);
}
KafkaError denied(const RequestContext& ctx, const protocol::DescribeClientQuotasRequest&) {
  return for_cluster(ctx, AclOperation::kDescribeConfigs);
}
KafkaError denied(const RequestContext& ctx, const protocol::WriteTxnMarkersRequest&) {
  return may_cluster(ctx, AclOperation::kAlter) ? KafkaError::kNone
                                                : for_cluster(ctx, AclOperation::kClusterAction);
}
KafkaError denied(const RequestContext& ctx, const protocol::UpdateFeaturesRequest&) {
  return for_cluster(ctx, AclOperation::kAlter);
}
KafkaError denied(const RequestContext& ctx, const protocol::AlterPartitionReassignmentsRequest&) {
  return for_cluster(ctx, AclOperation::kAlter);
}
KafkaError denied(const RequestContext& ctx, const protocol::ElectLeadersRequest&) {
  return for_cluster(ctx, AclOperation::kAlter);
}
KafkaError denied(const RequestContext& ctx, const protocol::AlterReplicaLogDirsRequest&) {
  return for_cluster(ctx, AclOperation::kAlter);
}
KafkaError denied(const RequestContext& ctx, const protocol::ListConfigResourcesRequest&) {
  return for_cluster(ctx, AclOperation::kDescribeConfigs);
}
KafkaError denied(const RequestContext& ctx, const protocol::ListPartitionReassignmentsRequest&) {
  return for_cluster(ctx, AclOperation::kDescribe);
}
KafkaError denied(const RequestContext& ctx, const protocol::UnregisterBrokerRequest&) {
  return for_cluster(ctx, AclOperation::kAlter);
}

KafkaError denied_configs(const RequestContext& ctx, AclOperation operation,
                          std::int8_t resource_type, std::string_view name) {
  switch (static_cast<ConfigResource>(resource_type)) {
    case ConfigResource::kTopic:
      return may_topic(ctx, operation, name) ? KafkaError::kNone
                                             : KafkaError::kTopicAuthorizationFailed;
    case ConfigResource::kGroup:
      return for_group(ctx, operation, name);
    case ConfigResource::kBroker:
    case ConfigResource::kClientMetrics:
      return for_cluster(ctx, operation);
    default:
      return KafkaError::kNone;
  }
}

}  // namespace ktrial::fakebroker
