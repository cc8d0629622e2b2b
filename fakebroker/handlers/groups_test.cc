// SPDX-License-Identifier: Apache-2.0
// End to end: the coordinator's APIs for classic groups, and what tools ask of groups.
#include "fakebroker/cluster_for_test.h"
#include "fakebroker/groups_for_test.h"
#include "fakebroker/requests_for_test.h"
#include "protocol/consumer_protocol.h"
#include "protocol/messages/delete_groups_request.h"
#include "protocol/messages/delete_groups_response.h"
#include "protocol/messages/describe_groups_request.h"
#include "protocol/messages/describe_groups_response.h"
#include "protocol/messages/find_coordinator_request.h"
#include "protocol/messages/find_coordinator_response.h"
#include "protocol/messages/list_groups_request.h"
#include "protocol/messages/list_groups_response.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace ktrial::fakebroker {
namespace {

using protocol::FindCoordinatorRequest;
using protocol::FindCoordinatorResponse;
using protocol::JoinGroupResponse;
using protocol::KafkaError;
using protocol::SyncGroupResponse;
using Ending = ClientForTest::Ending;

struct GroupApiTest : testing::Test {
  ClusterForTest cluster{spec_for_test(1)};
  ClientForTest client{cluster.broker(1)};

  KafkaError delete_group(const std::string& id = "g") {
    protocol::DeleteGroupsRequest request;
    request.groups_names = {id};
    return error_of(client.call<protocol::DeleteGroupsResponse>(request, 2).results.at(0));
  }
  protocol::describe_groups_response::DescribedGroup describe(const std::string& id = "g",
                                                              std::int16_t version = 6) {
    protocol::DescribeGroupsRequest request;
    request.groups = {id};
    request.include_authorized_operations = true;
    return client.call<protocol::DescribeGroupsResponse>(request, version).groups.at(0);
  }
  std::vector<protocol::list_groups_response::ListedGroup> list(
      const protocol::ListGroupsRequest& request, std::int16_t version = 5) {
    return client.call<protocol::ListGroupsResponse>(request, version).groups;
  }
};

// --- FindCoordinator

struct FindCoordinatorTest : testing::Test {
  static ClusterSpec spec() {
    ClusterSpec spec = spec_for_test(3);
    spec.coordinator = 2;
    return spec;
  }
  ClusterForTest cluster{spec()};
  ClientForTest client{cluster.broker(1)};

