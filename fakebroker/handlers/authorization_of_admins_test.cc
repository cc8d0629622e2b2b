// SPDX-License-Identifier: Apache-2.0
// End to end: administration, describing and share groups by a user without the ACLs for it.
#include "fakebroker/handlers/authorization_for_test.h"
#include "protocol/messages/alter_configs_request.h"
#include "protocol/messages/alter_configs_response.h"
#include "protocol/messages/alter_replica_log_dirs_request.h"
#include "protocol/messages/alter_replica_log_dirs_response.h"
#include "protocol/messages/alter_share_group_offsets_request.h"
#include "protocol/messages/alter_share_group_offsets_response.h"
#include "protocol/messages/alter_user_scram_credentials_request.h"
#include "protocol/messages/alter_user_scram_credentials_response.h"
#include "protocol/messages/consumer_group_describe_request.h"
#include "protocol/messages/consumer_group_describe_response.h"
#include "protocol/messages/consumer_group_heartbeat_request.h"
#include "protocol/messages/consumer_group_heartbeat_response.h"
#include "protocol/messages/delete_share_group_offsets_request.h"
#include "protocol/messages/delete_share_group_offsets_response.h"
#include "protocol/messages/describe_configs_request.h"
#include "protocol/messages/describe_configs_response.h"
#include "protocol/messages/describe_log_dirs_request.h"
#include "protocol/messages/describe_log_dirs_response.h"
#include "protocol/messages/describe_producers_request.h"
#include "protocol/messages/describe_producers_response.h"
#include "protocol/messages/describe_quorum_request.h"
#include "protocol/messages/describe_quorum_response.h"
#include "protocol/messages/describe_share_group_offsets_request.h"
#include "protocol/messages/describe_share_group_offsets_response.h"
#include "protocol/messages/describe_topic_partitions_request.h"
#include "protocol/messages/describe_topic_partitions_response.h"
#include "protocol/messages/describe_transactions_request.h"
#include "protocol/messages/describe_transactions_response.h"
#include "protocol/messages/describe_user_scram_credentials_request.h"
#include "protocol/messages/describe_user_scram_credentials_response.h"
#include "protocol/messages/incremental_alter_configs_request.h"
#include "protocol/messages/incremental_alter_configs_response.h"
#include "protocol/messages/init_producer_id_request.h"
#include "protocol/messages/init_producer_id_response.h"
#include "protocol/messages/list_config_resources_request.h"
#include "protocol/messages/list_config_resources_response.h"
#include "protocol/messages/list_partition_reassignments_request.h"
#include "protocol/messages/list_partition_reassignments_response.h"
#include "protocol/messages/list_transactions_request.h"
#include "protocol/messages/list_transactions_response.h"
#include "protocol/messages/offset_for_leader_epoch_request.h"
#include "protocol/messages/offset_for_leader_epoch_response.h"
#include "protocol/messages/share_acknowledge_request.h"
#include "protocol/messages/share_acknowledge_response.h"
#include "protocol/messages/share_fetch_request.h"
#include "protocol/messages/share_fetch_response.h"
#include "protocol/messages/share_group_describe_request.h"
#include "protocol/messages/share_group_describe_response.h"
#include "protocol/messages/share_group_heartbeat_request.h"
#include "protocol/messages/share_group_heartbeat_response.h"
#include "protocol/messages/unregister_broker_request.h"
#include "protocol/messages/unregister_broker_response.h"
#include "protocol/messages/write_txn_markers_request.h"
#include "protocol/messages/write_txn_markers_response.h"

