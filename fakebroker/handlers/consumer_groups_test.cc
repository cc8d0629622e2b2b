// SPDX-License-Identifier: Apache-2.0
// End to end: ConsumerGroupHeartbeat, ConsumerGroupDescribe, and where KIP-848 meets other APIs.
#include "fakebroker/cluster_for_test.h"
#include "fakebroker/groups_for_test.h"
#include "fakebroker/requests_for_test.h"
#include "protocol/messages/consumer_group_describe_request.h"
#include "protocol/messages/consumer_group_describe_response.h"
#include "protocol/messages/consumer_group_heartbeat_request.h"
#include "protocol/messages/consumer_group_heartbeat_response.h"
#include "protocol/messages/describe_groups_request.h"
#include "protocol/messages/describe_groups_response.h"
#include "protocol/messages/list_groups_request.h"
#include "protocol/messages/list_groups_response.h"

#include <gtest/gtest.h>

#include <set>

namespace ktrial::fakebroker {
namespace {

using protocol::ConsumerGroupHeartbeatRequest;
using protocol::ConsumerGroupHeartbeatResponse;
using protocol::KafkaError;
using Partitions = std::set<std::int32_t>;

// Of the one topic; none if the answer has no assignment.
std::optional<Partitions> assigned(const ConsumerGroupHeartbeatResponse& response) {
  if (!response.assignment) return std::nullopt;
  Partitions partitions;
  for (const auto& topic : response.assignment->topic_partitions)
    partitions.insert(topic.partitions.begin(), topic.partitions.end());
  return partitions;
}

struct ConsumerGroupApiTest : testing::Test {
  ClusterForTest cluster{spec_for_test(1)};
  ClientForTest client{cluster.broker(1)};

