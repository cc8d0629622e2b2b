// SPDX-License-Identifier: Apache-2.0
// Refusals: how each API answers when a rule gives it an error: the shape of its normal answer, the
// code in every place where Kafka has one, and nothing applied. APIs that only have a top-level
// error need none; those that only read are answered as usual and overwritten (registry.cc).
#pragma once

#include "fakebroker/handlers/handlers.h"

#include <cstdint>

namespace ktrial::fakebroker {

Reply refuse_api_versions(RequestContext& ctx, const protocol::ApiVersionsRequest& request,
                          std::int16_t error);
Reply refuse_produce(RequestContext& ctx, const protocol::ProduceRequest& request,
                     std::int16_t error);
Reply refuse_fetch(RequestContext& ctx, const protocol::FetchRequest& request, std::int16_t error);
Reply refuse_metadata(RequestContext& ctx, const protocol::MetadataRequest& request,
                      std::int16_t error);
Reply refuse_create_topics(RequestContext& ctx, const protocol::CreateTopicsRequest& request,
                           std::int16_t error);
Reply refuse_delete_topics(RequestContext& ctx, const protocol::DeleteTopicsRequest& request,
                           std::int16_t error);
Reply refuse_create_partitions(RequestContext& ctx,
                               const protocol::CreatePartitionsRequest& request,
                               std::int16_t error);
Reply refuse_find_coordinator(RequestContext& ctx, const protocol::FindCoordinatorRequest& request,
                              std::int16_t error);
Reply refuse_offset_commit(RequestContext& ctx, const protocol::OffsetCommitRequest& request,
                           std::int16_t error);
Reply refuse_offset_delete(RequestContext& ctx, const protocol::OffsetDeleteRequest& request,
                           std::int16_t error);
Reply refuse_delete_groups(RequestContext& ctx, const protocol::DeleteGroupsRequest& request,
                           std::int16_t error);
Reply refuse_add_partitions_to_txn(RequestContext& ctx,
                                   const protocol::AddPartitionsToTxnRequest& request,
                                   std::int16_t error);
Reply refuse_txn_offset_commit(RequestContext& ctx, const protocol::TxnOffsetCommitRequest& request,
                               std::int16_t error);
Reply refuse_write_txn_markers(RequestContext& ctx, const protocol::WriteTxnMarkersRequest& request,
                               std::int16_t error);
Reply refuse_delete_records(RequestContext& ctx, const protocol::DeleteRecordsRequest& request,
                            std::int16_t error);
Reply refuse_alter_configs(RequestContext& ctx, const protocol::AlterConfigsRequest& request,
                           std::int16_t error);
Reply refuse_incremental_alter_configs(RequestContext& ctx,
                                       const protocol::IncrementalAlterConfigsRequest& request,
                                       std::int16_t error);
Reply refuse_elect_leaders(RequestContext& ctx, const protocol::ElectLeadersRequest& request,
                           std::int16_t error);
Reply refuse_alter_partition_reassignments(
    RequestContext& ctx, const protocol::AlterPartitionReassignmentsRequest& request,
    std::int16_t error);
Reply refuse_alter_replica_log_dirs(RequestContext& ctx,
                                    const protocol::AlterReplicaLogDirsRequest& request,
                                    std::int16_t error);
Reply refuse_describe_client_quotas(RequestContext& ctx,
                                    const protocol::DescribeClientQuotasRequest& request,
                                    std::int16_t error);
Reply refuse_describe_user_scram_credentials(
    RequestContext& ctx, const protocol::DescribeUserScramCredentialsRequest& request,
    std::int16_t error);
Reply refuse_alter_client_quotas(RequestContext& ctx,
                                 const protocol::AlterClientQuotasRequest& request,
                                 std::int16_t error);
Reply refuse_alter_user_scram_credentials(RequestContext& ctx,
                                          const protocol::AlterUserScramCredentialsRequest& request,
                                          std::int16_t error);
Reply refuse_describe_acls(RequestContext& ctx, const protocol::DescribeAclsRequest& request,
                           std::int16_t error);
Reply refuse_create_acls(RequestContext& ctx, const protocol::CreateAclsRequest& request,
                         std::int16_t error);
Reply refuse_delete_acls(RequestContext& ctx, const protocol::DeleteAclsRequest& request,
                         std::int16_t error);
Reply refuse_share_fetch(RequestContext& ctx, const protocol::ShareFetchRequest& request,
                         std::int16_t error);
Reply refuse_share_acknowledge(RequestContext& ctx,
                               const protocol::ShareAcknowledgeRequest& request,
                               std::int16_t error);

}  // namespace ktrial::fakebroker
