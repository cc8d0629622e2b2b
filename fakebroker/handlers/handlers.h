// SPDX-License-Identifier: Apache-2.0
// Every handler: one function per API, in the file of its name. registry.cc says in which versions.
#pragma once

#include "fakebroker/reply.h"

#include <string_view>

namespace ktrial::protocol {
struct AddOffsetsToTxnRequest;
struct AddPartitionsToTxnRequest;
struct AlterClientQuotasRequest;
struct AlterConfigsRequest;
struct AlterPartitionReassignmentsRequest;
struct AlterReplicaLogDirsRequest;
struct AlterShareGroupOffsetsRequest;
struct AlterUserScramCredentialsRequest;
struct ApiVersionsRequest;
struct ConsumerGroupDescribeRequest;
struct ConsumerGroupHeartbeatRequest;
struct CreateAclsRequest;
struct CreatePartitionsRequest;
struct CreateTopicsRequest;
struct DeleteAclsRequest;
struct DeleteGroupsRequest;
struct DeleteRecordsRequest;
struct DeleteShareGroupOffsetsRequest;
struct DeleteTopicsRequest;
struct DescribeAclsRequest;
struct DescribeClientQuotasRequest;
struct DescribeClusterRequest;
struct DescribeConfigsRequest;
struct DescribeGroupsRequest;
struct DescribeLogDirsRequest;
struct DescribeProducersRequest;
struct DescribeQuorumRequest;
struct DescribeShareGroupOffsetsRequest;
struct DescribeTopicPartitionsRequest;
struct DescribeTransactionsRequest;
struct DescribeUserScramCredentialsRequest;
struct ElectLeadersRequest;
struct EndTxnRequest;
struct FetchRequest;
struct FindCoordinatorRequest;
struct GetTelemetrySubscriptionsRequest;
struct HeartbeatRequest;
struct IncrementalAlterConfigsRequest;
struct InitProducerIdRequest;
struct JoinGroupRequest;
struct LeaveGroupRequest;
struct ListConfigResourcesRequest;
struct ListGroupsRequest;
struct ListOffsetsRequest;
struct ListPartitionReassignmentsRequest;
struct ListTransactionsRequest;
struct MetadataRequest;
struct OffsetCommitRequest;
struct OffsetDeleteRequest;
struct OffsetFetchRequest;
struct OffsetForLeaderEpochRequest;
struct ProduceRequest;
struct PushTelemetryRequest;
struct SaslAuthenticateRequest;
struct SaslHandshakeRequest;
struct ShareAcknowledgeRequest;
struct ShareFetchRequest;
struct ShareGroupDescribeRequest;
struct ShareGroupHeartbeatRequest;
struct SyncGroupRequest;
struct TxnOffsetCommitRequest;
struct UnregisterBrokerRequest;
struct UpdateFeaturesRequest;
struct WriteTxnMarkersRequest;
}  // namespace ktrial::protocol