  static FindCoordinatorRequest asking(std::vector<std::string> keys, std::int8_t type = 0) {
    FindCoordinatorRequest request;
    request.key = keys.at(0);
    request.key_type = type;
    request.coordinator_keys = std::move(keys);
    return request;
  }
};

TEST_F(FindCoordinatorTest, OneKeyAtATimeUpToV3) {
  for (std::int16_t version = 0; version <= 3; ++version) {
    const auto found = client.call<FindCoordinatorResponse>(asking({"g"}), version);
    EXPECT_EQ(error_of(found), KafkaError::kNone) << version;
    EXPECT_EQ(found.node_id, 2) << version;
    EXPECT_EQ(found.port, cluster.broker(2).port) << version;
    EXPECT_EQ(found.host, cluster.broker(2).host) << version;
  }
}

TEST_F(FindCoordinatorTest, ManyKeysFromV4On) {
  for (std::int16_t version = 4; version <= 6; ++version) {
    const auto found = client.call<FindCoordinatorResponse>(asking({"g", "h"}), version);
    ASSERT_EQ(found.coordinators.size(), 2U) << version;
    EXPECT_EQ(found.coordinators[1].key, "h") << version;
    EXPECT_EQ(found.coordinators[1].node_id, 2) << version;
    EXPECT_EQ(found.coordinators[1].port, cluster.broker(2).port) << version;
  }
}

TEST_F(FindCoordinatorTest, TransactionsHaveOneToo) {
  EXPECT_EQ(client.call<FindCoordinatorResponse>(asking({"tx"}, 1), 3).node_id, 2);
}

TEST_F(FindCoordinatorTest, UnknownKindsAreRefused) {
  EXPECT_EQ(error_of(client.call<FindCoordinatorResponse>(asking({"g"}, 3), 3)),
            KafkaError::kInvalidRequest);
  const auto of_share = [&](const std::string& key, std::int16_t version) {
    const auto found = client.call<FindCoordinatorResponse>(asking({key}, 2), version);
    return error_of(found.coordinators.at(0));
  };
  EXPECT_EQ(of_share("g:id:0", 6), KafkaError::kNone);
  EXPECT_EQ(of_share("g", 6), KafkaError::kInvalidRequest);
  EXPECT_EQ(of_share("g:id:0", 5), KafkaError::kInvalidRequest);
}

TEST_F(FindCoordinatorTest, ACoordinatorThatIsDownIsNotAvailable) {
  ASSERT_TRUE(cluster->stop_broker(2, CloseKind::kFin));
  const auto old = client.call<FindCoordinatorResponse>(asking({"g"}), 2);
  EXPECT_EQ(error_of(old), KafkaError::kCoordinatorNotAvailable);
  EXPECT_EQ(old.node_id, -1);
  EXPECT_EQ(error_of(client.call<FindCoordinatorResponse>(asking({"g"}), 4).coordinators.at(0)),
            KafkaError::kCoordinatorNotAvailable);
}

TEST_F(FindCoordinatorTest, FollowsTheCoordinator) {
  ASSERT_TRUE(cluster->move_coordinator(3));
  EXPECT_EQ(client.call<FindCoordinatorResponse>(asking({"g"}), 2).node_id, 3);
}

TEST(Coordinators, AreSpreadOverTheBrokersAndReplacedWhileDown) {
  ClusterForTest cluster(spec_for_test(3));
  ClientForTest client(cluster.broker(1));
  FindCoordinatorRequest request;
  for (int i = 0; i < 32; ++i) request.coordinator_keys.push_back("group" + std::to_string(i));
  std::set<std::int32_t> nodes;
  for (const auto& found : client.call<FindCoordinatorResponse>(request, 4).coordinators)
    nodes.insert(found.node_id);
  EXPECT_EQ(nodes, (std::set<std::int32_t>{1, 2, 3}));
  ASSERT_TRUE(cluster->stop_broker(3, CloseKind::kFin));
  for (const auto& found : client.call<FindCoordinatorResponse>(request, 4).coordinators) {
    EXPECT_EQ(error_of(found), KafkaError::kNone);
    EXPECT_NE(found.node_id, 3);
  }
}

// --- A group's life

TEST_F(GroupApiTest, AMemberComesAndGoesInEveryVersion) {
  for (std::int16_t version = 0; version <= 9; ++version) {
    MemberForTest member(cluster, "g" + std::to_string(version));
    member.version = version;
    const auto joined = member.join();
    EXPECT_EQ(error_of(joined), KafkaError::kNone) << version;
    EXPECT_EQ(joined.protocol_name, "range") << version;
    EXPECT_EQ(joined.leader, member.id) << version;
    EXPECT_EQ(joined.members.size(), 1U) << version;
    const auto synced = member.sync({member.id});
    EXPECT_EQ(error_of(synced), KafkaError::kNone) << version;
    EXPECT_EQ(synced.assignment.text(), "of " + member.id) << version;
    EXPECT_EQ(member.heartbeat(), KafkaError::kNone) << version;
    EXPECT_EQ(member.leave(), KafkaError::kNone) << version;
    EXPECT_EQ(member.heartbeat(), KafkaError::kUnknownMemberId) << version;
  }
}

TEST_F(GroupApiTest, FromV4OnAMemberIsGivenAnIdFirst) {
  MemberForTest member(cluster);
  const auto first = member.receive_join(member.send_join());
  EXPECT_EQ(error_of(first), KafkaError::kMemberIdRequired);
  EXPECT_EQ(first.protocol_name, std::nullopt);
  EXPECT_FALSE(first.member_id.empty());
  MemberForTest old(cluster);
  old.version = 3;
  EXPECT_EQ(error_of(old.receive_join(old.send_join())), KafkaError::kNone);
}

TEST_F(GroupApiTest, TwoMembersShareOneAssignment) {
  MemberForTest first(cluster);
  first.join();
  first.sync({first.id});
  MemberForTest second(cluster);
  const auto [again, joined] = join_both(first, second);
  EXPECT_EQ(again.generation_id, 2);
  EXPECT_EQ(again.members.size(), 2U);
  EXPECT_EQ(joined.generation_id, 2);
  EXPECT_EQ(joined.leader, first.id);
  EXPECT_TRUE(joined.members.empty());
  const auto follower = second.send_sync();
  first.sync({first.id, second.id});
  EXPECT_EQ(second.receive_sync(follower).assignment.text(), "of " + second.id);
  EXPECT_EQ(first.heartbeat(), KafkaError::kNone);
  EXPECT_EQ(second.heartbeat(), KafkaError::kNone);
}

TEST_F(GroupApiTest, AFollowersSyncWaitsForTheLeader) {
  MemberForTest first(cluster);
  first.join();
  MemberForTest second(cluster);
  join_both(first, second);
  second.send_sync();
  EXPECT_EQ(second.client.ending(Millis(30)), Ending::kSilence);
}

TEST_F(GroupApiTest, WhileMembersJoinTheOthersAreToldToRejoin) {
  MemberForTest first(cluster);
  first.join();
  first.sync({first.id});
  MemberForTest second(cluster);
  second.receive_join(second.send_join());
  second.send_join();
  first.wait_for_rebalance();
  EXPECT_EQ(error_of(first.sync({first.id})), KafkaError::kRebalanceInProgress);
  EXPECT_EQ(commit(first.client, {.offset = 1, .member = first.id, .generation = 1}),
            KafkaError::kNone);
  EXPECT_EQ(describe().group_state, "PreparingRebalance");
}

TEST_F(GroupApiTest, LeavingMakesTheOthersRejoin) {
  MemberForTest first(cluster);
  first.join();
  MemberForTest second(cluster);
  join_both(first, second);
  EXPECT_EQ(first.leave(), KafkaError::kNone);
  EXPECT_EQ(second.heartbeat(), KafkaError::kRebalanceInProgress);
  EXPECT_EQ(second.join().leader, second.id);
}

TEST_F(GroupApiTest, AStaticMemberFencesItsFormerSelf) {
  MemberForTest former(cluster, "g", "one");
  former.join();
  former.sync({former.id});
  MemberForTest present(cluster, "g", "one");
  const auto joined = present.join();
  EXPECT_EQ(error_of(joined), KafkaError::kNone);
  EXPECT_EQ(joined.generation_id, 1);
  EXPECT_TRUE(joined.skip_assignment);
  EXPECT_EQ(former.heartbeat(), KafkaError::kFencedInstanceId);
  EXPECT_EQ(error_of(former.sync()), KafkaError::kFencedInstanceId);
  EXPECT_EQ(present.sync().assignment.text(), "of " + former.id);
  EXPECT_EQ(
      commit(former.client, {.offset = 1, .member = former.id, .generation = 1, .instance = "one"}),
      KafkaError::kFencedInstanceId);
}

TEST_F(GroupApiTest, MembersAreRefusedForWhatTheyAsk) {
  MemberForTest nameless(cluster, "");
  EXPECT_EQ(error_of(nameless.join()), KafkaError::kInvalidGroupId);
  MemberForTest hasty(cluster, "hasty");
  hasty.session_timeout_ms = 5999;
  EXPECT_EQ(error_of(hasty.join()), KafkaError::kInvalidSessionTimeout);
  EXPECT_EQ(describe("hasty").group_state, "Dead") << "made for nobody";
  MemberForTest stranger(cluster, "none");
  stranger.id = "somebody";
  EXPECT_EQ(error_of(stranger.receive_join(stranger.send_join())), KafkaError::kUnknownMemberId);
  EXPECT_EQ(error_of(stranger.sync()), KafkaError::kUnknownMemberId);
  EXPECT_EQ(stranger.heartbeat(), KafkaError::kUnknownMemberId);
  EXPECT_EQ(stranger.leave(), KafkaError::kUnknownMemberId);
  EXPECT_EQ(describe("none").group_state, "Dead");
}

TEST_F(GroupApiTest, SyncNamesItsProtocolFromV5On) {
  MemberForTest member(cluster);
  member.join();
  protocol::SyncGroupRequest request = member.a_sync();
  request.protocol_name.reset();
  EXPECT_EQ(error_of(member.client.call<SyncGroupResponse>(request, 5)),
            KafkaError::kInconsistentGroupProtocol);
  EXPECT_EQ(error_of(member.client.call<SyncGroupResponse>(request, 4)), KafkaError::kNone);
}

TEST_F(GroupApiTest, ManyMembersLeaveInOneRequest) {
  MemberForTest member(cluster);
  member.join();
  MemberForTest fixed(cluster, "h", "one");
  fixed.join();
  protocol::LeaveGroupRequest request;
  request.group_id = "g";
  request.members.emplace_back().member_id = member.id;
  request.members.emplace_back().member_id = "nobody";
  const auto left = client.call<protocol::LeaveGroupResponse>(request, 3);
  EXPECT_EQ(error_of(left), KafkaError::kNone);
  ASSERT_EQ(left.members.size(), 2U);
  EXPECT_EQ(error_of(left.members[0]), KafkaError::kNone);
  EXPECT_EQ(error_of(left.members[1]), KafkaError::kUnknownMemberId);
  request.group_id = "h";
  request.members.resize(1);
  request.members[0].member_id.clear();
  request.members[0].group_instance_id = "one";
  EXPECT_EQ(error_of(client.call<protocol::LeaveGroupResponse>(request, 5).members.at(0)),
            KafkaError::kNone);
}

// --- Where the coordinator is elsewhere

struct ElsewhereTest : testing::Test {
  static ClusterSpec spec() {
    ClusterSpec spec = spec_for_test(2);
    spec.coordinator = 1;
    return spec;
  }
  ClusterForTest cluster{spec()};
};

TEST_F(ElsewhereTest, NobodyButTheCoordinatorAnswers) {
  MemberForTest member(cluster);
  member.join();
  member.sync({member.id});
  ASSERT_TRUE(cluster->move_coordinator(2));
  EXPECT_EQ(member.heartbeat(), KafkaError::kNotCoordinator);
  EXPECT_EQ(error_of(member.sync()), KafkaError::kNotCoordinator);
  EXPECT_EQ(error_of(member.receive_join(member.send_join())), KafkaError::kNotCoordinator);
  EXPECT_EQ(member.leave(), KafkaError::kNotCoordinator);
  EXPECT_EQ(commit(member.client, {.offset = 1, .member = member.id, .generation = 1}),
            KafkaError::kNotCoordinator);
  protocol::DescribeGroupsRequest describe;
  describe.groups = {"g"};
  EXPECT_EQ(
      error_of(member.client.call<protocol::DescribeGroupsResponse>(describe, 5).groups.at(0)),
      KafkaError::kNotCoordinator);
  protocol::DeleteGroupsRequest erase;
  erase.groups_names = {"g"};
  EXPECT_EQ(error_of(member.client.call<protocol::DeleteGroupsResponse>(erase, 2).results.at(0)),
            KafkaError::kNotCoordinator);
  EXPECT_TRUE(member.client.call<protocol::ListGroupsResponse>(protocol::ListGroupsRequest(), 4)
                  .groups.empty());
  for (std::int16_t version = 1; version <= 10; ++version)
    EXPECT_EQ(fetch_offset(member.client, version).error, KafkaError::kNotCoordinator) << version;
}

TEST_F(ElsewhereTest, TheMembersMoveWithTheCoordinator) {
  MemberForTest member(cluster);
  member.join();
  member.sync({member.id});
  ASSERT_TRUE(cluster->move_coordinator(2));
  MemberForTest moved(cluster, "g", std::nullopt, 2);
  moved.id = member.id;
  moved.generation = member.generation;
  EXPECT_EQ(moved.heartbeat(), KafkaError::kNone);
}

TEST_F(ElsewhereTest, WhoWaitsIsToldThatTheCoordinatorMoved) {
  MemberForTest first(cluster);
  first.join();
  first.sync({first.id});
  MemberForTest second(cluster);
  second.receive_join(second.send_join());
  const auto waits = second.send_join();
  first.wait_for_rebalance();
  ASSERT_TRUE(cluster->move_coordinator(2));
  EXPECT_EQ(error_of(second.receive_join(waits)), KafkaError::kNotCoordinator);
}

// --- Describe, list, delete

TEST_F(GroupApiTest, AStableGroupIsDescribedInEveryVersion) {
  MemberForTest member(cluster);
  member.join();
  member.sync({member.id});
  for (std::int16_t version = 0; version <= 6; ++version) {
    const auto group = describe("g", version);
    EXPECT_EQ(error_of(group), KafkaError::kNone) << version;
    EXPECT_EQ(group.group_state, "Stable") << version;
    EXPECT_EQ(group.protocol_type, "consumer") << version;
    EXPECT_EQ(group.protocol_data, "range") << version;
    ASSERT_EQ(group.members.size(), 1U) << version;
    EXPECT_EQ(group.members[0].client_id, "test") << version;
    EXPECT_EQ(group.members[0].client_host, "/127.0.0.1") << version;
    EXPECT_EQ(group.members[0].member_assignment.text(), "of " + member.id) << version;
    EXPECT_EQ(group.authorized_operations > 0, version >= 3) << version;
  }
}

TEST_F(GroupApiTest, BetweenGenerationsThereIsNoProtocolToDescribe) {
  MemberForTest member(cluster);
  member.join();
  const auto group = describe();
  EXPECT_EQ(group.group_state, "CompletingRebalance");
  EXPECT_EQ(group.protocol_data, "");
  EXPECT_TRUE(group.members.at(0).member_metadata.empty());
}

TEST_F(GroupApiTest, AGroupThatIsNotThereIsDead) {
  EXPECT_EQ(describe("none", 5).group_state, "Dead");
  EXPECT_EQ(error_of(describe("none", 5)), KafkaError::kNone);
  EXPECT_EQ(error_of(describe("none", 6)), KafkaError::kGroupIdNotFound);
}

TEST_F(GroupApiTest, GroupsAreListedByStateAndType) {
  MemberForTest member(cluster);
  member.join();
  member.sync({member.id});
  commit(client, {.offset = 1, .group = "tool"});
  for (std::int16_t version = 0; version <= 5; ++version)
    EXPECT_EQ(list({}, version).size(), 2U) << version;
  protocol::ListGroupsRequest request;
  request.states_filter = {"stable"};
  ASSERT_EQ(list(request).size(), 1U);
  EXPECT_EQ(list(request)[0].group_id, "g");
  EXPECT_EQ(list(request)[0].protocol_type, "consumer");
  EXPECT_EQ(list(request)[0].group_state, "Stable");
  EXPECT_EQ(list(request)[0].group_type, "classic");
  request.states_filter.clear();
  request.types_filter = {"consumer"};
  EXPECT_TRUE(list(request).empty());
}

TEST_F(GroupApiTest, OnlyAnEmptyGroupIsDeleted) {
  MemberForTest member(cluster);
  member.join();
  member.sync({member.id});
  commit(member.client, {.offset = 1, .member = member.id, .generation = 1});
  EXPECT_EQ(delete_group(), KafkaError::kNonEmptyGroup);
  member.leave();
  EXPECT_EQ(fetch_offset(client, 7).offset, 1);
  EXPECT_EQ(delete_group(), KafkaError::kNone);
  EXPECT_EQ(fetch_offset(client, 7).offset, -1);
  EXPECT_EQ(delete_group(), KafkaError::kGroupIdNotFound);
}

// --- Rules

TEST_F(GroupApiTest, ARuleRefusesWithoutAnythingBeingApplied) {
  for (const char* const api : {"OffsetCommit", "DeleteGroups", "FindCoordinator", "JoinGroup"}) {
    ASSERT_TRUE(cluster->add_rule({.id = api,
                                   .match = {.apis = {api}, .times = 1},
                                   .action = {.apply = false, .error = 15}}));
  }
  EXPECT_EQ(commit(client, {.offset = 1}), KafkaError::kCoordinatorNotAvailable);
  EXPECT_EQ(fetch_offset(client, 7).offset, -1);
  commit(client, {.offset = 1});
  EXPECT_EQ(delete_group(), KafkaError::kCoordinatorNotAvailable);
  EXPECT_EQ(fetch_offset(client, 7).offset, 1);
  FindCoordinatorRequest find;
  find.coordinator_keys = {"g"};
  EXPECT_EQ(error_of(client.call<FindCoordinatorResponse>(find, 4).coordinators.at(0)),
            KafkaError::kCoordinatorNotAvailable);
  MemberForTest member(cluster);
  member.version = 3;
  EXPECT_EQ(error_of(member.join()), KafkaError::kCoordinatorNotAvailable);
  EXPECT_TRUE(describe().members.empty());
}

}  // namespace
}  // namespace ktrial::fakebroker
