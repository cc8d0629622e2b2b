// SPDX-License-Identifier: Apache-2.0
// Versions are Kafka 4.4's.
#include "fakebroker/handlers/registry.h"

#include "fakebroker/handlers/handlers.h"
#include "fakebroker/handlers/refusals.h"
#include "protocol/messages/add_offsets_to_txn_request.h"
#include "protocol/messages/add_offsets_to_txn_response.h"
#include "protocol/messages/add_partitions_to_txn_request.h"
#include "protocol/messages/alter_client_quotas_request.h"
#include "protocol/messages/alter_configs_request.h"
#include "protocol/messages/alter_partition_reassignments_request.h"
#include "protocol/messages/alter_replica_log_dirs_request.h"
#include "protocol/messages/alter_share_group_offsets_request.h"
#include "protocol/messages/alter_share_group_offsets_response.h"
#include "protocol/messages/alter_user_scram_credentials_request.h"
#include "protocol/messages/api_versions_request.h"
#include "protocol/messages/consumer_group_describe_request.h"
#include "protocol/messages/consumer_group_heartbeat_request.h"
#include "protocol/messages/consumer_group_heartbeat_response.h"
#include "protocol/messages/create_acls_request.h"
#include "protocol/messages/create_partitions_request.h"
#include "protocol/messages/create_topics_request.h"
#include "protocol/messages/delete_acls_request.h"
#include "protocol/messages/delete_groups_request.h"
#include "protocol/messages/delete_records_request.h"
#include "protocol/messages/delete_share_group_offsets_request.h"
#include "protocol/messages/delete_share_group_offsets_response.h"
#include "protocol/messages/delete_topics_request.h"
#include "protocol/messages/describe_acls_request.h"
#include "protocol/messages/describe_client_quotas_request.h"
#include "protocol/messages/describe_cluster_request.h"
#include "protocol/messages/describe_configs_request.h"
#include "protocol/messages/describe_groups_request.h"
#include "protocol/messages/describe_log_dirs_request.h"
#include "protocol/messages/describe_producers_request.h"
#include "protocol/messages/describe_quorum_request.h"
#include "protocol/messages/describe_share_group_offsets_request.h"
#include "protocol/messages/describe_topic_partitions_request.h"
#include "protocol/messages/describe_transactions_request.h"
#include "protocol/messages/describe_user_scram_credentials_request.h"
#include "protocol/messages/elect_leaders_request.h"
#include "protocol/messages/end_txn_request.h"
#include "protocol/messages/end_txn_response.h"
#include "protocol/messages/fetch_request.h"
#include "protocol/messages/find_coordinator_request.h"
#include "protocol/messages/get_telemetry_subscriptions_request.h"
#include "protocol/messages/get_telemetry_subscriptions_response.h"
#include "protocol/messages/heartbeat_request.h"
#include "protocol/messages/heartbeat_response.h"
#include "protocol/messages/incremental_alter_configs_request.h"
#include "protocol/messages/init_producer_id_request.h"
#include "protocol/messages/init_producer_id_response.h"
#include "protocol/messages/join_group_request.h"
#include "protocol/messages/join_group_response.h"
#include "protocol/messages/leave_group_request.h"
#include "protocol/messages/leave_group_response.h"
#include "protocol/messages/list_config_resources_request.h"
#include "protocol/messages/list_config_resources_response.h"
#include "protocol/messages/list_groups_request.h"
#include "protocol/messages/list_offsets_request.h"
#include "protocol/messages/list_partition_reassignments_request.h"
#include "protocol/messages/list_partition_reassignments_response.h"
#include "protocol/messages/list_transactions_request.h"
#include "protocol/messages/metadata_request.h"
#include "protocol/messages/offset_commit_request.h"
#include "protocol/messages/offset_delete_request.h"
#include "protocol/messages/offset_fetch_request.h"
#include "protocol/messages/offset_for_leader_epoch_request.h"
#include "protocol/messages/produce_request.h"
#include "protocol/messages/push_telemetry_request.h"
#include "protocol/messages/push_telemetry_response.h"
#include "protocol/messages/sasl_authenticate_request.h"
#include "protocol/messages/sasl_authenticate_response.h"
#include "protocol/messages/sasl_handshake_request.h"
#include "protocol/messages/sasl_handshake_response.h"
#include "protocol/messages/share_acknowledge_request.h"
#include "protocol/messages/share_fetch_request.h"
#include "protocol/messages/share_group_describe_request.h"
#include "protocol/messages/share_group_heartbeat_request.h"
#include "protocol/messages/share_group_heartbeat_response.h"
#include "protocol/messages/sync_group_request.h"
#include "protocol/messages/sync_group_response.h"
#include "protocol/messages/txn_offset_commit_request.h"
#include "protocol/messages/unregister_broker_request.h"
#include "protocol/messages/unregister_broker_response.h"
#include "protocol/messages/update_features_request.h"
#include "protocol/messages/update_features_response.h"
#include "protocol/messages/write_txn_markers_request.h"