  protocol::Uuid topic_id() {
    return client.call<protocol::MetadataResponse>(a_metadata(), 12).topics.at(0).topic_id;
  }
  ConsumerGroupHeartbeatResponse send(const ConsumerGroupHeartbeatRequest& request,
                                      std::int16_t version = 1) {
    return client.call<ConsumerGroupHeartbeatResponse>(request, version);
  }
  static ConsumerGroupHeartbeatRequest a_heartbeat(const std::string& member, std::int32_t epoch) {
    ConsumerGroupHeartbeatRequest request;
    request.group_id = "g";
    request.member_id = member;
    request.member_epoch = epoch;
    return request;
  }
  static ConsumerGroupHeartbeatRequest a_join(const std::string& member) {
    auto request = a_heartbeat(member, 0);
    request.rebalance_timeout_ms = 60'000;
    request.subscribed_topic_names = {"t"};
    request.topic_partitions.emplace();
    return request;
  }
  ConsumerGroupHeartbeatResponse beat(const std::string& member, std::int32_t epoch,
                                      std::optional<Partitions> owned = std::nullopt) {
    auto request = a_heartbeat(member, epoch);
    if (owned) {
      auto& topic = request.topic_partitions.emplace().emplace_back();
      topic.topic_id = topic_id();
      topic.partitions.assign(owned->begin(), owned->end());
    }
    return send(request);
  }
  protocol::consumer_group_describe_response::DescribedGroup describe(const std::string& id,
                                                                      std::int16_t version = 1) {
    protocol::ConsumerGroupDescribeRequest request;
    request.group_ids = {id};
    return client.call<protocol::ConsumerGroupDescribeResponse>(request, version).groups.at(0);
  }
};

TEST_F(ConsumerGroupApiTest, APartitionGoesFromOneMemberToAnother) {
  const auto joined = send(a_join("a"));
  EXPECT_EQ(error_of(joined), KafkaError::kNone);
  EXPECT_EQ(joined.member_epoch, 1);
  EXPECT_EQ(joined.assignment->topic_partitions.at(0).topic_id, topic_id());
  EXPECT_EQ(assigned(joined), (Partitions{0, 1}));
  EXPECT_EQ(assigned(send(a_join("b"))), Partitions{});
  EXPECT_EQ(assigned(beat("a", 1, Partitions{0, 1})), Partitions{0});
  EXPECT_EQ(assigned(beat("b", 2)), std::nullopt);
  EXPECT_EQ(beat("a", 1, Partitions{0}).member_epoch, 2);
  EXPECT_EQ(assigned(beat("b", 2)), Partitions{1});
  EXPECT_EQ(send(a_heartbeat("b", -1)).member_epoch, -1);
  EXPECT_EQ(assigned(beat("a", 2)), (Partitions{0, 1}));
}

TEST_F(ConsumerGroupApiTest, MembersAreToldWhatTheyAreNot) {
  EXPECT_EQ(error_of(beat("a", 1)), KafkaError::kGroupIdNotFound);
  send(a_join("a"));
  EXPECT_EQ(error_of(beat("a", 5)), KafkaError::kFencedMemberEpoch);
  EXPECT_EQ(error_of(beat("b", 1)), KafkaError::kUnknownMemberId);
  EXPECT_EQ(error_of(send(a_join(""))), KafkaError::kInvalidRequest);
  EXPECT_EQ(error_of(send(a_join(""), 0)), KafkaError::kNone);
}

TEST_F(ConsumerGroupApiTest, OffsetsAreCommittedAndFetchedUnderTheMembersEpoch) {
  const protocol::Uuid id = topic_id();
  send(a_join("a"));
  for (std::int16_t version = 9; version <= 10; ++version) {
    EXPECT_EQ(commit(client, {.offset = version, .member = "a", .generation = 1, .topic_id = id},
                     version),
              KafkaError::kNone);
    EXPECT_EQ(
        commit(client, {.offset = 1, .member = "a", .generation = 0, .topic_id = id}, version),
        KafkaError::kStaleMemberEpoch);
    EXPECT_EQ(
        commit(client, {.offset = 1, .member = "b", .generation = 1, .topic_id = id}, version),
        KafkaError::kUnknownMemberId);
    EXPECT_EQ(fetch_offset(client, version, {.topic_id = id, .member = "a", .epoch = 1}).offset,
              version);
    EXPECT_EQ(fetch_offset(client, version, {.topic_id = id, .member = "a", .epoch = 2}).error,
              KafkaError::kStaleMemberEpoch);
  }
  EXPECT_EQ(fetch_offset(client, 7).offset, 10);
  EXPECT_EQ(commit(client, {.member = "a", .generation = 1}, 8), KafkaError::kUnsupportedVersion);
}

TEST_F(ConsumerGroupApiTest, AGroupHasOneProtocolAtATime) {
  MemberForTest classic(cluster);
  classic.join();
  EXPECT_EQ(error_of(send(a_join("a"))), KafkaError::kGroupIdNotFound);
  classic.leave();
  EXPECT_EQ(error_of(send(a_join("a"))), KafkaError::kNone);
  EXPECT_EQ(error_of(MemberForTest(cluster).join()), KafkaError::kInconsistentGroupProtocol);
  EXPECT_EQ(classic.heartbeat(), KafkaError::kUnknownMemberId);
  send(a_heartbeat("a", -1));
  EXPECT_EQ(error_of(MemberForTest(cluster).join()), KafkaError::kNone);
}

TEST_F(ConsumerGroupApiTest, AGroupIsDescribed) {
  send(a_join("a"));
  for (std::int16_t version = 0; version <= 1; ++version) {
    const auto group = describe("g", version);
    EXPECT_EQ(error_of(group), KafkaError::kNone);
    EXPECT_EQ(group.group_state, "Stable");
    EXPECT_EQ(group.group_epoch, 1);
    EXPECT_EQ(group.assignment_epoch, 1);
    EXPECT_EQ(group.assignor_name, "uniform");
    ASSERT_EQ(group.members.size(), 1U);
    EXPECT_EQ(group.members[0].member_id, "a");
    EXPECT_EQ(group.members[0].subscribed_topic_names, std::vector<std::string>{"t"});
    const auto& topic = group.members[0].assignment.topic_partitions.at(0);
    EXPECT_EQ(topic.topic_name, "t");
    EXPECT_EQ(topic.partitions, (std::vector<std::int32_t>{0, 1}));
    EXPECT_EQ(group.members[0].target_assignment.topic_partitions.at(0), topic);
  }
}

TEST_F(ConsumerGroupApiTest, EachKindOfGroupIsOnlyDescribedAsWhatItIs) {
  send(a_join("a"));
  commit(client, {.offset = 1, .group = "classic"});
  EXPECT_EQ(error_of(describe("classic")), KafkaError::kGroupIdNotFound);
  EXPECT_EQ(error_of(describe("none")), KafkaError::kGroupIdNotFound);
  EXPECT_EQ(error_of(describe("")), KafkaError::kInvalidGroupId);
  protocol::DescribeGroupsRequest request;
  request.groups = {"g"};
  EXPECT_EQ(client.call<protocol::DescribeGroupsResponse>(request, 5).groups.at(0).group_state,
            "Dead");
}

TEST_F(ConsumerGroupApiTest, AGroupIsListedWithItsType) {
  send(a_join("a"));
  protocol::ListGroupsRequest request;
  request.types_filter = {"Consumer"};
  const auto groups = client.call<protocol::ListGroupsResponse>(request, 5).groups;
  ASSERT_EQ(groups.size(), 1U);
  EXPECT_EQ(groups[0].group_type, "consumer");
  EXPECT_EQ(groups[0].protocol_type, "consumer");
  EXPECT_EQ(groups[0].group_state, "Stable");
}

TEST(ConsumerGroups, AnotherBrokerIsNotTheCoordinator) {
  ClusterSpec spec = spec_for_test(2);
  spec.coordinator = 1;
  ClusterForTest cluster(spec);
  ClientForTest client(cluster.broker(2));
  EXPECT_EQ(
      error_of(client.call<ConsumerGroupHeartbeatResponse>(ConsumerGroupApiTest::a_join("a"), 1)),
      KafkaError::kNotCoordinator);
}

TEST(ConsumerGroups, ABrokerWithoutThemDoesNotKnowTheApi) {
  ClusterSpec spec = spec_for_test(1);
  spec.consumer_groups = false;
  ClusterForTest cluster(spec);
  ClientForTest client(cluster.broker(1));
  client.send(ConsumerGroupApiTest::a_join("a"), 1);
  EXPECT_EQ(client.ending(), ClientForTest::Ending::kFin);
}

}  // namespace
}  // namespace ktrial::fakebroker
