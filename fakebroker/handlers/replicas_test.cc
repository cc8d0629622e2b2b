// SPDX-License-Identifier: Apache-2.0
// End to end: elections, reassignments and the directories of replicas.
#include "fakebroker/cluster_for_test.h"
#include "fakebroker/requests_for_test.h"
#include "protocol/errors.h"
#include "protocol/messages/alter_partition_reassignments_request.h"
#include "protocol/messages/alter_partition_reassignments_response.h"
#include "protocol/messages/alter_replica_log_dirs_request.h"
#include "protocol/messages/alter_replica_log_dirs_response.h"
#include "protocol/messages/create_partitions_request.h"
#include "protocol/messages/create_partitions_response.h"
#include "protocol/messages/create_topics_request.h"
#include "protocol/messages/create_topics_response.h"
#include "protocol/messages/describe_log_dirs_request.h"
#include "protocol/messages/describe_log_dirs_response.h"
#include "protocol/messages/elect_leaders_request.h"
#include "protocol/messages/elect_leaders_response.h"
#include "protocol/messages/list_partition_reassignments_request.h"
#include "protocol/messages/list_partition_reassignments_response.h"

#include <gtest/gtest.h>

namespace ktrial::fakebroker {
namespace {

using namespace protocol;  // NOLINT: this file is little else than messages

constexpr std::int8_t kPreferred = 0;
constexpr std::int8_t kUnclean = 1;

struct ReplicasTest : testing::Test {
  ClusterForTest cluster{spec_for_test(4)};
  ClientForTest client{cluster.broker(1)};

