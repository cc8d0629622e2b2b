// SPDX-License-Identifier: Apache-2.0
// End to end: what a user without the ACL for it is answered.
#include "fakebroker/handlers/authorization_for_test.h"
#include "protocol/messages/create_topics_request.h"
#include "protocol/messages/create_topics_response.h"
#include "protocol/messages/delete_topics_request.h"
#include "protocol/messages/delete_topics_response.h"
#include "protocol/messages/find_coordinator_request.h"
#include "protocol/messages/find_coordinator_response.h"
#include "protocol/messages/heartbeat_request.h"
#include "protocol/messages/heartbeat_response.h"
#include "protocol/messages/init_producer_id_request.h"
#include "protocol/messages/init_producer_id_response.h"
#include "protocol/messages/offset_commit_request.h"
#include "protocol/messages/offset_commit_response.h"

#include <gtest/gtest.h>

namespace ktrial::fakebroker {
namespace {

using namespace protocol;  // NOLINT: this file is little else than messages

struct AuthorizationTest : GuardedTest {
  std::int16_t metadata_error(const std::string& topic, bool create = false) {
    return alice.call<MetadataResponse>(a_metadata(topic, create), 9).topics.at(0).error_code;
  }
};

TEST_F(AuthorizationTest, TopicsThatMayNotBeSeenAreLeftOutOrRefused) {
  ASSERT_EQ(allow(ResourceType::kTopic, "t", AclOperation::kDescribe), 0);
  MetadataRequest all;
  all.topics = std::nullopt;
  const auto seen = alice.call<MetadataResponse>(all, 9).topics;
  ASSERT_EQ(seen.size(), 1U);
  EXPECT_EQ(seen.at(0).name, "t");
  EXPECT_EQ(admin.call<MetadataResponse>(all, 9).topics.size(), 2U);
  EXPECT_EQ(metadata_error("hidden"), code(KafkaError::kTopicAuthorizationFailed));
  EXPECT_EQ(metadata_error("none"), code(KafkaError::kTopicAuthorizationFailed));
  MetadataRequest by_id;
  by_id.topics->emplace_back().topic_id =
      admin.call<MetadataResponse>(a_metadata("hidden"), 12).topics.at(0).topic_id;
  by_id.topics->at(0).name = std::nullopt;
  EXPECT_EQ(alice.call<MetadataResponse>(by_id, 12).topics.at(0).error_code,
            code(KafkaError::kUnknownTopicId));
}

TEST_F(AuthorizationTest, ATopicIsCreatedOnDemandForWhoMayCreateIt) {
  ASSERT_EQ(allow(ResourceType::kTopic, "new", AclOperation::kDescribe), 0);
  EXPECT_EQ(metadata_error("new", true), code(KafkaError::kTopicAuthorizationFailed));
  ASSERT_EQ(allow(ResourceType::kTopic, "new", AclOperation::kCreate), 0);
  EXPECT_EQ(metadata_error("new", true), code(KafkaError::kUnknownTopicOrPartition));
  EXPECT_EQ(metadata_error("new"), 0);
}

TEST_F(AuthorizationTest, OperationsAreTold) {
  ASSERT_EQ(allow(ResourceType::kTopic, "t", AclOperation::kRead), 0);
  MetadataRequest request = a_metadata("t");
  request.include_topic_authorized_operations = true;
  request.include_cluster_authorized_operations = true;
  const auto answer = alice.call<MetadataResponse>(request, 9);
  EXPECT_EQ(answer.topics.at(0).topic_authorized_operations, 1 << 3 | 1 << 8);
  EXPECT_EQ(answer.cluster_authorized_operations, 0);
  EXPECT_EQ(admin.call<MetadataResponse>(request, 9).topics.at(0).topic_authorized_operations,
            kTopicOperations);
}

TEST_F(AuthorizationTest, ProducingWantsWriteAndFetchingRead) {
  const auto refused = code(KafkaError::kTopicAuthorizationFailed);
  EXPECT_EQ(produce(alice, a_produce(a_batch())).error_code, refused);
  EXPECT_EQ(fetch(alice, {}).error_code, refused);
  ASSERT_EQ(allow(ResourceType::kTopic, "t", AclOperation::kWrite), 0);
  EXPECT_EQ(produce(alice, a_produce(a_batch())).error_code, 0);
  EXPECT_EQ(fetch(alice, {}).error_code, refused);
  ASSERT_EQ(allow(ResourceType::kTopic, "t", AclOperation::kRead), 0);
  EXPECT_EQ(fetch(alice, {}).error_code, 0);
}

TEST_F(AuthorizationTest, GroupsWantReadAndTheirTopicsToo) {
  const auto refused = code(KafkaError::kGroupAuthorizationFailed);
  FindCoordinatorRequest find;
  find.key = "g";
  EXPECT_EQ(alice.call<FindCoordinatorResponse>(find, 3).error_code, refused);
  HeartbeatRequest heartbeat;
  heartbeat.group_id = "g";
  heartbeat.member_id = "m";
  EXPECT_EQ(alice.call<HeartbeatResponse>(heartbeat, 4).error_code, refused);
  OffsetCommitRequest commit;
  commit.group_id = "g";
  auto& topic = commit.topics.emplace_back();
  topic.name = "t";
  topic.partitions.emplace_back();
  const auto committed = [&] {
    return alice.call<OffsetCommitResponse>(commit, 8).topics.at(0).partitions.at(0).error_code;
  };
  EXPECT_EQ(committed(), refused);
  ASSERT_EQ(allow(ResourceType::kGroup, "g", AclOperation::kRead), 0);
  EXPECT_EQ(alice.call<FindCoordinatorResponse>(find, 3).error_code, 0);
  EXPECT_NE(alice.call<HeartbeatResponse>(heartbeat, 4).error_code, refused);
  EXPECT_EQ(committed(), code(KafkaError::kTopicAuthorizationFailed));
  ASSERT_EQ(allow(ResourceType::kTopic, "t", AclOperation::kRead), 0);
  EXPECT_EQ(committed(), 0);
}

TEST_F(AuthorizationTest, ProducerIdsWantWriteSomewhere) {
  InitProducerIdRequest request;
  request.transactional_id = std::nullopt;
  const auto error = [&] { return alice.call<InitProducerIdResponse>(request, 4).error_code; };
  EXPECT_EQ(error(), code(KafkaError::kClusterAuthorizationFailed));
  ASSERT_EQ(allow(ResourceType::kTopic, "t", AclOperation::kWrite), 0);
  EXPECT_EQ(error(), 0);
  request.transactional_id = "x";
  request.transaction_timeout_ms = 1000;
  EXPECT_EQ(error(), code(KafkaError::kTransactionalIdAuthorizationFailed));
  ASSERT_EQ(allow(ResourceType::kTransactionalId, "x", AclOperation::kWrite), 0);
  EXPECT_EQ(error(), 0);
}

TEST_F(AuthorizationTest, TopicsAreMadeAndDeletedByWhoMay) {
  CreateTopicsRequest create;
  auto& wanted = create.topics.emplace_back();
  wanted.name = "mine";
  wanted.num_partitions = 1;
  wanted.replication_factor = 1;
  const auto refused = alice.call<CreateTopicsResponse>(create, 7).topics.at(0);
  EXPECT_EQ(refused.error_code, code(KafkaError::kTopicAuthorizationFailed));
  EXPECT_EQ(refused.error_message, "Authorization failed.");
  ASSERT_EQ(allow(ResourceType::kCluster, "kafka-cluster", AclOperation::kCreate), 0);
  EXPECT_EQ(alice.call<CreateTopicsResponse>(create, 7).topics.at(0).error_code, 0);
  DeleteTopicsRequest erase;
  erase.topics.emplace_back().name = "mine";
  const auto error = [&] {
    return alice.call<DeleteTopicsResponse>(erase, 6).responses.at(0).error_code;
  };
  EXPECT_EQ(error(), code(KafkaError::kTopicAuthorizationFailed));
  ASSERT_EQ(allow(ResourceType::kTopic, "mine", AclOperation::kDelete), 0);
  EXPECT_EQ(error(), 0);
}

TEST_F(AuthorizationTest, AclsAreForWhoMayAlterTheCluster) {
  EXPECT_EQ(allow(ResourceType::kTopic, "t", AclOperation::kRead, &alice),
            code(KafkaError::kClusterAuthorizationFailed));
}

}  // namespace
}  // namespace ktrial::fakebroker
