// SPDX-License-Identifier: Apache-2.0
// End to end: topics that keep nothing of what is produced to them.
#include "fakebroker/cluster_for_test.h"
#include "fakebroker/requests_for_test.h"
#include "protocol/errors.h"
#include "protocol/messages/list_offsets_request.h"
#include "protocol/messages/list_offsets_response.h"

#include <gtest/gtest.h>

namespace ktrial::fakebroker {
namespace {

using protocol::KafkaError;

struct DiscardTest : testing::Test {
  static ClusterSpec spec() {
    ClusterSpec spec = spec_for_test();
    spec.topics.push_back({.name = "gone", .partitions = 1, .discard = true});
    return spec;
  }
  ClusterForTest cluster{spec()};
  ClientForTest client{cluster.broker()};

  auto produce_to_it(const Slice& batch) { return produce(client, a_produce(batch, 1, 0, "gone")); }
  KafkaError error_of(const Slice& batch) {
    return static_cast<KafkaError>(produce_to_it(batch).error_code);
  }
  std::int64_t offset_at(std::int64_t timestamp) {
    protocol::ListOffsetsRequest request;
    auto& topic = request.topics.emplace_back();
    topic.name = "gone";
    topic.partitions.emplace_back().timestamp = timestamp;
    return client.call<protocol::ListOffsetsResponse>(request, 7)
        .topics.at(0)
        .partitions.at(0)
        .offset;
  }
};

TEST_F(DiscardTest, OffsetsGoOnAndTheLogStartsWhereItEnds) {
  EXPECT_EQ(produce_to_it(a_batch({.timestamps = {1, 2, 3}})).base_offset, 0);
  const auto second = produce_to_it(a_batch());
  EXPECT_EQ(second.base_offset, 3);
  EXPECT_EQ(second.log_start_offset, 4);
  EXPECT_EQ(offset_at(-2), 4);
  EXPECT_EQ(offset_at(-1), 4);
  EXPECT_EQ(cluster->memory().records, 0);
  EXPECT_EQ(cluster->topics().at(0).discard, true);
}

TEST_F(DiscardTest, WhatIsWrongIsStillRefused) {
  EXPECT_EQ(error_of(with_byte(a_batch(), 62, 0xff)), KafkaError::kCorruptMessage);
  EXPECT_EQ(error_of(an_idempotent_batch(0, 2)), KafkaError::kNone);
  EXPECT_EQ(error_of(an_idempotent_batch(5, 1)), KafkaError::kOutOfOrderSequenceNumber);
  const auto again = produce_to_it(an_idempotent_batch(0, 2));
  EXPECT_EQ(again.error_code, 0);
  EXPECT_EQ(again.base_offset, 0);
  EXPECT_EQ(offset_at(-1), 2);
}

TEST_F(DiscardTest, ConsumersAreAtTheEndOrOutOfRange) {
  produce_to_it(a_batch());
  const auto at_end = fetch(client, {.offset = 1, .topic = "gone"});
  EXPECT_EQ(at_end.error_code, 0);
  EXPECT_EQ(at_end.high_watermark, 1);
  EXPECT_EQ(at_end.log_start_offset, 1);
  EXPECT_EQ(at_end.records->size(), 0U);
  EXPECT_EQ(fetch(client, {.offset = 0, .topic = "gone"}).error_code,
            code(KafkaError::kOffsetOutOfRange));
}

TEST_F(DiscardTest, OtherTopicsKeepTheirs) {
  produce(client, a_produce(a_batch()));
  EXPECT_GT(fetch(client, {}).records->size(), 0U);
}

TEST(Discard, MayBeOfAllTopics) {
  ClusterSpec spec = spec_for_test();
  spec.discard = true;
  ClusterForTest cluster(std::move(spec));
  ClientForTest client(cluster.broker());
  produce(client, a_produce(a_batch()));
  EXPECT_EQ(fetch(client, {.offset = 1}).log_start_offset, 1);
}

}  // namespace
}  // namespace ktrial::fakebroker
