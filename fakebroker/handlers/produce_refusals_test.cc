// SPDX-License-Identifier: Apache-2.0
// End to end: how Produce refuses, in which order and with what beside the error; as a real broker
// does it (differential/).
#include "fakebroker/cluster_for_test.h"
#include "fakebroker/requests_for_test.h"
#include "protocol/errors.h"

#include <gtest/gtest.h>

namespace ktrial::fakebroker {
namespace {

using protocol::KafkaError;
using protocol::ProduceResponse;

struct ProduceRefusals : testing::Test {
  ClusterForTest cluster;
  ClientForTest client{cluster.broker(1)};

  std::int16_t error_of(const protocol::ProduceRequest& request) {
    return produce(client, request, 9).error_code;
  }
};

TEST_F(ProduceRefusals, WhatIsNotThereComesBeforeTheFormAndThatBeforeAcks) {
  EXPECT_EQ(error_of(a_produce(Slice(), 7, 0, "nobody")),
            code(KafkaError::kUnknownTopicOrPartition));
  EXPECT_EQ(error_of(a_produce(Slice(), 7)), code(KafkaError::kInvalidRecord));
  EXPECT_EQ(error_of(a_produce(a_batch(), 7)), code(KafkaError::kInvalidRequiredAcks));
}

TEST_F(ProduceRefusals, WhatTheLogRefusesTellsWhereItStarts) {
  const Slice control = a_batch({.options = {.control = true}});
  EXPECT_EQ(produce(client, a_produce(control), 9).log_start_offset, 0);
  EXPECT_EQ(produce(client, a_produce(Slice()), 9).log_start_offset, -1);
}

TEST_F(ProduceRefusals, OfAPartitionNamedTwiceTheLastBatchCounts) {
  auto request = a_produce(a_batch({.timestamps = {1, 2, 3}}));
  request.topic_data[0].partition_data.push_back(request.topic_data[0].partition_data[0]);
  request.topic_data[0].partition_data[1].records = a_batch();
  const auto response = client.call<ProduceResponse>(request, 9);
  EXPECT_EQ(response.responses.at(0).partition_responses.size(), 1U);
  EXPECT_EQ(produce(client, a_produce(a_batch()), 9).base_offset, 1);
}

TEST_F(ProduceRefusals, ATopicWithoutPartitionsIsNotAnswered) {
  auto request = a_produce(a_batch());
  request.topic_data[0].partition_data.clear();
  EXPECT_TRUE(client.call<ProduceResponse>(request, 9).responses.empty());
}

TEST_F(ProduceRefusals, ATransactionalBatchNeedsATransactionalId) {
  const Slice batch = a_batch({.producer = {7, 0, 0}, .options = {.transactional = true}});
  EXPECT_EQ(error_of(a_produce(batch)), code(KafkaError::kTransactionalIdAuthorizationFailed));
}

TEST_F(ProduceRefusals, RecordErrorsNameTheRecords) {
  ASSERT_TRUE(cluster->create_topic({.name = "c", .configs = {{"cleanup.policy", "compact"}}}));
  const auto answer = produce(client, a_produce(a_batch(), 1, 0, "c"), 9);
  EXPECT_EQ(answer.error_code, code(KafkaError::kInvalidRecord));
  ASSERT_EQ(answer.record_errors.size(), 1U);
  EXPECT_TRUE(answer.error_message);
}

TEST_F(ProduceRefusals, TheTopicSaysWhoseTimeItIs) {
  const Slice batch = a_batch();
  std::vector<std::uint8_t> bytes(batch.span().begin(), batch.span().end());
  protocol::set_log_append_time(bytes, 5);
  EXPECT_EQ(error_of(a_produce(Slice(std::move(bytes)))), 0);
  const Slice stored = *fetch(client, {}).records;
  const auto header = protocol::read_batch_header(stored.span()).value();
  EXPECT_FALSE(header.log_append_time());
  EXPECT_TRUE(protocol::crc_is_valid(stored.span(), header));
}

TEST_F(ProduceRefusals, ADuplicateIsAnsweredWithTheTimeOfTheFirst) {
  produce(client, a_produce(an_idempotent_batch(0, 1)), 9);
  const auto answer = produce(client, a_produce(an_idempotent_batch(0, 1)), 9);
  EXPECT_EQ(answer.base_offset, 0);
  EXPECT_EQ(answer.log_append_time_ms, 1000);
}

}  // namespace
}  // namespace ktrial::fakebroker