namespace ktrial::fakebroker {

class ClusterState;
class Release;
struct RequestContext;
struct RuleMatch;

// Connection set-up
Reply api_versions(RequestContext& ctx, const protocol::ApiVersionsRequest& request);
// What a version that the broker does not know is answered with, its body unread.
Reply api_versions_unsupported(const Release* release);
Reply sasl_handshake(RequestContext& ctx, const protocol::SaslHandshakeRequest& request);
Reply sasl_authenticate(RequestContext& ctx, const protocol::SaslAuthenticateRequest& request);

// Data
Reply produce(RequestContext& ctx, const protocol::ProduceRequest& request);
Reply fetch(RequestContext& ctx, const protocol::FetchRequest& request);
// Whether the session that an incremental fetch goes on with has the topic (and partition) of a
// rule.
bool session_fetches(ClusterState& cluster, int broker, const protocol::FetchRequest& request,
                     const RuleMatch& match);
Reply list_offsets(RequestContext& ctx, const protocol::ListOffsetsRequest& request);
Reply offset_for_leader_epoch(RequestContext& ctx,
                              const protocol::OffsetForLeaderEpochRequest& request);
Reply init_producer_id(RequestContext& ctx, const protocol::InitProducerIdRequest& request);

// Transactions
Reply add_partitions_to_txn(RequestContext& ctx,
                            const protocol::AddPartitionsToTxnRequest& request);
Reply add_offsets_to_txn(RequestContext& ctx, const protocol::AddOffsetsToTxnRequest& request);
Reply end_txn(RequestContext& ctx, const protocol::EndTxnRequest& request);
Reply txn_offset_commit(RequestContext& ctx, const protocol::TxnOffsetCommitRequest& request);
Reply write_txn_markers(RequestContext& ctx, const protocol::WriteTxnMarkersRequest& request);
Reply describe_transactions(RequestContext& ctx,
                            const protocol::DescribeTransactionsRequest& request);
Reply list_transactions(RequestContext& ctx, const protocol::ListTransactionsRequest& request);
Reply describe_producers(RequestContext& ctx, const protocol::DescribeProducersRequest& request);

// Cluster and admin
Reply metadata(RequestContext& ctx, const protocol::MetadataRequest& request);
Reply describe_cluster(RequestContext& ctx, const protocol::DescribeClusterRequest& request);
Reply describe_topic_partitions(RequestContext& ctx,
                                const protocol::DescribeTopicPartitionsRequest& request);
Reply create_topics(RequestContext& ctx, const protocol::CreateTopicsRequest& request);
Reply delete_topics(RequestContext& ctx, const protocol::DeleteTopicsRequest& request);
Reply create_partitions(RequestContext& ctx, const protocol::CreatePartitionsRequest& request);
Reply describe_configs(RequestContext& ctx, const protocol::DescribeConfigsRequest& request);

// Groups
Reply find_coordinator(RequestContext& ctx, const protocol::FindCoordinatorRequest& request);
Reply join_group(RequestContext& ctx, const protocol::JoinGroupRequest& request);
Reply sync_group(RequestContext& ctx, const protocol::SyncGroupRequest& request);
Reply heartbeat(RequestContext& ctx, const protocol::HeartbeatRequest& request);
Reply leave_group(RequestContext& ctx, const protocol::LeaveGroupRequest& request);
Reply offset_commit(RequestContext& ctx, const protocol::OffsetCommitRequest& request);
Reply offset_fetch(RequestContext& ctx, const protocol::OffsetFetchRequest& request);
Reply offset_delete(RequestContext& ctx, const protocol::OffsetDeleteRequest& request);
Reply describe_groups(RequestContext& ctx, const protocol::DescribeGroupsRequest& request);
Reply list_groups(RequestContext& ctx, const protocol::ListGroupsRequest& request);
Reply delete_groups(RequestContext& ctx, const protocol::DeleteGroupsRequest& request);
Reply consumer_group_heartbeat(RequestContext& ctx,
                               const protocol::ConsumerGroupHeartbeatRequest& request);
Reply consumer_group_describe(RequestContext& ctx,
                              const protocol::ConsumerGroupDescribeRequest& request);

// Configs and records
Reply delete_records(RequestContext& ctx, const protocol::DeleteRecordsRequest& request);
Reply alter_configs(RequestContext& ctx, const protocol::AlterConfigsRequest& request);
Reply incremental_alter_configs(RequestContext& ctx,
                                const protocol::IncrementalAlterConfigsRequest& request);
Reply list_config_resources(RequestContext& ctx,
                            const protocol::ListConfigResourcesRequest& request);

// Replicas
Reply elect_leaders(RequestContext& ctx, const protocol::ElectLeadersRequest& request);
Reply alter_partition_reassignments(RequestContext& ctx,
                                    const protocol::AlterPartitionReassignmentsRequest& request);
Reply list_partition_reassignments(RequestContext& ctx,
                                   const protocol::ListPartitionReassignmentsRequest& request);
Reply describe_log_dirs(RequestContext& ctx, const protocol::DescribeLogDirsRequest& request);
Reply alter_replica_log_dirs(RequestContext& ctx,
                             const protocol::AlterReplicaLogDirsRequest& request);

// Quotas and credentials
Reply describe_client_quotas(RequestContext& ctx,
                             const protocol::DescribeClientQuotasRequest& request);
Reply alter_client_quotas(RequestContext& ctx, const protocol::AlterClientQuotasRequest& request);
Reply describe_user_scram_credentials(RequestContext& ctx,
                                      const protocol::DescribeUserScramCredentialsRequest& request);
Reply alter_user_scram_credentials(RequestContext& ctx,
                                   const protocol::AlterUserScramCredentialsRequest& request);

// Controllers
Reply update_features(RequestContext& ctx, const protocol::UpdateFeaturesRequest& request);
Reply describe_quorum(RequestContext& ctx, const protocol::DescribeQuorumRequest& request);
Reply unregister_broker(RequestContext& ctx, const protocol::UnregisterBrokerRequest& request);

// ACLs
Reply describe_acls(RequestContext& ctx, const protocol::DescribeAclsRequest& request);
Reply create_acls(RequestContext& ctx, const protocol::CreateAclsRequest& request);
Reply delete_acls(RequestContext& ctx, const protocol::DeleteAclsRequest& request);

// Client metrics
Reply get_telemetry_subscriptions(RequestContext& ctx,
                                  const protocol::GetTelemetrySubscriptionsRequest& request);
Reply push_telemetry(RequestContext& ctx, const protocol::PushTelemetryRequest& request);

// Share groups
Reply share_group_heartbeat(RequestContext& ctx,
                            const protocol::ShareGroupHeartbeatRequest& request);
Reply share_group_describe(RequestContext& ctx, const protocol::ShareGroupDescribeRequest& request);
Reply share_fetch(RequestContext& ctx, const protocol::ShareFetchRequest& request);
Reply share_acknowledge(RequestContext& ctx, const protocol::ShareAcknowledgeRequest& request);
Reply describe_share_group_offsets(RequestContext& ctx,
                                   const protocol::DescribeShareGroupOffsetsRequest& request);
Reply alter_share_group_offsets(RequestContext& ctx,
                                const protocol::AlterShareGroupOffsetsRequest& request);
Reply delete_share_group_offsets(RequestContext& ctx,
                                 const protocol::DeleteShareGroupOffsetsRequest& request);

}  // namespace ktrial::fakebroker
