// SPDX-License-Identifier: Apache-2.0
// End to end: replicas that are not in sync, a high watermark that lags, unclean elections and
// failed disks, as clients see them.
#include "fakebroker/cluster_for_test.h"
#include "fakebroker/control/control_api.h"
#include "fakebroker/requests_for_test.h"
#include "protocol/errors.h"
#include "protocol/messages/describe_topic_partitions_request.h"
#include "protocol/messages/describe_topic_partitions_response.h"
#include "protocol/messages/list_offsets_request.h"
#include "protocol/messages/list_offsets_response.h"
#include "protocol/messages/offset_for_leader_epoch_request.h"
#include "protocol/messages/offset_for_leader_epoch_response.h"

#include <gtest/gtest.h>

namespace ktrial::fakebroker {
namespace {

using protocol::KafkaError;
using protocol::ProduceResponse;
using Brokers = std::vector<std::int32_t>;

constexpr std::int16_t kAllInSync = -1;

ClusterSpec three_brokers() {
  ClusterSpec spec = spec_for_test(3);
  spec.topics = {{.name = "t", .leaders = {1}, .configs = {{"min.insync.replicas", "2"}}}};
  return spec;
}

protocol::ProduceRequest for_all(std::int32_t timeout_ms = 60'000, Slice batch = a_batch()) {
  auto request = a_produce(batch, kAllInSync);
  request.timeout_ms = timeout_ms;
  return request;
}

struct ReplicationEndToEndTest : testing::Test {
  ClusterForTest cluster{three_brokers()};
  ClientForTest leader{cluster.broker(1)};