namespace ktrial::fakebroker {
namespace {

using namespace protocol;  // NOLINT: this file is little else than messages

constexpr std::int16_t kNoTopic = code(KafkaError::kTopicAuthorizationFailed);
constexpr std::int16_t kNoGroup = code(KafkaError::kGroupAuthorizationFailed);
constexpr std::int16_t kNoCluster = code(KafkaError::kClusterAuthorizationFailed);
constexpr std::string_view kMember = "member";

struct AuthorizationOfAdminsTest : GuardedTest {
  bool allow_cluster(AclOperation operation) {
    return allow(ResourceType::kCluster, "kafka-cluster", operation) == 0;
  }
  // Of resource type, name.
  DescribeConfigsResponse configs(std::vector<std::pair<std::int8_t, std::string>> of) {
    DescribeConfigsRequest request;
    for (auto& [type, name] : of) {
      auto& resource = request.resources.emplace_back();
      resource.resource_type = type;
      resource.resource_name = std::move(name);
      resource.configuration_keys = std::nullopt;
    }
    return alice.call<DescribeConfigsResponse>(request, 4);
  }
  std::int16_t set_config(std::int8_t type, const std::string& name, const std::string& key,
                          const std::string& value) {
    IncrementalAlterConfigsRequest request;
    auto& resource = request.resources.emplace_back();
    resource.resource_type = type;
    resource.resource_name = name;
    auto& config = resource.configs.emplace_back();
    config.name = key;
    config.value = value;
    return alice.call<IncrementalAlterConfigsResponse>(request, 1).responses.at(0).error_code;
  }
};

constexpr std::int8_t kTopicConfigs = 2;
constexpr std::int8_t kBrokerConfigs = 4;
constexpr std::int8_t kClientMetricsConfigs = 16;
constexpr std::int8_t kGroupConfigs = 32;

TEST_F(AuthorizationOfAdminsTest, ConfigsAreShownToWhoMaySeeThem) {
  ASSERT_EQ(allow(ResourceType::kTopic, "t", AclOperation::kDescribeConfigs), 0);
  const auto shown = configs({{kBrokerConfigs, "1"},
                              {kTopicConfigs, "hidden"},
                              {kTopicConfigs, "t"},
                              {kGroupConfigs, "g"},
                              {kClientMetricsConfigs, "m"}});
  std::vector<std::int16_t> errors;
  for (const auto& result : shown.results) errors.push_back(result.error_code);
  EXPECT_EQ(errors, (std::vector<std::int16_t>{0, kNoCluster, kNoTopic, kNoGroup, kNoCluster}));
  EXPECT_EQ(shown.results.at(0).resource_name, "t");
  EXPECT_FALSE(shown.results.at(0).configs.empty());
  EXPECT_TRUE(shown.results.at(1).configs.empty());
  EXPECT_EQ(shown.results.at(1).error_message, "Cluster authorization failed.");
  EXPECT_EQ(shown.results.at(2).error_message, "Topic authorization failed.");
  ASSERT_TRUE(allow_cluster(AclOperation::kDescribeConfigs));
  EXPECT_EQ(configs({{kBrokerConfigs, "1"}}).results.at(0).error_code, 0);
}

TEST_F(AuthorizationOfAdminsTest, ConfigsAreChangedByWhoMay) {
  const auto of_topic = [&] { return set_config(kTopicConfigs, "t", "retention.ms", "1000"); };
  const auto of_broker = [&] { return set_config(kBrokerConfigs, "", "log.retention.ms", "1000"); };
  const auto of_group = [&] {
    return set_config(kGroupConfigs, "g", "consumer.session.timeout.ms", "50000");
  };
  EXPECT_EQ(of_topic(), kNoTopic);
  EXPECT_EQ(of_broker(), kNoCluster);
  EXPECT_EQ(of_group(), kNoGroup);
  AlterConfigsRequest whole;
  auto& resource = whole.resources.emplace_back();
  resource.resource_type = kTopicConfigs;
  resource.resource_name = "t";
  EXPECT_EQ(alice.call<AlterConfigsResponse>(whole, 2).responses.at(0).error_code, kNoTopic);
  EXPECT_TRUE(cluster->topics().at(1).configs.empty());
  ASSERT_EQ(allow(ResourceType::kTopic, "t", AclOperation::kAlterConfigs), 0);
  ASSERT_EQ(allow(ResourceType::kGroup, "g", AclOperation::kAlterConfigs), 0);
  ASSERT_TRUE(allow_cluster(AclOperation::kAlterConfigs));
  EXPECT_EQ(of_topic(), 0);
  EXPECT_EQ(of_broker(), 0);
  EXPECT_EQ(of_group(), 0);
}

TEST_F(AuthorizationOfAdminsTest, PartitionsAreDescribedOfTopicsThatMayBeSeen) {
  ASSERT_EQ(allow(ResourceType::kTopic, "t", AclOperation::kDescribe), 0);
  DescribeTopicPartitionsRequest request;
  const auto topics = [&] {
    return alice.call<DescribeTopicPartitionsResponse>(request, 0).topics;
  };
  ASSERT_EQ(topics().size(), 1U);
  EXPECT_EQ(topics().at(0).name, "t");
  EXPECT_EQ(topics().at(0).topic_authorized_operations, 1 << 8);
  for (const char* const name : {"hidden", "none", "t"}) request.topics.emplace_back().name = name;
  ASSERT_EQ(topics().size(), 3U);
  EXPECT_EQ(topics().at(0).name, "t");
  EXPECT_EQ(topics().at(1).error_code, kNoTopic);
  EXPECT_TRUE(topics().at(1).topic_id.is_zero());
  EXPECT_EQ(topics().at(2).error_code, kNoTopic);
}

TEST_F(AuthorizationOfAdminsTest, TheClusterIsDescribedToWhoMayDescribeIt) {
  DescribeLogDirsRequest dirs;
  dirs.topics = std::nullopt;
  const auto log_dirs = [&] { return alice.call<DescribeLogDirsResponse>(dirs, 4); };
  const auto quorum = [&] {
    return alice.call<DescribeQuorumResponse>(DescribeQuorumRequest(), 2).error_code;
  };
  const auto reassignments = [&] {
    return alice.call<ListPartitionReassignmentsResponse>(ListPartitionReassignmentsRequest(), 0)
        .error_code;
  };
  EXPECT_EQ(log_dirs().error_code, kNoCluster);
  EXPECT_TRUE(log_dirs().results.empty());
  EXPECT_EQ(quorum(), kNoCluster);
  EXPECT_EQ(reassignments(), kNoCluster);
  ASSERT_TRUE(allow_cluster(AclOperation::kDescribe));
  EXPECT_EQ(log_dirs().error_code, 0);
  EXPECT_EQ(quorum(), 0);
  EXPECT_EQ(reassignments(), 0);
}

TEST_F(AuthorizationOfAdminsTest, TheClusterIsAlteredByWhoMay) {
  UnregisterBrokerRequest unregister;
  unregister.broker_id = 99;
  const auto unregistered = [&] {
    return alice.call<UnregisterBrokerResponse>(unregister, 0).error_code;
  };
  AlterReplicaLogDirsRequest move;
  auto& dir = move.dirs.emplace_back();
  dir.path = "nowhere";
  auto& topic = dir.topics.emplace_back();
  topic.name = "t";
  topic.partitions = {0};
  const auto moved = [&] {
    return alice.call<AlterReplicaLogDirsResponse>(move, 2)
        .results.at(0)
        .partitions.at(0)
        .error_code;
  };
  WriteTxnMarkersRequest markers;
  auto& marker = markers.markers.emplace_back();
  auto& marked = marker.topics.emplace_back();
  marked.name = "t";
  marked.partition_indexes = {0};
  const auto written = [&] {
    return alice.call<WriteTxnMarkersResponse>(markers, 1)
        .markers.at(0)
        .topics.at(0)
        .partitions.at(0)
        .error_code;
  };
  EXPECT_EQ(unregistered(), kNoCluster);
  EXPECT_EQ(moved(), kNoCluster);
  EXPECT_EQ(written(), kNoCluster);
  ASSERT_TRUE(allow_cluster(AclOperation::kAlter));
  EXPECT_EQ(unregistered(), code(KafkaError::kBrokerIdNotRegistered));
  EXPECT_NE(moved(), kNoCluster);
  EXPECT_EQ(written(), 0);
}

TEST_F(AuthorizationOfAdminsTest, ResourcesWithConfigsAreListedForWhoMayDescribeConfigs) {
  const auto error = [&] {
    return alice.call<ListConfigResourcesResponse>(ListConfigResourcesRequest(), 1).error_code;
  };
  EXPECT_EQ(error(), kNoCluster);
  ASSERT_TRUE(allow_cluster(AclOperation::kDescribeConfigs));
  EXPECT_EQ(error(), 0);
}

TEST_F(AuthorizationOfAdminsTest, CredentialsOfOthersAreNotShown) {
  DescribeUserScramCredentialsRequest request;
  request.users.emplace().emplace_back().name = "alice";
  const auto told = alice.call<DescribeUserScramCredentialsResponse>(request, 0);
  EXPECT_EQ(told.error_code, kNoCluster);
  ASSERT_EQ(told.results.size(), 1U);
  EXPECT_EQ(told.results.at(0).error_code, kNoCluster);
  EXPECT_TRUE(told.results.at(0).user.empty());
  AlterUserScramCredentialsRequest alter;
  alter.deletions.emplace_back().name = "alice";
  EXPECT_EQ(alice.call<AlterUserScramCredentialsResponse>(alter, 0).results.at(0).error_code,
            kNoCluster);
  ASSERT_TRUE(allow_cluster(AclOperation::kDescribe));
  EXPECT_EQ(alice.call<DescribeUserScramCredentialsResponse>(request, 0).error_code, 0);
}

TEST_F(AuthorizationOfAdminsTest, EpochsAndProducersAreThoseOfTopicsThatMayBeSeen) {
  OffsetForLeaderEpochRequest epochs;
  auto& topic = epochs.topics.emplace_back();
  topic.topic = "t";
  topic.partitions.emplace_back();
  const auto epoch = [&] {
    return alice.call<OffsetForLeaderEpochResponse>(epochs, 4)
        .topics.at(0)
        .partitions.at(0)
        .error_code;
  };
  DescribeProducersRequest producers;
  auto& of = producers.topics.emplace_back();
  of.name = "t";
  of.partition_indexes = {0};
  const auto producer = [&] {
    return alice.call<DescribeProducersResponse>(producers, 0)
        .topics.at(0)
        .partitions.at(0)
        .error_code;
  };
  EXPECT_EQ(epoch(), kNoTopic);
  EXPECT_EQ(producer(), kNoTopic);
  ASSERT_EQ(allow(ResourceType::kTopic, "t", AclOperation::kDescribe), 0);
  EXPECT_EQ(epoch(), 0);
  EXPECT_EQ(producer(), kNoTopic);
  ASSERT_EQ(allow(ResourceType::kTopic, "t", AclOperation::kRead), 0);
  EXPECT_EQ(producer(), 0);
}

TEST_F(AuthorizationOfAdminsTest, TransactionsAreShownToWhoMaySeeThem) {
  InitProducerIdRequest init;
  init.transactional_id = "x";
  init.transaction_timeout_ms = 1000;
  ASSERT_EQ(admin.call<InitProducerIdResponse>(init, 4).error_code, 0);
  DescribeTransactionsRequest describe;
  describe.transactional_ids = {"x"};
  const auto described = [&] {
    return alice.call<DescribeTransactionsResponse>(describe, 0)
        .transaction_states.at(0)
        .error_code;
  };
  const auto listed = [&] {
    return alice.call<ListTransactionsResponse>(ListTransactionsRequest(), 0)
        .transaction_states.size();
  };
  EXPECT_EQ(described(), code(KafkaError::kTransactionalIdAuthorizationFailed));
  EXPECT_EQ(listed(), 0U);
  ASSERT_EQ(allow(ResourceType::kTransactionalId, "x", AclOperation::kDescribe), 0);
  EXPECT_EQ(described(), 0);
  EXPECT_EQ(listed(), 1U);
}

TEST_F(AuthorizationOfAdminsTest, AGroupIsDescribedToWhoMaySeeItAndWhatItReads) {
  ConsumerGroupHeartbeatRequest join;
  join.group_id = "g";
  join.member_id = kMember;
  join.rebalance_timeout_ms = 60'000;
  join.subscribed_topic_names = {"t"};
  join.topic_partitions.emplace();
  ASSERT_EQ(admin.call<ConsumerGroupHeartbeatResponse>(join, 1).error_code, 0);
  ConsumerGroupDescribeRequest request;
  request.group_ids = {"g"};
  const auto described = [&] {
    return alice.call<ConsumerGroupDescribeResponse>(request, 1).groups.at(0);
  };
  EXPECT_EQ(described().error_code, kNoGroup);
  ASSERT_EQ(allow(ResourceType::kGroup, "g", AclOperation::kDescribe), 0);
  EXPECT_EQ(described().error_code, kNoTopic);
  EXPECT_TRUE(described().members.empty());
  ASSERT_EQ(allow(ResourceType::kTopic, "t", AclOperation::kDescribe), 0);
  EXPECT_EQ(described().error_code, 0);
  EXPECT_EQ(described().members.size(), 1U);
}

struct AuthorizationOfShareGroupsTest : AuthorizationOfAdminsTest {
  std::int16_t heartbeat(ClientForTest& client) {
    ShareGroupHeartbeatRequest request;
    request.group_id = "g";
    request.member_id = kMember;
    request.subscribed_topic_names = {"t"};
    return client.call<ShareGroupHeartbeatResponse>(request, 1).error_code;
  }
  ShareFetchRequest a_share_fetch() {
    ShareFetchRequest request;
    request.group_id = "g";
    request.member_id = kMember;
    request.max_bytes = 1 << 20;
    request.max_records = 10;
    auto& topic = request.topics.emplace_back();
    topic.topic_id = admin.call<MetadataResponse>(a_metadata("t"), 12).topics.at(0).topic_id;
    topic.partitions.emplace_back();
    return request;
  }
};

TEST_F(AuthorizationOfShareGroupsTest, MembersReadTheGroupAndSeeItsTopics) {
  EXPECT_EQ(heartbeat(alice), kNoGroup);
  ASSERT_EQ(allow(ResourceType::kGroup, "g", AclOperation::kRead), 0);
  EXPECT_EQ(heartbeat(alice), kNoTopic);
  ASSERT_EQ(allow(ResourceType::kTopic, "t", AclOperation::kDescribe), 0);
  EXPECT_EQ(heartbeat(alice), 0);
}

TEST_F(AuthorizationOfShareGroupsTest, FetchingAndAcknowledgingWantReadOfBoth) {
  ASSERT_EQ(heartbeat(admin), 0);
  const auto request = a_share_fetch();
  const auto fetched = [&] { return alice.call<ShareFetchResponse>(request, 1); };
  ShareAcknowledgeRequest acknowledge;
  acknowledge.group_id = "g";
  acknowledge.member_id = kMember;
  acknowledge.share_session_epoch = 1;
  auto& topic = acknowledge.topics.emplace_back();
  topic.topic_id = request.topics.at(0).topic_id;
  auto& batch = topic.partitions.emplace_back().acknowledgement_batches.emplace_back();
  batch.acknowledge_types = {1};
  const auto acknowledged = [&] { return alice.call<ShareAcknowledgeResponse>(acknowledge, 1); };
  EXPECT_EQ(fetched().error_code, kNoGroup);
  EXPECT_EQ(acknowledged().error_code, kNoGroup);
  ASSERT_EQ(allow(ResourceType::kGroup, "g", AclOperation::kRead), 0);
  EXPECT_EQ(fetched().responses.at(0).partitions.at(0).error_code, kNoTopic);
  EXPECT_EQ(acknowledged().responses.at(0).partitions.at(0).error_code, kNoTopic);
  ASSERT_EQ(allow(ResourceType::kTopic, "t", AclOperation::kRead), 0);
  EXPECT_EQ(fetched().responses.at(0).partitions.at(0).error_code, 0);
}

TEST_F(AuthorizationOfShareGroupsTest, DescribingHidesWhatMayNotBeSeen) {
  AlterShareGroupOffsetsRequest begin;  // so that there is something to assign at once
  begin.group_id = "g";
  auto& begun = begin.topics.emplace_back();
  begun.topic_name = "t";
  begun.partitions.emplace_back();
  ASSERT_EQ(admin.call<AlterShareGroupOffsetsResponse>(begin, 0).error_code, 0);
  ASSERT_EQ(heartbeat(admin), 0);
  ShareGroupDescribeRequest request;
  request.group_ids = {"g"};
  const auto described = [&] {
    return alice.call<ShareGroupDescribeResponse>(request, 1).groups.at(0).error_code;
  };
  DescribeShareGroupOffsetsRequest offsets;
  auto& group = offsets.groups.emplace_back();
  group.group_id = "g";
  auto& topic = group.topics.emplace().emplace_back();
  topic.topic_name = "t";
  topic.partitions = {0};
  const auto offset = [&] {
    return alice.call<DescribeShareGroupOffsetsResponse>(offsets, 1).groups.at(0);
  };
  EXPECT_EQ(described(), kNoGroup);
  EXPECT_EQ(offset().error_code, kNoGroup);
  ASSERT_EQ(allow(ResourceType::kGroup, "g", AclOperation::kDescribe), 0);
  EXPECT_EQ(described(), kNoTopic);
  EXPECT_EQ(offset().topics.at(0).partitions.at(0).error_code, kNoTopic);
  ASSERT_EQ(allow(ResourceType::kTopic, "t", AclOperation::kDescribe), 0);
  EXPECT_EQ(described(), 0);
  EXPECT_EQ(offset().topics.at(0).partitions.at(0).error_code, 0);
}

TEST_F(AuthorizationOfShareGroupsTest, OffsetsAreAlteredAndDeletedByWhoMay) {
  AlterShareGroupOffsetsRequest alter;
  alter.group_id = "s";
  auto& topic = alter.topics.emplace_back();
  topic.topic_name = "t";
  topic.partitions.emplace_back();
  const auto altered = [&] { return alice.call<AlterShareGroupOffsetsResponse>(alter, 0); };
  DeleteShareGroupOffsetsRequest erase;
  erase.group_id = "s";
  erase.topics.emplace_back().topic_name = "t";
  const auto erased = [&] { return alice.call<DeleteShareGroupOffsetsResponse>(erase, 0); };
  EXPECT_EQ(altered().error_code, kNoGroup);
  EXPECT_EQ(erased().error_code, kNoGroup);
  ASSERT_EQ(allow(ResourceType::kGroup, "s", AclOperation::kRead), 0);
  EXPECT_EQ(altered().responses.at(0).partitions.at(0).error_code, kNoTopic);
  ASSERT_EQ(admin.call<AlterShareGroupOffsetsResponse>(alter, 0).error_code, 0);
  ASSERT_EQ(allow(ResourceType::kGroup, "s", AclOperation::kDelete), 0);
  EXPECT_EQ(erased().responses.at(0).error_code, kNoTopic);
  ASSERT_EQ(allow(ResourceType::kTopic, "t", AclOperation::kRead), 0);
  EXPECT_EQ(altered().responses.at(0).partitions.at(0).error_code, 0);
  EXPECT_EQ(erased().responses.at(0).error_code, 0);
}

}  // namespace
}  // namespace ktrial::fakebroker