#include <algorithm>
#include <array>

namespace ktrial::fakebroker {
namespace {

using namespace protocol;

// For APIs that only read: the usual answer with the error written over it.
template <class Request, HandleFunction<Request> kHandle>
Reply overwrite(RequestContext& ctx, const Request& request, std::int16_t error) {
  Reply reply = kHandle(ctx, request);
  reply.message().set_errors(error, ctx.version());
  return reply;
}

// For APIs whose only error is the top-level one: an empty answer.
template <class Request, class Response>
Reply empty(RequestContext& ctx, const Request&, std::int16_t error) {
  Response response;
  set_error_codes(response, error, ctx.version());
  return response;
}

template <class Request, HandleFunction<Request> kHandle, RefuseFunction<Request> kRefuse>
constexpr ApiRow row(std::int16_t min, std::int16_t max) {
  return {Request::kApiKey,
          min,
          min,
          max,
          ApiCondition::kNone,
          &TypedRequest<Request, kHandle, kRefuse>::decode};
}

template <class Request, HandleFunction<Request> kHandle>
constexpr ApiRow reading(std::int16_t min, std::int16_t max) {
  return row<Request, kHandle, &overwrite<Request, kHandle>>(min, max);
}

template <class Request, class Response, HandleFunction<Request> kHandle>
constexpr ApiRow plain(std::int16_t min, std::int16_t max) {
  return row<Request, kHandle, &empty<Request, Response>>(min, max);
}

// KAFKA-18659: librdkafka before 2.11.1 sends without compression unless Produce v0 is offered.
constexpr ApiRow advertised_from_zero(ApiRow of) {
  of.advertised_min = 0;
  return of;
}
constexpr ApiRow with_consumer_groups(ApiRow of) {
  of.condition = ApiCondition::kConsumerGroups;
  return of;
}
constexpr ApiRow with_share_groups(ApiRow of) {
  of.condition = ApiCondition::kShareGroups;
  return of;
}
constexpr ApiRow with_telemetry(ApiRow of) {
  of.condition = ApiCondition::kTelemetry;
  return of;
}

constexpr auto kRows = std::to_array<ApiRow>({
    advertised_from_zero(row<ProduceRequest, &produce, &refuse_produce>(3, 13)),
    row<FetchRequest, &fetch, &refuse_fetch>(4, 18),
    reading<ListOffsetsRequest, &list_offsets>(1, 11),
    row<MetadataRequest, &metadata, &refuse_metadata>(0, 13),
    row<OffsetCommitRequest, &offset_commit, &refuse_offset_commit>(2, 10),
    reading<OffsetFetchRequest, &offset_fetch>(1, 10),
    row<FindCoordinatorRequest, &find_coordinator, &refuse_find_coordinator>(0, 6),
    plain<JoinGroupRequest, JoinGroupResponse, &join_group>(0, 9),
    plain<HeartbeatRequest, HeartbeatResponse, &heartbeat>(0, 4),
    plain<LeaveGroupRequest, LeaveGroupResponse, &leave_group>(0, 5),
    plain<SyncGroupRequest, SyncGroupResponse, &sync_group>(0, 5),
    reading<DescribeGroupsRequest, &describe_groups>(0, 6),
    reading<ListGroupsRequest, &list_groups>(0, 5),
    plain<SaslHandshakeRequest, SaslHandshakeResponse, &sasl_handshake>(0, 1),
    row<ApiVersionsRequest, &api_versions, &refuse_api_versions>(0, 5),
    row<CreateTopicsRequest, &create_topics, &refuse_create_topics>(2, 7),
    row<DeleteTopicsRequest, &delete_topics, &refuse_delete_topics>(1, 6),
    row<DeleteRecordsRequest, &delete_records, &refuse_delete_records>(0, 2),
    plain<InitProducerIdRequest, InitProducerIdResponse, &init_producer_id>(0, 5),
    reading<OffsetForLeaderEpochRequest, &offset_for_leader_epoch>(2, 4),
    row<AddPartitionsToTxnRequest, &add_partitions_to_txn, &refuse_add_partitions_to_txn>(0, 5),
    plain<AddOffsetsToTxnRequest, AddOffsetsToTxnResponse, &add_offsets_to_txn>(0, 4),
    plain<EndTxnRequest, EndTxnResponse, &end_txn>(0, 5),
    row<WriteTxnMarkersRequest, &write_txn_markers, &refuse_write_txn_markers>(1, 2),
    row<TxnOffsetCommitRequest, &txn_offset_commit, &refuse_txn_offset_commit>(0, 6),
    row<DescribeAclsRequest, &describe_acls, &refuse_describe_acls>(1, 3),
    row<CreateAclsRequest, &create_acls, &refuse_create_acls>(1, 3),
    row<DeleteAclsRequest, &delete_acls, &refuse_delete_acls>(1, 3),
    reading<DescribeConfigsRequest, &describe_configs>(1, 4),
    row<AlterConfigsRequest, &alter_configs, &refuse_alter_configs>(0, 2),
    row<AlterReplicaLogDirsRequest, &alter_replica_log_dirs, &refuse_alter_replica_log_dirs>(1, 2),
    reading<DescribeLogDirsRequest, &describe_log_dirs>(1, 5),
    plain<SaslAuthenticateRequest, SaslAuthenticateResponse, &sasl_authenticate>(0, 2),
    row<CreatePartitionsRequest, &create_partitions, &refuse_create_partitions>(0, 3),
    row<DeleteGroupsRequest, &delete_groups, &refuse_delete_groups>(0, 3),
    row<ElectLeadersRequest, &elect_leaders, &refuse_elect_leaders>(0, 2),
    row<IncrementalAlterConfigsRequest, &incremental_alter_configs,
        &refuse_incremental_alter_configs>(0, 1),
    row<AlterPartitionReassignmentsRequest, &alter_partition_reassignments,
        &refuse_alter_partition_reassignments>(0, 1),
    plain<ListPartitionReassignmentsRequest, ListPartitionReassignmentsResponse,
          &list_partition_reassignments>(0, 0),
    row<OffsetDeleteRequest, &offset_delete, &refuse_offset_delete>(0, 0),
    row<DescribeClientQuotasRequest, &describe_client_quotas, &refuse_describe_client_quotas>(0, 1),
    row<AlterClientQuotasRequest, &alter_client_quotas, &refuse_alter_client_quotas>(0, 1),
    row<DescribeUserScramCredentialsRequest, &describe_user_scram_credentials,
        &refuse_describe_user_scram_credentials>(0, 0),
    row<AlterUserScramCredentialsRequest, &alter_user_scram_credentials,
        &refuse_alter_user_scram_credentials>(0, 0),
    reading<DescribeQuorumRequest, &describe_quorum>(0, 2),
    plain<UpdateFeaturesRequest, UpdateFeaturesResponse, &update_features>(0, 2),
    reading<DescribeClusterRequest, &describe_cluster>(0, 2),
    reading<DescribeProducersRequest, &describe_producers>(0, 0),
    plain<UnregisterBrokerRequest, UnregisterBrokerResponse, &unregister_broker>(0, 0),
    reading<DescribeTransactionsRequest, &describe_transactions>(0, 0),
    reading<ListTransactionsRequest, &list_transactions>(0, 2),
    with_consumer_groups(plain<ConsumerGroupHeartbeatRequest, ConsumerGroupHeartbeatResponse,
                               &consumer_group_heartbeat>(0, 1)),
    with_consumer_groups(reading<ConsumerGroupDescribeRequest, &consumer_group_describe>(0, 1)),
    with_telemetry(plain<GetTelemetrySubscriptionsRequest, GetTelemetrySubscriptionsResponse,
                         &get_telemetry_subscriptions>(0, 0)),
    with_telemetry(plain<PushTelemetryRequest, PushTelemetryResponse, &push_telemetry>(0, 0)),
    plain<ListConfigResourcesRequest, ListConfigResourcesResponse, &list_config_resources>(0, 1),
    reading<DescribeTopicPartitionsRequest, &describe_topic_partitions>(0, 0),
    with_share_groups(
        plain<ShareGroupHeartbeatRequest, ShareGroupHeartbeatResponse, &share_group_heartbeat>(1,
                                                                                               1)),
    with_share_groups(reading<ShareGroupDescribeRequest, &share_group_describe>(1, 1)),
    with_share_groups(row<ShareFetchRequest, &share_fetch, &refuse_share_fetch>(1, 2)),
    with_share_groups(
        row<ShareAcknowledgeRequest, &share_acknowledge, &refuse_share_acknowledge>(1, 2)),
    with_share_groups(
        reading<DescribeShareGroupOffsetsRequest, &describe_share_group_offsets>(0, 1)),
    with_share_groups(plain<AlterShareGroupOffsetsRequest, AlterShareGroupOffsetsResponse,
                            &alter_share_group_offsets>(0, 0)),
    with_share_groups(plain<DeleteShareGroupOffsetsRequest, DeleteShareGroupOffsetsResponse,
                            &delete_share_group_offsets>(0, 0)),
});

}  // namespace

std::span<const ApiRow> registry() { return kRows; }

bool is_offered(const ApiRow& row, const ClusterSpec& spec) {
  switch (row.condition) {
    case ApiCondition::kConsumerGroups:
      return spec.consumer_groups;
    case ApiCondition::kShareGroups:
      return spec.share_groups;
    case ApiCondition::kTelemetry:
      return spec.telemetry;
    default:
      return true;
  }
}

const ApiRow* find_row(std::int16_t key) {
  const auto found =
      std::find_if(kRows.begin(), kRows.end(), [key](const ApiRow& row) { return row.key == key; });
  return found == kRows.end() ? nullptr : &*found;
}

}  // namespace ktrial::fakebroker