  std::int16_t produced(const protocol::ProduceRequest& request) {
    return produce(leader, request).error_code;
  }
  PartitionStatus partition() { return cluster->topics().at(0).partitions.at(0); }
  protocol::metadata_response::MetadataResponsePartition metadata() {
    return leader.call<protocol::MetadataResponse>(a_metadata(), 9).topics.at(0).partitions.at(0);
  }
  // Of the latest offset.
  protocol::list_offsets_response::ListOffsetsPartitionResponse latest(ClientForTest& client,
                                                                       std::int16_t version,
                                                                       std::int64_t time = -1) {
    protocol::ListOffsetsRequest request;
    auto& topic = request.topics.emplace_back();
    topic.name = "t";
    topic.partitions.emplace_back().timestamp = time;
    return client.call<protocol::ListOffsetsResponse>(request, version)
        .topics.at(0)
        .partitions.at(0);
  }
  // Until the request has been appended and waits.
  std::int32_t send_and_wait_for_append(const protocol::ProduceRequest& request,
                                        std::int16_t version = 9) {
    const std::int64_t before = partition().end_offset;
    const auto id = leader.send(request, version);
    while (partition().end_offset == before) std::this_thread::yield();
    return id;
  }
  std::int16_t received(std::int32_t id) {
    return leader.receive<ProduceResponse>(id, 9)
        .responses.at(0)
        .partition_responses.at(0)
        .error_code;
  }
};

TEST_F(ReplicationEndToEndTest, ClientsAreToldWhoIsInSync) {
  ASSERT_TRUE(cluster->set_isr("t", 0, {1, 3}));
  EXPECT_EQ(metadata().replica_nodes, (Brokers{1, 2, 3}));
  EXPECT_EQ(metadata().isr_nodes, (Brokers{1, 3}));
  EXPECT_EQ(metadata().offline_replicas, Brokers{});
  ASSERT_TRUE(cluster->set_isr("t", 0, {1}));
  protocol::DescribeTopicPartitionsRequest request;
  request.topics.emplace_back().name = "t";
  const auto described = leader.call<protocol::DescribeTopicPartitionsResponse>(request, 0)
                             .topics.at(0)
                             .partitions.at(0);
  EXPECT_EQ(described.isr_nodes, (Brokers{1}));
  EXPECT_EQ(described.eligible_leader_replicas, (Brokers{3}));
}

TEST_F(ReplicationEndToEndTest, AStoppedBrokerIsNotInSyncAndOffline) {
  ASSERT_TRUE(cluster->stop_broker(3, CloseKind::kFin));
  EXPECT_EQ(metadata().isr_nodes, (Brokers{1, 2}));
  EXPECT_EQ(metadata().offline_replicas, (Brokers{3}));
  ASSERT_TRUE(cluster->start_broker(3));
  EXPECT_EQ(metadata().isr_nodes, (Brokers{1, 2, 3}));
  EXPECT_EQ(metadata().offline_replicas, Brokers{});
}

TEST_F(ReplicationEndToEndTest, TooFewInSyncRefuseBeforeTheAppendAndOnlyThoseThatAskForAll) {
  ASSERT_TRUE(cluster->set_isr("t", 0, {1}));
  const auto refused = produce(leader, for_all());
  EXPECT_EQ(refused.error_code, code(KafkaError::kNotEnoughReplicas));
  EXPECT_EQ(refused.base_offset, -1);
  EXPECT_EQ(refused.log_start_offset, 0);
  EXPECT_EQ(partition().end_offset, 0);
  EXPECT_EQ(produced(a_produce(a_batch(), 1)), 0);
  // It is not committed, though.
  EXPECT_EQ(fetch(leader, {}).high_watermark, 0);
  EXPECT_EQ(fetch(leader, {}).records->size(), 0U);
  ASSERT_TRUE(cluster->set_isr("t", 0, {1, 2}));
  EXPECT_EQ(fetch(leader, {}).high_watermark, 1);
  EXPECT_EQ(produced(for_all()), 0);
}

TEST_F(ReplicationEndToEndTest, AcknowledgementByAllWaitsForTheHighWatermark) {
  ASSERT_TRUE(cluster->hold_high_watermark("t", 0, true));
  const auto id = send_and_wait_for_append(for_all());
  ClientForTest consumer(cluster.broker(1));
  EXPECT_EQ(fetch(consumer, {}).records->size(), 0U);
  EXPECT_EQ(produce(consumer, a_produce(a_batch(), 1)).error_code, 0);
  EXPECT_EQ(leader.ending(Millis(20)), ClientForTest::Ending::kSilence);
  ASSERT_TRUE(cluster->hold_high_watermark("t", 0, false));
  EXPECT_EQ(received(id), 0);
  EXPECT_EQ(fetch(consumer, {}).high_watermark, 2);
}

TEST_F(ReplicationEndToEndTest, ALongPollEndsAsTheHighWatermarkMoves) {
  ASSERT_TRUE(cluster->hold_high_watermark("t", 0, true));
  produced(a_produce(a_batch(), 1));
  const auto id = leader.send(a_fetch({.max_wait_ms = 60'000}), 12);
  ASSERT_TRUE(cluster.saw_request(1));
  ASSERT_TRUE(cluster->hold_high_watermark("t", 0, false));
  EXPECT_GT(leader.receive<protocol::FetchResponse>(id, 12)
                .responses.at(0)
                .partitions.at(0)
                .records->size(),
            0U);
}

TEST_F(ReplicationEndToEndTest, AfterItsTimeoutTheRequestTimesOutAndTheRecordsStay) {
  ASSERT_TRUE(cluster->hold_high_watermark("t", 0, true));
  const auto answer = produce(leader, for_all(20));
  EXPECT_EQ(answer.error_code, code(KafkaError::kRequestTimedOut));
  EXPECT_EQ(answer.base_offset, 0);
  EXPECT_EQ(partition().end_offset, 1);
}

TEST_F(ReplicationEndToEndTest, ARetryOfAnIdempotentProducerWaitsToo) {
  const auto batch = an_idempotent_batch(0, 2);
  ASSERT_TRUE(cluster->hold_high_watermark("t", 0, true));
  EXPECT_EQ(produced(for_all(20, batch)), code(KafkaError::kRequestTimedOut));
  EXPECT_EQ(produced(for_all(20, batch)), code(KafkaError::kRequestTimedOut));
  ASSERT_TRUE(cluster->hold_high_watermark("t", 0, false));
  EXPECT_EQ(produced(for_all(20, batch)), 0);
  EXPECT_EQ(partition().end_offset, 2);
}

TEST_F(ReplicationEndToEndTest, WhoWaitsIsToldThatTheLeaderMoved) {
  ASSERT_TRUE(cluster->hold_high_watermark("t", 0, true));
  const auto id = send_and_wait_for_append(for_all(), 10);
  ASSERT_TRUE(cluster->move_leader("t", 0, 2));
  const auto answer = leader.receive<ProduceResponse>(id, 10);
  const auto& partition = answer.responses.at(0).partition_responses.at(0);
  EXPECT_EQ(partition.error_code, code(KafkaError::kNotLeaderOrFollower));
  EXPECT_EQ(partition.current_leader.leader_id, 2);
  ASSERT_EQ(answer.node_endpoints.size(), 1U);
  EXPECT_EQ(answer.node_endpoints[0].node_id, 2);
}

TEST_F(ReplicationEndToEndTest, WhoWaitsIsToldThatTheTopicWentAway) {
  ASSERT_TRUE(cluster->hold_high_watermark("t", 0, true));
  const auto id = send_and_wait_for_append(for_all());
  ASSERT_TRUE(cluster->delete_topic("t"));
  EXPECT_EQ(received(id), code(KafkaError::kUnknownTopicOrPartition));
}

// The high watermark moves only where there are enough replicas.
TEST_F(ReplicationEndToEndTest, WhoWaitsWhileReplicasFallOutTimesOut) {
  ASSERT_TRUE(cluster->hold_high_watermark("t", 0, true));
  const auto id = send_and_wait_for_append(for_all(100));
  ASSERT_TRUE(cluster->set_isr("t", 0, {1}));
  ASSERT_TRUE(cluster->hold_high_watermark("t", 0, false));
  EXPECT_EQ(received(id), code(KafkaError::kRequestTimedOut));
}

TEST(ReplicationOfOldReleases, WhoWaitsWhileReplicasFallOutIsToldOfIt) {
  ClusterSpec spec = three_brokers();
  spec.release = "3.6";
  ClusterForTest cluster(spec);
  ClientForTest leader(cluster.broker(1));
  ASSERT_TRUE(cluster->hold_high_watermark("t", 0, true));
  const auto id = leader.send(for_all(), 9);
  while (cluster->topics().at(0).partitions.at(0).end_offset == 0) std::this_thread::yield();
  ASSERT_TRUE(cluster->set_isr("t", 0, {1}));
  ASSERT_TRUE(cluster->hold_high_watermark("t", 0, false));
  const auto answer = leader.receive<ProduceResponse>(id, 9);
  EXPECT_EQ(answer.responses.at(0).partition_responses.at(0).error_code,
            code(KafkaError::kNotEnoughReplicasAfterAppend));
}

TEST_F(ReplicationEndToEndTest, ANewLeaderDoesNotKnowTheLatestOffsetYet) {
  ASSERT_TRUE(cluster->hold_high_watermark("t", 0, true));
  produced(a_produce(a_batch({.timestamps = {1000}}), 1));
  EXPECT_EQ(latest(leader, 7).offset, 0);  // the old one does
  ASSERT_TRUE(cluster->move_leader("t", 0, 2));
  ClientForTest client(cluster.broker(2));
  EXPECT_EQ(latest(client, 7).error_code, code(KafkaError::kOffsetNotAvailable));
  EXPECT_EQ(latest(client, 4).error_code, code(KafkaError::kLeaderNotAvailable));
  EXPECT_EQ(latest(client, 7, 1000).error_code, code(KafkaError::kOffsetNotAvailable));
  EXPECT_EQ(latest(client, 7, 2000).error_code, 0);  // there is none
  EXPECT_EQ(latest(client, 7, -2).offset, 0);
  ASSERT_TRUE(cluster->hold_high_watermark("t", 0, false));
  EXPECT_EQ(latest(client, 7).offset, 1);
}

TEST_F(ReplicationEndToEndTest, AfterAnUncleanElectionConsumersLearnWhereTheirLogParts) {
  produced(a_produce(a_batch(), 1));
  ASSERT_TRUE(cluster->set_isr("t", 0, {1, 3}));
  produced(a_produce(a_batch(), 1));
  produced(a_produce(a_batch(), 1));
  ASSERT_TRUE(cluster->move_leader("t", 0, 2));
  ClientForTest client(cluster.broker(2));
  auto request = a_fetch({.offset = 3, .leader_epoch = 1});
  request.topics.at(0).partitions.at(0).last_fetched_epoch = 0;
  const auto told =
      client.call<protocol::FetchResponse>(request, 12).responses.at(0).partitions.at(0);
  EXPECT_EQ(told.error_code, 0);
  EXPECT_EQ(told.diverging_epoch.epoch, 0);
  EXPECT_EQ(told.diverging_epoch.end_offset, 1);
  EXPECT_EQ(fetch(client, {.offset = 3}).error_code, code(KafkaError::kOffsetOutOfRange));

  protocol::OffsetForLeaderEpochRequest where;
  auto& topic = where.topics.emplace_back();
  topic.topic = "t";
  auto& asked = topic.partitions.emplace_back();
  asked.current_leader_epoch = 1;
  asked.leader_epoch = 0;
  const auto end =
      client.call<protocol::OffsetForLeaderEpochResponse>(where, 4).topics.at(0).partitions.at(0);
  EXPECT_EQ(end.leader_epoch, 0);
  EXPECT_EQ(end.end_offset, 1);
}

TEST_F(ReplicationEndToEndTest, AFailedDiskIsToldOf) {
  ASSERT_TRUE(cluster->set_replica_online("t", 0, 1, false));
  EXPECT_EQ(produced(a_produce(a_batch(), 1)), code(KafkaError::kKafkaStorageError));
  EXPECT_EQ(fetch(leader, {}).error_code, code(KafkaError::kKafkaStorageError));
  EXPECT_EQ(metadata().offline_replicas, (Brokers{1}));
  ASSERT_TRUE(cluster->move_leader("t", 0, 2));
  EXPECT_EQ(metadata().isr_nodes, (Brokers{2, 3}));
  ASSERT_TRUE(cluster->set_replica_online("t", 0, 1, true));
  EXPECT_EQ(metadata().isr_nodes, (Brokers{1, 2, 3}));
  EXPECT_EQ(produced(a_produce(a_batch(), 1)), code(KafkaError::kNotLeaderOrFollower));
}

struct ReplicationByRestTest : ReplicationEndToEndTest {
  ControlApi api{*cluster.operator->()};
  ControlResponse post(const std::string& what, const std::string& body) {
    return api.handle(
        {.method = "POST", .target = "/v1/topics/t/partitions/" + what, .body = body});
  }
};

TEST_F(ReplicationByRestTest, ReplicasFallOutAndCatchUp) {
  const auto answer = post("0/isr", R"({"replicas": [1]})");
  EXPECT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(boost::json::parse(answer.body).at("partitions").at(0).at("isr"),
            boost::json::array({1}));
  EXPECT_EQ(produced(for_all()), code(KafkaError::kNotEnoughReplicas));
  EXPECT_EQ(post("0/isr", R"({"replicas": [1, 2]})").status, 200);
  EXPECT_EQ(produced(for_all()), 0);
}

TEST_F(ReplicationByRestTest, TheHighWatermarkIsHeldAndReleased) {
  EXPECT_EQ(post("0/high_watermark", R"({"held": true})").status, 200);
  EXPECT_EQ(produced(for_all(20)), code(KafkaError::kRequestTimedOut));
  EXPECT_EQ(partition().high_watermark, 0);
  EXPECT_EQ(post("0/high_watermark", R"({"held": false})").status, 200);
  EXPECT_EQ(partition().high_watermark, 1);
}

TEST_F(ReplicationByRestTest, ADiskFails) {
  EXPECT_EQ(post("0/replica", R"({"broker": 1, "online": false})").status, 200);
  EXPECT_EQ(produced(for_all()), code(KafkaError::kKafkaStorageError));
}

TEST_F(ReplicationByRestTest, WhatIsWrongIsToldOfAndNothingDone) {
  EXPECT_EQ(post("0/isr", R"({"replicas": [2]})").status, 400);
  EXPECT_EQ(post("0/isr", R"({})").status, 400);
  EXPECT_EQ(post("7/isr", R"({"replicas": [1]})").status, 404);
  EXPECT_EQ(post("x/isr", R"({"replicas": [1]})").status, 404);
  EXPECT_EQ(post("0/high_watermark", R"({"held": 1})").status, 400);
  EXPECT_EQ(post("0/replica", R"({"broker": 9, "online": false})").status, 404);
  EXPECT_EQ(metadata().isr_nodes, (Brokers{1, 2, 3}));
}

}  // namespace
}  // namespace ktrial::fakebroker
