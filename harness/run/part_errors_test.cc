// SPDX-License-Identifier: Apache-2.0
// A rule's error in one part of a request while the others are answered as ever, written three
// ways.
#include "fakebroker/requests_for_test.h"
#include "harness/run/rule_ways_for_test.h"
#include "protocol/messages/consumer_group_heartbeat_request.h"
#include "protocol/messages/consumer_group_heartbeat_response.h"
#include "protocol/messages/create_topics_request.h"
#include "protocol/messages/create_topics_response.h"
#include "protocol/messages/describe_configs_request.h"
#include "protocol/messages/describe_configs_response.h"
#include "protocol/messages/find_coordinator_request.h"
#include "protocol/messages/find_coordinator_response.h"
#include "protocol/messages/offset_commit_request.h"
#include "protocol/messages/offset_commit_response.h"
#include "protocol/messages/offset_fetch_request.h"
#include "protocol/messages/offset_fetch_response.h"
#include "protocol/uuid_parse.h"

#include <gtest/gtest.h>

namespace ktrial::harness {
namespace {

// NOLINTNEXTLINE(google-build-using-namespace)
using namespace protocol;
using fakebroker::a_batch;
using fakebroker::a_fetch;
using fakebroker::a_metadata;
using fakebroker::a_produce;
using fakebroker::ClientForTest;
using fakebroker::ClusterForTest;

using Codes = std::map<std::int32_t, std::int16_t>;  // by partition

ProduceRequest to_both(std::int16_t acks = 1) {
  ProduceRequest request = a_produce(a_batch(), acks, 0);
  request.topic_data.at(0).partition_data.emplace_back().index = 1;
  request.topic_data.at(0).partition_data.at(1).records = a_batch();
  return request;
}

FetchRequest from_both(std::int32_t max_wait_ms = 0) {
  FetchRequest request = a_fetch({.max_wait_ms = max_wait_ms, .session_epoch = 0});
  auto& other = request.topics.at(0).partitions.emplace_back(request.topics.at(0).partitions.at(0));
  other.partition = 1;
  return request;
}

Codes codes(const FetchResponse& response) {
  Codes all;
  for (const auto& topic : response.responses) {
    for (const auto& partition : topic.partitions)
      all[partition.partition_index] = partition.error_code;
  }
  return all;
}

class PartErrors : public testing::TestWithParam<Way> {
 protected:
  static fakebroker::ClusterSpec spec() {
    auto spec = fakebroker::spec_for_test(kRuleTestBrokers);
    spec.topics = {{.name = "t", .partitions = 2, .leaders = {1, 1}}};
    return spec;
  }
  void rule(const std::string& text) { ASSERT_EQ(GetParam().add(cluster, text), ""); }
  std::int64_t end_offset(std::size_t partition) {
    return cluster->topics().at(0).partitions.at(partition).end_offset;
  }
  Codes produce_to_both(std::int16_t version = 9) {
    Codes all;
    ProduceRequest request = to_both();
    request.topic_data.at(0).topic_id = parse_uuid(cluster->topics().at(0).id).value();
    const auto response = client.call<ProduceResponse>(request, version);
    EXPECT_EQ(response.responses.size(), 1U);
    for (const auto& partition : response.responses.at(0).partition_responses)
      all[partition.index] = partition.error_code;
    return all;
  }

  ClusterForTest cluster{spec()};
  ClientForTest client{cluster.broker()};
};

TEST_P(PartErrors, TheErrorIsOfThePartitionThatTheRuleNames) {
  rule(R"({"id": "r", "when": {"api": "Produce", "topic": "t", "partition": 1},
           "do": {"error": "NOT_LEADER_OR_FOLLOWER"}})");
  EXPECT_EQ(produce_to_both(), (Codes{{0, 0}, {1, 6}}));
  EXPECT_EQ(end_offset(0), 1);
  EXPECT_EQ(end_offset(1), 0);
}

TEST_P(PartErrors, APartitionOfATopicThatIsNamedByItsId) {
  rule(R"({"id": "r", "when": {"api": "Produce", "topic": "t", "partition": 1},
           "do": {"error": "NOT_LEADER_OR_FOLLOWER"}})");
  EXPECT_EQ(produce_to_both(13), (Codes{{0, 0}, {1, 6}}));
  EXPECT_EQ(end_offset(0), 1);
}

