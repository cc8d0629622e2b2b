// SPDX-License-Identifier: Apache-2.0
// End to end: DeleteRecords.
#include "fakebroker/cluster_for_test.h"
#include "fakebroker/requests_for_test.h"
#include "protocol/errors.h"
#include "protocol/messages/delete_records_request.h"
#include "protocol/messages/delete_records_response.h"
#include "protocol/messages/list_offsets_request.h"
#include "protocol/messages/list_offsets_response.h"

#include <gtest/gtest.h>

namespace ktrial::fakebroker {
namespace {

using protocol::KafkaError;

struct DeleteRecordsTest : testing::Test {
  ClusterForTest cluster{spec_for_test(2)};
  ClientForTest client{cluster.broker(1)};

  protocol::delete_records_response::DeleteRecordsPartitionResult erase(std::int64_t offset,
                                                                        std::int32_t partition = 0,
                                                                        std::int16_t version = 2) {
    protocol::DeleteRecordsRequest request;
    auto& topic = request.topics.emplace_back();
    topic.name = "t";
    auto& wanted = topic.partitions.emplace_back();
    wanted.partition_index = partition;
    wanted.offset = offset;
    return client.call<protocol::DeleteRecordsResponse>(request, version)
        .topics.at(0)
        .partitions.at(0);
  }
};

TEST_F(DeleteRecordsTest, TheLogStartsWhereItIsTold) {
  produce(client, a_produce(a_batch({.timestamps = {10, 20, 30}})));
  produce(client, a_produce(a_batch({.timestamps = {40}})));
  EXPECT_EQ(erase(2).low_watermark, 2);
  EXPECT_EQ(erase(1).low_watermark, 2);
  EXPECT_EQ(fetch(client, {.offset = 1}).error_code, code(KafkaError::kOffsetOutOfRange));
  EXPECT_EQ(fetch(client, {.offset = 2}).log_start_offset, 2);
  // The batch is still there whole; what was deleted of it is not found.
  protocol::ListOffsetsRequest request;
  auto& topic = request.topics.emplace_back();
  topic.name = "t";
  topic.partitions.emplace_back().timestamp = 5;
  const auto found = client.call<protocol::ListOffsetsResponse>(request, 7);
  EXPECT_EQ(found.topics.at(0).partitions.at(0).offset, 2);
}

TEST_F(DeleteRecordsTest, MinusOneIsAllThereIs) {
  produce(client, a_produce(a_batch()));
  for (std::int16_t version = 0; version <= 2; ++version)
    EXPECT_EQ(erase(-1, 0, version).low_watermark, 1) << version;
  EXPECT_EQ(produce(client, a_produce(a_batch())).base_offset, 1);
  EXPECT_EQ(fetch(client, {.offset = 1}).log_start_offset, 1);
}

TEST_F(DeleteRecordsTest, WhatCannotBeIsRefused) {
  produce(client, a_produce(a_batch()));
  EXPECT_EQ(erase(2).error_code, code(KafkaError::kOffsetOutOfRange));
  EXPECT_EQ(erase(-5).error_code, code(KafkaError::kOffsetOutOfRange));
  EXPECT_EQ(erase(-5).low_watermark, -1);
  EXPECT_EQ(erase(0, 9).error_code, code(KafkaError::kUnknownTopicOrPartition));
  EXPECT_EQ(erase(0, 1).error_code, code(KafkaError::kNotLeaderOrFollower));
}

TEST_F(DeleteRecordsTest, ACompactedTopicKeepsItsRecords) {
  cluster->create_topic({.name = "c", .leaders = {1}, .configs = {{"cleanup.policy", "compact"}}});
  protocol::DeleteRecordsRequest request;
  auto& topic = request.topics.emplace_back();
  topic.name = "c";
  topic.partitions.emplace_back().offset = -1;
  EXPECT_EQ(client.call<protocol::DeleteRecordsResponse>(request, 2)
                .topics.at(0)
                .partitions.at(0)
                .error_code,
            code(KafkaError::kPolicyViolation));
}

TEST_F(DeleteRecordsTest, ARuleRefusesWithoutAnythingBeingDeleted) {
  produce(client, a_produce(a_batch()));
  ASSERT_TRUE(cluster->add_rule(
      {.id = "r",
       .match = {.apis = {"DeleteRecords"}, .times = 1},
       .action = {.apply = false, .error = code(KafkaError::kKafkaStorageError)}}));
  EXPECT_EQ(erase(-1).error_code, code(KafkaError::kKafkaStorageError));
  EXPECT_EQ(fetch(client, {}).log_start_offset, 0);
}

}  // namespace
}  // namespace ktrial::fakebroker