  metadata_response::MetadataResponsePartition partition() {
    return client.call<MetadataResponse>(a_metadata(), 9).topics.at(0).partitions.at(0);
  }
  elect_leaders_response::PartitionResult elect(std::int8_t type, const std::string& topic = "t",
                                                std::int32_t index = 0, std::int16_t version = 2) {
    ElectLeadersRequest request;
    request.election_type = type;
    auto& wanted = request.topic_partitions->emplace_back();
    wanted.topic = topic;
    wanted.partitions = {index};
    return client.call<ElectLeadersResponse>(request, version)
        .replica_election_results.at(0)
        .partition_result.at(0);
  }
  alter_partition_reassignments_response::ReassignablePartitionResponse reassign(
      std::optional<std::vector<std::int32_t>> replicas, std::int32_t index = 0,
      bool may_change_factor = true) {
    AlterPartitionReassignmentsRequest request;
    request.allow_replication_factor_change = may_change_factor;
    auto& topic = request.topics.emplace_back();
    topic.name = "t";
    auto& wanted = topic.partitions.emplace_back();
    wanted.partition_index = index;
    wanted.replicas = std::move(replicas);
    return client.call<AlterPartitionReassignmentsResponse>(request, 1)
        .responses.at(0)
        .partitions.at(0);
  }
  std::int16_t move(const std::string& dir, std::int32_t index = 0) {
    AlterReplicaLogDirsRequest request;
    auto& wanted = request.dirs.emplace_back();
    wanted.path = dir;
    auto& topic = wanted.topics.emplace_back();
    topic.name = "t";
    topic.partitions = {index};
    return client.call<AlterReplicaLogDirsResponse>(request, 2)
        .results.at(0)
        .partitions.at(0)
        .error_code;
  }
};

// --- ElectLeaders

CreateTopicsRequest a_topic_on(const std::vector<std::vector<std::int32_t>>& replicas) {
  CreateTopicsRequest request;
  auto& topic = request.topics.emplace_back();
  topic.name = "placed";
  topic.num_partitions = topic.replication_factor = -1;
  for (const auto& of_one : replicas) {
    auto& assignment = topic.assignments.emplace_back();
    assignment.partition_index = static_cast<std::int32_t>(topic.assignments.size()) - 1;
    assignment.broker_ids = of_one;
  }
  return request;
}

TEST_F(ReplicasTest, ATopicIsPlacedAsTheClientSays) {
  const auto made = client.call<CreateTopicsResponse>(a_topic_on({{3, 1}, {2, 4}}), 7).topics.at(0);
  EXPECT_EQ(made.error_code, 0);
  EXPECT_EQ(made.replication_factor, 2);
  const auto topic = client.call<MetadataResponse>(a_metadata("placed"), 9).topics.at(0);
  EXPECT_EQ(topic.partitions.at(0).leader_id, 3);
  EXPECT_EQ(topic.partitions.at(0).replica_nodes, (std::vector<std::int32_t>{3, 1}));
  EXPECT_EQ(topic.partitions.at(1).replica_nodes, (std::vector<std::int32_t>{2, 4}));
}

TEST_F(ReplicasTest, EveryPartitionHasAsManyReplicas) {
  const auto made = client.call<CreateTopicsResponse>(a_topic_on({{3, 1}, {2}}), 7).topics.at(0);
  EXPECT_EQ(made.error_code, code(KafkaError::kInvalidReplicaAssignment));
}

TEST_F(ReplicasTest, ATopicHasAsManyReplicasAsItIsCreatedWithAlsoWhereItGrows) {
  CreateTopicsRequest request;
  auto& wanted = request.topics.emplace_back();
  wanted.name = "placed";
  wanted.num_partitions = 1;
  wanted.replication_factor = 4;
  ASSERT_EQ(client.call<CreateTopicsResponse>(request, 7).topics.at(0).error_code, 0);
  CreatePartitionsRequest more;
  auto& growing = more.topics.emplace_back();
  growing.name = "placed";
  growing.count = 2;
  growing.assignments.emplace().emplace_back().broker_ids = {4, 3, 2, 1};
  ASSERT_EQ(client.call<CreatePartitionsResponse>(more, 3).results.at(0).error_code, 0);
  const auto topic = client.call<MetadataResponse>(a_metadata("placed"), 9).topics.at(0);
  EXPECT_EQ(topic.partitions.at(0).replica_nodes.size(), 4U);
  EXPECT_EQ(topic.partitions.at(1).replica_nodes, (std::vector<std::int32_t>{4, 3, 2, 1}));
  EXPECT_EQ(topic.partitions.at(1).leader_id, 4);
}

TEST_F(ReplicasTest, TheFirstReplicaIsThePreferredLeader) {
  EXPECT_EQ(elect(kPreferred).error_code, code(KafkaError::kElectionNotNeeded));
  cluster->move_leader("t", 0, 2);
  const std::int32_t epoch = partition().leader_epoch;
  for (std::int16_t version = 0; version <= 2; ++version) {
    cluster->move_leader("t", 0, 2);
    EXPECT_EQ(elect(kPreferred, "t", 0, version).error_code, 0) << version;
  }
  EXPECT_EQ(partition().leader_id, 1);
  EXPECT_GT(partition().leader_epoch, epoch);
}

TEST_F(ReplicasTest, APreferredLeaderThatIsDownCannotLead) {
  cluster->move_leader("t", 1, 1);  // of brokers 2, 3 and 4
  cluster->stop_broker(2, CloseKind::kFin);
  EXPECT_EQ(elect(kPreferred, "t", 1).error_code, code(KafkaError::kPreferredLeaderNotAvailable));
  EXPECT_EQ(elect(kUnclean, "t", 1).error_code, code(KafkaError::kElectionNotNeeded));
}

TEST_F(ReplicasTest, OfAllPartitionsThoseAreToldThatWereElected) {
  cluster->move_leader("t", 1, 4);
  ElectLeadersRequest request;
  request.topic_partitions = std::nullopt;
  const auto response = client.call<ElectLeadersResponse>(request, 2);
  ASSERT_EQ(response.replica_election_results.size(), 1U);
  ASSERT_EQ(response.replica_election_results[0].partition_result.size(), 1U);
  EXPECT_EQ(response.replica_election_results[0].partition_result[0].partition_id, 1);
}

TEST_F(ReplicasTest, ElectionsOfWhatIsNotThereFail) {
  EXPECT_EQ(elect(kPreferred, "x").error_message, "No such topic as x");
  EXPECT_EQ(elect(kPreferred, "t", 9).error_message, "No such partition as t-9");
  EXPECT_EQ(elect(7).error_code, code(KafkaError::kInvalidRequest));
}

// --- Reassignments

TEST_F(ReplicasTest, AReassignmentIsDoneAtOnce) {
  EXPECT_EQ(reassign({{4, 3}}).error_code, 0);
  EXPECT_EQ(partition().replica_nodes, (std::vector<std::int32_t>{4, 3}));
  EXPECT_EQ(partition().leader_id, 4);
  ListPartitionReassignmentsRequest request;
  EXPECT_TRUE(client.call<ListPartitionReassignmentsResponse>(request, 0).topics.empty());
  EXPECT_EQ(reassign(std::nullopt).error_code, code(KafkaError::kNoReassignmentInProgress));
}

TEST_F(ReplicasTest, ALeaderThatStaysAReplicaLeadsOn) {
  const std::int32_t epoch = partition().leader_epoch;
  EXPECT_EQ(reassign({{3, 2, 1}}).error_code, 0);
  EXPECT_EQ(partition().leader_id, 1);
  EXPECT_EQ(partition().leader_epoch, epoch);
  EXPECT_EQ(reassign({{3, 1}}).error_code, 0);
  EXPECT_EQ(partition().leader_id, 1);
  EXPECT_EQ(partition().leader_epoch, epoch + 1);
}

TEST_F(ReplicasTest, ReplicasAreBrokersEachOnce) {
  const auto why = [this](std::vector<std::int32_t> replicas) {
    const auto answer = reassign(std::move(replicas));
    EXPECT_EQ(answer.error_code, code(KafkaError::kInvalidReplicaAssignment));
    return answer.error_message.value_or("");
  };
  EXPECT_EQ(why({}), "The manual partition assignment includes an empty replica list.");
  EXPECT_EQ(
      why({1, 77}),
      "The manual partition assignment includes broker 77, but no such broker is registered.");
  EXPECT_EQ(why({1, 1}), "The manual partition assignment includes the broker 1 more than once.");
  EXPECT_EQ(reassign({{1}}, 9).error_message, "Unable to find partition t:9.");
  EXPECT_EQ(reassign({{1, 2}}, 0, false).error_code, code(KafkaError::kInvalidReplicationFactor));
  EXPECT_EQ(reassign({{1, 2, 4}}, 0, false).error_code, 0);
}

// --- Directories

TEST_F(ReplicasTest, ReplicasAreInDirectories) {
  produce(client, a_produce(a_batch()));
  for (std::int16_t version = 1; version <= 5; ++version) {
    DescribeLogDirsRequest request;
    request.topics = std::nullopt;
    const auto response = client.call<DescribeLogDirsResponse>(request, version);
    ASSERT_EQ(response.results.size(), 2U);
    // Of partition 1, brokers 2, 3 and 4 have replicas.
    ASSERT_EQ(response.results[0].topics.at(0).partitions.size(), 1U);
    EXPECT_EQ(response.results[0].topics[0].partitions[0].partition_size,
              static_cast<std::int64_t>(a_batch().size()));
    EXPECT_TRUE(response.results[1].topics.empty());
  }
}

TEST_F(ReplicasTest, AReplicaMovesToAnotherDirectory) {
  EXPECT_EQ(move("/var/lib/kafka/data-2"), 0);
  DescribeLogDirsRequest request;
  auto& topic = request.topics->emplace_back();
  topic.topic = "t";
  topic.partitions = {0};
  const auto response = client.call<DescribeLogDirsResponse>(request, 4);
  EXPECT_TRUE(response.results.at(0).topics.empty());
  EXPECT_EQ(response.results.at(1).topics.size(), 1U);
  EXPECT_EQ(move("/nowhere"), code(KafkaError::kLogDirNotFound));
  EXPECT_EQ(move("/var/lib/kafka/data-2", 9), code(KafkaError::kUnknownTopicOrPartition));
  EXPECT_EQ(move("/var/lib/kafka/data-2", 1), code(KafkaError::kReplicaNotAvailable));
}

TEST_F(ReplicasTest, ARuleRefusesWithoutAnythingBeingApplied) {
  for (const char* const api :
       {"ElectLeaders", "AlterPartitionReassignments", "AlterReplicaLogDirs"}) {
    ASSERT_TRUE(cluster->add_rule({.id = api,
                                   .match = {.apis = {api}, .times = 1},
                                   .action = {.apply = false, .error = 41}}));
  }
  cluster->move_leader("t", 0, 2);
  EXPECT_EQ(elect(kPreferred).error_code, code(KafkaError::kNotController));
  EXPECT_EQ(reassign({{4}}).error_code, code(KafkaError::kNotController));
  EXPECT_EQ(partition().leader_id, 2);
  EXPECT_EQ(move("/var/lib/kafka/data-2"), code(KafkaError::kNotController));
}

}  // namespace
}  // namespace ktrial::fakebroker