TEST_P(PartErrors, ItMayHideThatThePartWasDone) {
  rule(R"({"id": "r", "when": {"api": "Produce", "topic": "t", "partition": 1},
           "do": {"error": "REQUEST_TIMED_OUT", "apply": true}})");
  EXPECT_EQ(produce_to_both(), (Codes{{0, 0}, {1, 7}}));
  EXPECT_EQ(end_offset(0), 1);
  EXPECT_EQ(end_offset(1), 1);
}

TEST_P(PartErrors, ItMayBeEverywhereAllTheSame) {
  rule(R"({"id": "r", "when": {"api": "Produce", "topic": "t", "partition": 1},
           "do": {"error": "NOT_LEADER_OR_FOLLOWER", "everywhere": true}})");
  EXPECT_EQ(produce_to_both(), (Codes{{0, 6}, {1, 6}}));
  EXPECT_EQ(end_offset(0), 0);
}

TEST_P(PartErrors, EachPartMayHaveItsOwn) {
  rule(R"({"id": "r", "when": {"api": "Produce"}, "do": {"errors": [
    {"topic": "t", "partition": 0, "error": "NOT_ENOUGH_REPLICAS"},
    {"topic": "t", "partition": 1, "error": 6}, {"topic": "u", "error": 3}]}})");
  EXPECT_EQ(produce_to_both(), (Codes{{0, 19}, {1, 6}}));
  EXPECT_EQ(end_offset(0), 0);
  EXPECT_EQ(end_offset(1), 0);
}

TEST_P(PartErrors, WithoutAcksTheConnectionClosesOnceTheRestIsDone) {
  rule(R"({"id": "r", "when": {"api": "Produce"},
           "do": {"errors": [{"topic": "t", "partition": 1, "error": 6}]}})");
  client.send(to_both(0), 9);
  EXPECT_EQ(client.ending(), ClientForTest::Ending::kFin);
  EXPECT_EQ(end_offset(0), 1);
  EXPECT_EQ(end_offset(1), 0);
}

TEST_P(PartErrors, AFetchIsAnsweredAtOnceWithTheOthersRecords) {
  rule(R"({"id": "r", "when": {"api": "Fetch", "topic": "t", "partition": 1},
           "do": {"error": "KAFKA_STORAGE_ERROR"}})");
  const auto nothing_yet = client.call<FetchResponse>(from_both(60'000), 12);
  EXPECT_EQ(codes(nothing_yet), (Codes{{0, 0}, {1, 56}}));
  produce(client, a_produce(a_batch()));
  const auto response = client.call<FetchResponse>(from_both(), 12);
  EXPECT_EQ(codes(response), (Codes{{0, 0}, {1, 56}}));
  for (const auto& partition : response.responses.at(0).partitions)
    EXPECT_EQ(partition.records.value_or(Slice()).size() > 0, partition.partition_index == 0);
}

TEST_P(PartErrors, ASessionsPartitionFailsThoughTheRequestDoesNotNameIt) {
  const auto first = client.call<FetchResponse>(from_both(), 12);
  rule(R"({"id": "r", "when": {"api": "Fetch", "topic": "t", "partition": 1},
           "do": {"error": "KAFKA_STORAGE_ERROR"}})");
  FetchRequest next;
  next.max_wait_ms = 60'000;
  next.min_bytes = 1;
  next.session_id = first.session_id;
  next.session_epoch = 1;
  EXPECT_EQ(codes(client.call<FetchResponse>(next, 12)), (Codes{{1, 56}}));
}

TEST_P(PartErrors, AnErrorOfTheSessionIsOfTheWhole) {
  rule(R"({"id": "r", "when": {"api": "Fetch", "topic": "t", "partition": 1},
           "do": {"error": "FETCH_SESSION_ID_NOT_FOUND"}})");
  const auto response = client.call<FetchResponse>(from_both(), 12);
  EXPECT_EQ(response.error_code, 70);
  EXPECT_TRUE(response.responses.empty());
}

TEST_P(PartErrors, OneOfTheCoordinatorsKeys) {
  rule(R"({"id": "r", "when": {"group": "g"}, "do": {"error": "COORDINATOR_NOT_AVAILABLE"}})");
  FindCoordinatorRequest find;
  find.coordinator_keys = {"g", "other"};
  const auto response = client.call<FindCoordinatorResponse>(find, 4);
  ASSERT_EQ(response.coordinators.size(), 2U);
  for (const auto& one : response.coordinators) EXPECT_EQ(one.error_code, one.key == "g" ? 15 : 0);
}

