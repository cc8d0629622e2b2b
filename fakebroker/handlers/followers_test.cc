// SPDX-License-Identifier: Apache-2.0
// End to end: consumers are sent to a replica in their rack, which serves them (KIP-392).
#include "fakebroker/cluster_for_test.h"
#include "fakebroker/requests_for_test.h"
#include "protocol/errors.h"

#include <gtest/gtest.h>

namespace ktrial::fakebroker {
namespace {

using protocol::KafkaError;

ClusterSpec spec_in_racks(bool rack_aware = true) {
  ClusterSpec spec = spec_for_test(3);
  spec.brokers[0].rack = "a";
  spec.brokers[1].rack = "b";
  spec.rack_aware_replicas = rack_aware;
  return spec;
}

// Of partition 0, which broker 1 leads.
protocol::fetch_response::PartitionData fetch_from(ClientForTest& client, const std::string& rack,
                                                   std::int16_t version = 12,
                                                   std::int32_t leader_epoch = -1) {
  protocol::FetchRequest request = a_fetch({.leader_epoch = leader_epoch});
  request.rack_id = rack;
  return client.call<protocol::FetchResponse>(request, version).responses.at(0).partitions.at(0);
}

struct FollowersTest : testing::Test {
  ClusterForTest cluster{spec_in_racks()};
  ClientForTest leader{cluster.broker(1)};
  ClientForTest follower{cluster.broker(2)};
  void SetUp() override { produce(leader, a_produce(a_batch())); }
};

TEST_F(FollowersTest, TheLeaderSendsAConsumerToItsRackAndTheFollowerServesIt) {
  const auto told = fetch_from(leader, "b");
  EXPECT_EQ(told.preferred_read_replica, 2);
  EXPECT_TRUE(told.records->empty());
  EXPECT_EQ(told.high_watermark, 1);
  const auto served = fetch_from(follower, "b");
  EXPECT_EQ(served.error_code, 0);
  EXPECT_EQ(served.preferred_read_replica, -1);
  EXPECT_FALSE(served.records->empty());
}

TEST_F(FollowersTest, TheLeaderServesItsOwnRackAndThoseWithoutAReplica) {
  for (const char* rack : {"a", "c", ""}) {
    const auto served = fetch_from(leader, rack);
    EXPECT_EQ(served.preferred_read_replica, -1) << rack;
    EXPECT_FALSE(served.records->empty()) << rack;
  }
}

TEST_F(FollowersTest, AReplicaThatIsDownIsNotPreferred) {
  ASSERT_TRUE(cluster->refuse(2));
  EXPECT_EQ(fetch_from(leader, "b").preferred_read_replica, -1);
}

TEST_F(FollowersTest, OldConsumersAndStaleEpochsAreRefused) {
  EXPECT_EQ(fetch_from(follower, "b", 10).error_code, code(KafkaError::kNotLeaderOrFollower));
  ASSERT_TRUE(cluster->move_leader("t", 0, 3));
  EXPECT_EQ(fetch_from(follower, "b", 12, 0).error_code, code(KafkaError::kFencedLeaderEpoch));
}

TEST(Followers, WithoutASelectorNobodyIsSentToThemYetTheyServe) {
  ClusterForTest cluster{spec_in_racks(false)};
  ClientForTest leader(cluster.broker(1));
  ClientForTest follower(cluster.broker(2));
  EXPECT_EQ(fetch_from(leader, "b").preferred_read_replica, -1);
  EXPECT_EQ(fetch_from(follower, "b").error_code, 0);
  EXPECT_EQ(fetch_from(follower, "b", 10).error_code, code(KafkaError::kNotLeaderOrFollower));
}

}  // namespace
}  // namespace ktrial::fakebroker
