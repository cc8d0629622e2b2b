// SPDX-License-Identifier: Apache-2.0
// End to end: clients that are over their quota are told so, and their channel is muted (KIP-219).
#include "fakebroker/cluster_for_test.h"
#include "fakebroker/requests_for_test.h"
#include "protocol/messages/alter_client_quotas_request.h"
#include "protocol/messages/alter_client_quotas_response.h"
#include "protocol/messages/create_partitions_request.h"
#include "protocol/messages/create_partitions_response.h"
#include "protocol/messages/create_topics_request.h"
#include "protocol/messages/create_topics_response.h"
#include "protocol/messages/delete_topics_request.h"
#include "protocol/messages/delete_topics_response.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>

namespace ktrial::fakebroker {
namespace {

using std::chrono::steady_clock;

struct ThrottlingTest : testing::Test {
  ClusterForTest cluster{spec_for_test(1)};
  ClientForTest client{cluster.broker(1)};

  void limit(const std::string& quota, double bytes_per_second) {
    protocol::AlterClientQuotasRequest request;
    auto& entry = request.entries.emplace_back();
    entry.entity.push_back({.entity_type = "client-id", .entity_name = std::nullopt});
    entry.ops.push_back({.key = quota, .value = bytes_per_second});
    ClientForTest(cluster.broker(1)).call<protocol::AlterClientQuotasResponse>(request, 1);
  }
};

TEST_F(ThrottlingTest, AProducerIsToldAndItsChannelMuted) {
  const auto a_record = a_produce(a_batch());
  EXPECT_EQ(client.call<protocol::ProduceResponse>(a_record, 9).throttle_time_ms, 0);
  limit("producer_byte_rate", 10);
  const auto told = client.call<protocol::ProduceResponse>(a_record, 9);
  // Some 120 bytes where 100 may come in 10 s.
  EXPECT_GT(told.throttle_time_ms, 0);
  EXPECT_LT(told.throttle_time_ms, 10'000);
  EXPECT_EQ(told.responses.at(0).partition_responses.at(0).base_offset, 1);
  limit("producer_byte_rate", 1e9);
}

TEST_F(ThrottlingTest, TheNextRequestWaitsUntilTheChannelIsFree) {
  const auto a_record = a_produce(a_batch());
  limit("producer_byte_rate", 10);
  ClientForTest scout(cluster.broker(1));
  const auto over_by = scout.call<protocol::ProduceResponse>(a_record, 9).throttle_time_ms;
  const double size = 100 + over_by * 10.0 / 1'000;        // 100 may come in 10 s
  limit("producer_byte_rate", std::floor(2 * size / 11));  // so that twice as much takes 11 s
  const auto told = client.call<protocol::ProduceResponse>(a_record, 9);
  ASSERT_GT(told.throttle_time_ms, 0);
  ASSERT_LE(told.throttle_time_ms, 1'500);
  const auto before = steady_clock::now();
  client.call<protocol::MetadataResponse>(a_metadata(), 9);
  EXPECT_GE(steady_clock::now() - before, std::chrono::milliseconds(told.throttle_time_ms / 2));
}

TEST_F(ThrottlingTest, AConsumerGetsNothingUntilItMay) {
  produce(client, a_produce(a_batch({.value = std::string(2'000, 'x')})));
  limit("consumer_byte_rate", 100);
  const auto told = client.call<protocol::FetchResponse>(a_fetch(), 12);
  EXPECT_GT(told.throttle_time_ms, 0);
  EXPECT_TRUE(told.responses.empty());
  // What was not sent does not count: another connection's small fetch goes through.
  ClientForTest other(cluster.broker(1));
  const auto none = other.call<protocol::FetchResponse>(a_fetch({.offset = 1}), 12);
  EXPECT_EQ(none.throttle_time_ms, 0);
}

TEST_F(ThrottlingTest, AnAnswerIsNoLargerThanTheWholeWindowAllows) {
  for (int i = 0; i < 3; ++i) produce(client, a_produce(a_batch({.value = std::string(600, 'x')})));
  limit("consumer_byte_rate", 100);
  const auto got = client.call<protocol::FetchResponse>(a_fetch(), 12);
  EXPECT_EQ(got.throttle_time_ms, 0);
  EXPECT_LT(got.responses.at(0).partitions.at(0).records->size(), 1'000U);
}

struct MutationThrottlingTest : ThrottlingTest {
  static constexpr std::int16_t kOver = 89;  // THROTTLING_QUOTA_EXCEEDED
  protocol::CreateTopicsResponse create(const std::string& name, int partitions,
                                        std::int16_t version = 7) {
    protocol::CreateTopicsRequest request;
    auto& topic = request.topics.emplace_back();
    topic.name = name;
    topic.num_partitions = partitions;
    topic.replication_factor = 1;
    return client.call<protocol::CreateTopicsResponse>(request, version);
  }
};

TEST_F(MutationThrottlingTest, WhoMadeTooManyPartitionsMayMakeNoneForAWhile) {
  limit("controller_mutation_rate", 1);
  const auto made = create("large", 1'011);  // eleven may come at once: a thousand are owed
  EXPECT_EQ(made.topics.at(0).error_code, 0);
  EXPECT_EQ(made.throttle_time_ms, 0);
  const auto refused = create("more", 1);
  EXPECT_EQ(refused.topics.at(0).error_code, kOver);
  EXPECT_EQ(refused.topics.at(0).error_message, "The throttling quota has been exceeded.");
  EXPECT_GT(refused.throttle_time_ms, 900'000);
  EXPECT_EQ(cluster->topics().size(), 2U);
  // Muted: what comes next on this connection waits.
  client.send(a_metadata(), 9);
  EXPECT_EQ(client.ending(Millis(50)), ClientForTest::Ending::kSilence);
}

TEST_F(MutationThrottlingTest, GrowingAndDeletingCostAsMuch) {
  limit("controller_mutation_rate", 1);
  create("large", 1'011);
  protocol::CreatePartitionsRequest grow;
  auto& grown = grow.topics.emplace_back();
  grown.name = "t";
  grown.count = 3;
  grown.assignments = std::nullopt;
  ClientForTest second(cluster.broker(1));
  EXPECT_EQ(second.call<protocol::CreatePartitionsResponse>(grow, 3).results.at(0).error_code,
            kOver);
  protocol::DeleteTopicsRequest erase;
  erase.topics.emplace_back().name = "large";
  ClientForTest third(cluster.broker(1));
  EXPECT_EQ(third.call<protocol::DeleteTopicsResponse>(erase, 6).responses.at(0).error_code, kOver);
  EXPECT_EQ(cluster->topics().size(), 2U);
}

TEST_F(MutationThrottlingTest, ClientsThatDoNotKnowTheErrorAreOnlyThrottled) {
  limit("controller_mutation_rate", 1);
  const auto made = create("large", 1'011, 5);
  EXPECT_EQ(made.topics.at(0).error_code, 0);
  EXPECT_GT(made.throttle_time_ms, 900'000);
}

}  // namespace
}  // namespace ktrial::fakebroker