TEST_P(PartErrors, OneOfTheOffsetsIsNotCommitted) {
  rule(R"({"id": "r", "when": {"api": "OffsetCommit"},
           "do": {"errors": [{"group": "g", "topic": "t", "partition": 1, "error": 28}]}})");
  OffsetCommitRequest commit;
  commit.group_id = "g";
  auto& topic = commit.topics.emplace_back();
  topic.name = "t";
  topic.partitions.resize(2);
  topic.partitions[0].committed_offset = 5;
  topic.partitions[1].partition_index = 1;
  topic.partitions[1].committed_offset = 6;
  Codes all;
  const auto committed = client.call<OffsetCommitResponse>(commit, 8);
  for (const auto& one : committed.topics.at(0).partitions)
    all[one.partition_index] = one.error_code;
  EXPECT_EQ(all, (Codes{{0, 0}, {1, 28}}));

  OffsetFetchRequest fetch;
  auto& group = fetch.groups.emplace_back();
  group.group_id = "g";
  group.topics.emplace().emplace_back().name = "t";
  group.topics->at(0).partition_indexes = {0, 1};
  const auto kept = client.call<OffsetFetchResponse>(fetch, 8).groups.at(0).topics.at(0).partitions;
  for (const auto& one : kept) EXPECT_EQ(one.committed_offset, one.partition_index == 0 ? 5 : -1);
}

TEST_P(PartErrors, OneOfTheTopicsIsNotCreated) {
  rule(R"({"id": "r", "when": {"topic": "b"}, "do": {"error": "POLICY_VIOLATION"}})");
  CreateTopicsRequest create;
  for (const char* const name : {"a", "b", "c"}) {
    auto& topic = create.topics.emplace_back();
    topic.name = name;
    topic.num_partitions = 1;
    topic.replication_factor = 1;
  }
  for (const auto& one : client.call<CreateTopicsResponse>(create, 7).topics)
    EXPECT_EQ(one.error_code, one.name == "b" ? 44 : 0);
  EXPECT_EQ(cluster->topics().size(), 3U);  // t, a, c
}

TEST_P(PartErrors, APartOfTheAnswerThatTheRequestDoesNotName) {
  rule(R"({"id": "r", "when": {"api": "Metadata"},
           "do": {"errors": [{"topic": "t", "partition": 1, "error": "LEADER_NOT_AVAILABLE"}]}})");
  const auto topic = client.call<MetadataResponse>(a_metadata(), 9).topics.at(0);
  EXPECT_EQ(topic.error_code, 0);
  for (const auto& one : topic.partitions)
    EXPECT_EQ(one.error_code, one.partition_index == 1 ? 5 : 0);
}

TEST_P(PartErrors, OneOfTheResources) {
  rule(R"({"id": "r", "do": {"errors": [{"resource": "t", "error": "UNKNOWN_SERVER_ERROR"}]}})");
  DescribeConfigsRequest describe;
  describe.resources.resize(2);
  describe.resources[0] = {.resource_type = 2, .resource_name = "t"};
  describe.resources[1] = {.resource_type = 4, .resource_name = "1"};
  const auto results = client.call<DescribeConfigsResponse>(describe, 4).results;
  ASSERT_EQ(results.size(), 2U);
  for (const auto& one : results) EXPECT_EQ(one.error_code, one.resource_name == "t" ? -1 : 0);
}

TEST_P(PartErrors, AnAnswerWithoutSuchPartsFailsAsAWhole) {
  rule(R"({"id": "r", "when": {"topic": "t"}, "do": {"error": "TOPIC_AUTHORIZATION_FAILED"}})");
  ConsumerGroupHeartbeatRequest heartbeat;
  heartbeat.group_id = "g";
  heartbeat.member_id = "m";
  heartbeat.rebalance_timeout_ms = 1000;
  heartbeat.subscribed_topic_names.emplace() = {"t", "u"};
  heartbeat.topic_partitions.emplace();
  EXPECT_EQ(client.call<ConsumerGroupHeartbeatResponse>(heartbeat, 0).error_code, 29);
}

INSTANTIATE_TEST_SUITE_P(Ways, PartErrors, testing::ValuesIn(kWays),
                         [](const auto& way) { return std::string(way.param.name); });

}  // namespace
}  // namespace ktrial::harness
