// SPDX-License-Identifier: Apache-2.0
// End to end: Produce, Fetch, ListOffsets, OffsetForLeaderEpoch, InitProducerId.
#include "fakebroker/cluster_for_test.h"
#include "fakebroker/requests_for_test.h"
#include "protocol/errors.h"
#include "protocol/messages/init_producer_id_request.h"
#include "protocol/messages/init_producer_id_response.h"
#include "protocol/messages/list_offsets_request.h"
#include "protocol/messages/list_offsets_response.h"
#include "protocol/messages/offset_for_leader_epoch_request.h"
#include "protocol/messages/offset_for_leader_epoch_response.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace ktrial::fakebroker {
namespace {

using protocol::FetchResponse;
using protocol::KafkaError;
using protocol::MetadataResponse;
using protocol::ProduceResponse;
using Ending = ClientForTest::Ending;

struct DataTest : testing::Test {
  ClusterForTest cluster{spec_for_test(2)};
  ClientForTest client{cluster.broker(1)};

  protocol::Uuid topic_id() {
    return client.call<MetadataResponse>(a_metadata(), 12).topics.at(0).topic_id;
  }
  protocol::list_offsets_response::ListOffsetsPartitionResponse offset_at(
      std::int64_t timestamp, std::int16_t version = 7) {
    protocol::ListOffsetsRequest request;
    auto& topic = request.topics.emplace_back();
    topic.name = "t";
    topic.partitions.emplace_back().timestamp = timestamp;
    return client.call<protocol::ListOffsetsResponse>(request, version)
        .topics.at(0)
        .partitions.at(0);
  }
};

// --- Produce

TEST_F(DataTest, ProduceAndFetchInEveryVersion) {
  const protocol::Uuid id = topic_id();
  std::int64_t offset = 0;
  for (std::int16_t version = 3; version <= 13; ++version, ++offset) {
    auto request = a_produce(a_batch());
    if (version >= 13) request.topic_data[0].topic_id = id;
    EXPECT_EQ(produce(client, request, version).base_offset, offset) << version;
  }
  for (std::int16_t version = 4; version <= 18; ++version) {
    auto request = a_fetch();
    request.topics[0].topic_id = id;
    const auto response = client.call<FetchResponse>(request, version);
    const auto& partition = response.responses.at(0).partitions.at(0);
    EXPECT_EQ(partition.error_code, 0) << version;
    EXPECT_EQ(partition.high_watermark, offset) << version;
    EXPECT_EQ(partition.records->size(), a_batch().size() * static_cast<std::size_t>(offset))
        << version;
  }
}

TEST_F(DataTest, AcksMustBeKnown) {
  EXPECT_EQ(produce(client, a_produce(a_batch(), 7)).error_code,
            code(KafkaError::kInvalidRequiredAcks));
  EXPECT_EQ(produce(client, a_produce(a_batch(), -1)).error_code, 0);
}

TEST_F(DataTest, WithoutAcksThereIsNoAnswer) {
  client.send(a_produce(a_batch(), 0), 9);
  EXPECT_EQ(client.call<MetadataResponse>(a_metadata(), 9).topics.size(), 1U);
  EXPECT_EQ(fetch(client, {}).high_watermark, 1);
}

TEST_F(DataTest, WithoutAcksAnErrorCloses) {
  client.send(a_produce(a_batch(), 0, 99), 9);
  EXPECT_EQ(client.ending(), Ending::kFin);
  EXPECT_EQ(cluster.close_reason(), "error 3 for acks=0");
}

TEST_F(DataTest, ACorruptBatchIsNotAppended) {
  const Slice batch = a_batch();
  EXPECT_EQ(produce(client, a_produce(with_byte(batch, batch.size() - 1, 0xee))).error_code,
            code(KafkaError::kCorruptMessage));
  EXPECT_EQ(fetch(client, {}).high_watermark, 0);
}

TEST_F(DataTest, ACompressedBatchLeavesAsItCame) {
  constexpr std::size_t kOnlyTheBrokersBefore = 16;  // offset, length, leader epoch
  std::int64_t offset = 0;
  for (const Codec codec : {Codec::kGzip, Codec::kSnappy, Codec::kLz4, Codec::kZstd}) {
    const Slice sent = a_batch({.value = std::string(500, 'x'), .options = {.codec = codec}});
    EXPECT_EQ(produce(client, a_produce(sent)).base_offset, offset);
    const Slice stored = *fetch(client, {.offset = offset}).records;
    ASSERT_EQ(stored.size(), sent.size());
    EXPECT_TRUE(std::ranges::equal(stored.span().subspan(kOnlyTheBrokersBefore),
                                   sent.span().subspan(kOnlyTheBrokersBefore)));
    ++offset;
  }
}

TEST_F(DataTest, AnotherLeaderIsNamedToNewerClients) {
  EXPECT_EQ(produce(client, a_produce(a_batch(), 1, 1), 9).error_code,
            code(KafkaError::kNotLeaderOrFollower));
  const auto response = client.call<ProduceResponse>(a_produce(a_batch(), 1, 1), 10);
  EXPECT_EQ(response.responses.at(0).partition_responses.at(0).current_leader.leader_id, 2);
  ASSERT_EQ(response.node_endpoints.size(), 1U);
  EXPECT_EQ(response.node_endpoints[0].port, cluster.broker(2).port);
}

TEST_F(DataTest, UnknownTopicsHaveTheirErrors) {
  EXPECT_EQ(produce(client, a_produce(a_batch(), 1, 0, "none")).error_code,
            code(KafkaError::kUnknownTopicOrPartition));
  EXPECT_EQ(produce(client, a_produce(a_batch(), 1, 0, "none"), 13).error_code,
            code(KafkaError::kUnknownTopicId));
}

TEST_F(DataTest, ARetryOfAnIdempotentBatchIsNotAppendedTwice) {
  EXPECT_EQ(produce(client, a_produce(an_idempotent_batch(0, 3))).base_offset, 0);
  EXPECT_EQ(produce(client, a_produce(an_idempotent_batch(3, 2))).base_offset, 3);
  EXPECT_EQ(produce(client, a_produce(an_idempotent_batch(0, 3))).base_offset, 0);
  EXPECT_EQ(fetch(client, {}).high_watermark, 5);
  EXPECT_EQ(produce(client, a_produce(an_idempotent_batch(9, 1))).error_code,
            code(KafkaError::kOutOfOrderSequenceNumber));
}

TEST_F(DataTest, LogAppendTimeIsTheBrokers) {
  ASSERT_TRUE(cluster->create_topic({.name = "stamped",
                                     .leaders = {1},
                                     .configs = {{"message.timestamp.type", "LogAppendTime"}}}));
  const auto answer = produce(client, a_produce(a_batch({.timestamps = {5}}), 1, 0, "stamped"));
  EXPECT_GT(answer.log_append_time_ms, 1'600'000'000'000);
  const Slice records = *fetch(client, {.topic = "stamped"}).records;
  const auto header = protocol::read_batch_header(records.span()).value();
  EXPECT_TRUE(header.log_append_time());
  EXPECT_EQ(header.max_timestamp, answer.log_append_time_ms);
  EXPECT_TRUE(protocol::crc_is_valid(records.span(), header));
}

TEST_F(DataTest, TheTopicsLimitHolds) {
  ASSERT_TRUE(cluster->create_topic(
      {.name = "small", .leaders = {1}, .configs = {{"max.message.bytes", "100"}}}));
  EXPECT_EQ(produce(client, a_produce(a_batch({.value = std::string(200, 'x')}), 1, 0, "small"))
                .error_code,
            code(KafkaError::kMessageTooLarge));
}

// --- Fetch

TEST_F(DataTest, ALongPollWaitsForEnoughBytes) {
  const auto one = static_cast<std::int32_t>(a_batch().size());
  const auto id = client.send(a_fetch({.max_wait_ms = 60'000, .min_bytes = 2 * one}), 12);
  ClientForTest producer(cluster.broker(1));
  produce(producer, a_produce(a_batch()));
  EXPECT_EQ(client.ending(Millis(30)), Ending::kSilence);
  produce(producer, a_produce(a_batch()));
  EXPECT_EQ(client.receive<FetchResponse>(id, 12).responses.at(0).partitions.at(0).records->size(),
            static_cast<std::size_t>(2 * one));
}

TEST_F(DataTest, ALongPollEndsEmptyAtItsDeadline) {
  const auto partition = fetch(client, {.max_wait_ms = 20});
  EXPECT_EQ(partition.error_code, 0);
  ASSERT_TRUE(partition.records);
  EXPECT_TRUE(partition.records->empty());
}

TEST_F(DataTest, OffsetsOutsideTheLogAreRefusedAtOnce) {
  EXPECT_EQ(fetch(client, {.offset = 1, .max_wait_ms = 60'000}).error_code,
            code(KafkaError::kOffsetOutOfRange));
  EXPECT_EQ(fetch(client, {.offset = -5, .max_wait_ms = 60'000}).error_code,
            code(KafkaError::kOffsetOutOfRange));
}

TEST_F(DataTest, EpochsAreCompared) {
  ASSERT_TRUE(cluster->move_leader("t", 0, 1));
  EXPECT_EQ(fetch(client, {.leader_epoch = 0}).error_code, code(KafkaError::kFencedLeaderEpoch));
  EXPECT_EQ(fetch(client, {.leader_epoch = 1}).error_code, 0);
  EXPECT_EQ(fetch(client, {.leader_epoch = 2}).error_code, code(KafkaError::kUnknownLeaderEpoch));
}

TEST_F(DataTest, AConsumerWhoseLogPartedIsToldWhere) {
  produce(client, a_produce(a_batch({.timestamps = {1, 2}})));
  ASSERT_TRUE(cluster->move_leader("t", 0, 1));
  produce(client, a_produce(a_batch()));
  auto request = a_fetch({.offset = 3, .max_wait_ms = 60'000});
  request.topics[0].partitions[0].last_fetched_epoch = 0;
  const auto data = client.call<FetchResponse>(request, 12).responses.at(0).partitions.at(0);
  EXPECT_EQ(data.diverging_epoch.epoch, 0);
  EXPECT_EQ(data.diverging_epoch.end_offset, 2);
}

TEST_F(DataTest, AnotherLeaderIsNamedToNewerConsumers) {
  ASSERT_TRUE(cluster->move_leader("t", 1, 2));
  auto request = a_fetch({.partition = 1, .leader_epoch = 0});
  request.topics[0].topic_id = topic_id();
  const auto response = client.call<FetchResponse>(request, 16);
  const auto& partition = response.responses.at(0).partitions.at(0);
  EXPECT_EQ(partition.error_code, code(KafkaError::kFencedLeaderEpoch));
  EXPECT_EQ(partition.current_leader.leader_id, 2);
  ASSERT_EQ(response.node_endpoints.size(), 1U);
}

TEST_F(DataTest, OneBatchComesWhateverTheLimit) {
  produce(client, a_produce(a_batch({.value = std::string(5000, 'x')})));
  produce(client, a_produce(a_batch({.value = std::string(5000, 'x')})));
  const auto partition = fetch(client, {.max_bytes = 1, .partition_max_bytes = 1});
  EXPECT_GT(partition.records->size(), 5000U);
  EXPECT_LT(partition.records->size(), 6000U);
}

TEST_F(DataTest, AnIncrementalFetchOnlyTellsNews) {
  const auto first = client.call<FetchResponse>(a_fetch({.session_epoch = 0}), 12);
  ASSERT_NE(first.session_id, 0);
  EXPECT_EQ(first.responses.size(), 1U);
  protocol::FetchRequest next;
  next.session_id = first.session_id;
  next.session_epoch = 1;
  next.min_bytes = 1;
  EXPECT_TRUE(client.call<FetchResponse>(next, 12).responses.empty());
  produce(client, a_produce(a_batch()));
  next.session_epoch = 2;
  EXPECT_EQ(client.call<FetchResponse>(next, 12).responses.at(0).partitions.at(0).high_watermark,
            1);
  next.session_epoch = 2;
  EXPECT_EQ(client.call<FetchResponse>(next, 12).error_code,
            code(KafkaError::kInvalidFetchSessionEpoch));
  next.session_id = 99;
  EXPECT_EQ(client.call<FetchResponse>(next, 12).error_code,
            code(KafkaError::kFetchSessionIdNotFound));
}

TEST_F(DataTest, ADeletedTopicEndsALongPoll) {
  auto request = a_fetch({.max_wait_ms = 60'000});
  request.topics[0].topic_id = topic_id();
  const auto id = client.send(request, 13);
  ASSERT_TRUE(cluster.saw_request(1));
  ASSERT_TRUE(cluster->delete_topic("t"));
  EXPECT_EQ(client.receive<FetchResponse>(id, 13).responses.at(0).partitions.at(0).error_code,
            code(KafkaError::kUnknownTopicId));
}

// --- ListOffsets and the others

TEST_F(DataTest, OffsetsAreListedByNameAndByTime) {
  produce(client, a_produce(a_batch({.timestamps = {100, 200}})));
  produce(client, a_produce(a_batch({.timestamps = {300, 250}})));
  EXPECT_EQ(offset_at(-1).offset, 4);
  EXPECT_EQ(offset_at(-2).offset, 0);
  EXPECT_EQ(offset_at(-3).offset, 2);
  EXPECT_EQ(offset_at(-3).timestamp, 300);
  EXPECT_EQ(offset_at(150).offset, 1);
  EXPECT_EQ(offset_at(150).timestamp, 200);
  EXPECT_EQ(offset_at(999).offset, -1);
  EXPECT_EQ(offset_at(999).error_code, 0);
  EXPECT_EQ(offset_at(-3, 6).error_code, code(KafkaError::kUnsupportedVersion));
}

TEST_F(DataTest, TheEndOfAnEpochIsWhereTheNextBegan) {
  produce(client, a_produce(a_batch({.timestamps = {1, 2}})));
  ASSERT_TRUE(cluster->move_leader("t", 0, 1));
  produce(client, a_produce(a_batch()));
  protocol::OffsetForLeaderEpochRequest request;
  request.topics.emplace_back().topic = "t";
  request.topics[0].partitions.emplace_back().leader_epoch = 0;
  const auto end =
      client.call<protocol::OffsetForLeaderEpochResponse>(request, 4).topics.at(0).partitions.at(0);
  EXPECT_EQ(end.leader_epoch, 0);
  EXPECT_EQ(end.end_offset, 2);
}

TEST_F(DataTest, ProducerIdsAreNewEachTime) {
  protocol::InitProducerIdRequest request;
  request.transactional_id = std::nullopt;
  const auto first = client.call<protocol::InitProducerIdResponse>(request, 4);
  const auto second = client.call<protocol::InitProducerIdResponse>(request, 4);
  EXPECT_EQ(first.error_code, 0);
  EXPECT_EQ(first.producer_epoch, 0);
  EXPECT_NE(first.producer_id, second.producer_id);
}

}  // namespace
}  // namespace ktrial::fakebroker
