// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/state/classic_group.h"

#include "fakebroker/state/classic_group_for_test.h"
#include "protocol/consumer_protocol.h"

#include <gtest/gtest.h>

namespace ktrial::fakebroker {
namespace {

using namespace std::chrono_literals;
using protocol::JoinGroupRequest;
using protocol::KafkaError;
using protocol::SyncGroupRequest;

JoinGroupRequest with_protocols(JoinGroupRequest request, const std::vector<std::string>& names) {
  request.protocols.clear();
  for (const std::string& name : names)
    request.protocols.push_back({.name = name, .metadata = Slice::copy_of(name)});
  return request;
}

// --- Joining

TEST_F(ClassicGroupTest, AMemberIsGivenAnIdAndMustComeAgainWithIt) {
  const Join first = join(a_join(), 4);
  EXPECT_EQ(first.error(), KafkaError::kMemberIdRequired);
  EXPECT_EQ(first->member_id.substr(0, 7), "client-");
  EXPECT_TRUE(group.members().empty());
  const Join second = join(a_join(first->member_id), 4);
  clock.advance(0ms);
  EXPECT_EQ(second.error(), KafkaError::kNone);
  EXPECT_EQ(second->member_id, first->member_id);
  EXPECT_EQ(second->leader, first->member_id);
  EXPECT_EQ(second->generation_id, 1);
}

TEST_F(ClassicGroupTest, OlderClientsAreMembersAtOnce) {
  const Join only = join(a_join(), 3);
  clock.advance(0ms);
  EXPECT_EQ(only.error(), KafkaError::kNone);
  EXPECT_TRUE(group.members().contains(only->member_id));
}

TEST_F(ClassicGroupTest, AnIdThatIsNotUsedIsForgottenAfterTheSessionTimeout) {
  const Id id = an_id();
  clock.advance(kSession);
  EXPECT_EQ(join(a_join(id)).error(), KafkaError::kUnknownMemberId);
  EXPECT_EQ(clock.pending(), 0U);
}

TEST_F(ClassicGroupTest, AnIdThatTheGroupDidNotGiveIsUnknown) {
  EXPECT_EQ(join(a_join("client-mine")).error(), KafkaError::kUnknownMemberId);
}

TEST(GroupSettings, SessionTimeoutsHaveBounds) {
  const GroupSettings settings;
  EXPECT_FALSE(settings.accepts_session(5999ms));
  EXPECT_TRUE(settings.accepts_session(6s));
  EXPECT_TRUE(settings.accepts_session(30min));
  EXPECT_FALSE(settings.accepts_session(30min + 1ms));
}

TEST_F(ClassicGroupTest, OnlyTheLeaderLearnsWhoTheMembersAre) {
  const Id leader = an_id();
  const Id follower = an_id();
  const Join leaders = join(a_join(leader));
  const Join followers = join(a_join(follower));
  clock.advance(0ms);
  EXPECT_EQ(leaders->leader, leader);
  ASSERT_EQ(leaders->members.size(), 2U);
  EXPECT_EQ(leaders->members[0].metadata.text(), "topics of all");
  EXPECT_EQ(followers->leader, leader);
  EXPECT_TRUE(followers->members.empty());
  EXPECT_EQ(group.state(), State::kCompletingRebalance);
}

TEST_F(ClassicGroupTest, TheFirstJoinWaitsForOthersAndLongerIfTheyCome) {
  services.settings.initial_rebalance_delay = 3s;
  const Join first = join(a_join(), 3);
  clock.advance(2s);
  const Join second = join(a_join(), 3);
  clock.advance(3s);
  EXPECT_TRUE(first.waits());
  clock.advance(1s);
  EXPECT_EQ(first->generation_id, 1);
  EXPECT_EQ(second->generation_id, 1);
}

TEST_F(ClassicGroupTest, TheInitialDelayEndsWithTheRebalanceTimeout) {
  services.settings.initial_rebalance_delay = 40s;
  const Join first = join(a_join(), 3);
  clock.advance(30s);
  join(a_join(), 3);
  clock.advance(29'999ms);
  EXPECT_TRUE(first.waits());
  clock.advance(1ms);
  EXPECT_FALSE(first.waits());
}

TEST_F(ClassicGroupTest, LaterJoinsCompleteWhenAllKnownMembersHaveRejoined) {
  const std::vector<Id> old = stable(2);
  const Id newcomer = an_id();
  const Join third = join(a_join(newcomer));
  EXPECT_EQ(group.state(), State::kPreparingRebalance);
  const Join first = join(a_join(old[0]));
  EXPECT_TRUE(third.waits());
  const Join second = join(a_join(old[1]));
  EXPECT_EQ(first->generation_id, 2);
  EXPECT_EQ(first->members.size(), 3U);
  EXPECT_EQ(second->generation_id, 2);
  EXPECT_EQ(third->generation_id, 2);
}

TEST_F(ClassicGroupTest, TheRebalanceAlsoWaitsForIdsThatWereGivenOut) {
  const std::vector<Id> old = stable(1);
  join(a_join(an_id()));
  const Id pending = an_id();
  const Join first = join(a_join(old[0]));
  EXPECT_TRUE(first.waits());
  join(a_join(pending));
  EXPECT_EQ(first->members.size(), 3U);
}

TEST_F(ClassicGroupTest, WhoDoesNotRejoinIsOutAtTheRebalanceTimeout) {
  const std::vector<Id> old = stable(2);
  const Join newcomer = join(a_join(an_id()));
  for (int beats = 0; beats < 12; ++beats) {  // both stay alive
    EXPECT_TRUE(newcomer.waits());
    EXPECT_EQ(heartbeat(old[0]), KafkaError::kRebalanceInProgress);
    EXPECT_EQ(heartbeat(old[1]), KafkaError::kRebalanceInProgress);
    clock.advance(kRebalance / 12);
  }
  EXPECT_EQ(newcomer->leader, newcomer->member_id);
  EXPECT_EQ(newcomer->members.size(), 1U);
  EXPECT_EQ(heartbeat(old[0]), KafkaError::kUnknownMemberId);
}

TEST_F(ClassicGroupTest, AFollowerThatRejoinsUnchangedGetsThePresentGeneration) {
  const std::vector<Id> ids = stable(2);
  const Join again = join(a_join(ids[1]));
  EXPECT_EQ(again->generation_id, 1);
  EXPECT_EQ(group.state(), State::kStable);
}

TEST_F(ClassicGroupTest, ALeaderThatRejoinsStartsARebalance) {
  const std::vector<Id> ids = stable(2);
  EXPECT_TRUE(join(a_join(ids[0])).waits());
  EXPECT_EQ(group.state(), State::kPreparingRebalance);
}

TEST_F(ClassicGroupTest, AnotherSubscriptionStartsARebalance) {
  const std::vector<Id> ids = stable(2);
  JoinGroupRequest request = a_join(ids[1]);
  request.protocols[0].metadata = Slice::copy_of("other topics");
  EXPECT_TRUE(join(request).waits());
  EXPECT_EQ(group.state(), State::kPreparingRebalance);
}

TEST_F(ClassicGroupTest, AJoinThatMissedItsAnswerGetsItAgain) {
  const std::vector<Id> ids = joined(2);
  EXPECT_EQ(join(a_join(ids[0]))->members.size(), 2U);
  EXPECT_EQ(join(a_join(ids[1]))->generation_id, 1);
  EXPECT_EQ(group.state(), State::kCompletingRebalance);
}

// --- The protocol

TEST_F(ClassicGroupTest, TheProtocolThatAllHaveAndMostPreferIsChosen) {
  const Join first = join(with_protocols(a_join(), {"sticky", "range", "only mine"}), 3);
  const Join second = join(with_protocols(a_join(), {"range", "sticky"}), 3);
  const Join third = join(with_protocols(a_join(), {"range", "sticky"}), 3);
  clock.advance(0ms);
  EXPECT_EQ(first->protocol_name, "range");
  EXPECT_EQ(first->protocol_type, "consumer");
  EXPECT_EQ(first->members.at(0).metadata.text(), "range");
  EXPECT_EQ(third->protocol_name, "range");
}

TEST_F(ClassicGroupTest, WhoSharesNoProtocolIsRefused) {
  joined(1);
  EXPECT_EQ(join(with_protocols(a_join(), {"roundrobin"})).error(),
            KafkaError::kInconsistentGroupProtocol);
  JoinGroupRequest connect = a_join();
  connect.protocol_type = "connect";
  EXPECT_EQ(join(connect).error(), KafkaError::kInconsistentGroupProtocol);
  EXPECT_EQ(join(with_protocols(a_join(), {})).error(), KafkaError::kInconsistentGroupProtocol);
}

TEST_F(ClassicGroupTest, AnEmptyGroupTakesAnotherProtocolType) {
  const std::vector<Id> ids = stable(1);
  group.leave(ids[0], std::nullopt);
  JoinGroupRequest connect = a_join();
  connect.protocol_type = "connect";
  const Join worker = join(connect, 3);
  clock.advance(0ms);
  EXPECT_EQ(worker->protocol_type, "connect");
}

// --- SyncGroup

TEST_F(ClassicGroupTest, AFollowerWaitsForTheLeadersAssignment) {
  const std::vector<Id> ids = joined(2);
  const Sync follower = sync(ids[1]);
  EXPECT_TRUE(follower.waits());
  const Sync leader = sync(ids[0], ids);
  EXPECT_EQ(leader->assignment.text(), "of " + ids[0]);
  EXPECT_EQ(follower->assignment.text(), "of " + ids[1]);
  EXPECT_EQ(follower->protocol_name, "range");
  EXPECT_EQ(group.state(), State::kStable);
}

TEST_F(ClassicGroupTest, ALateFollowerGetsItsAssignmentAtOnce) {
  const std::vector<Id> ids = joined(2);
  sync(ids[0], ids);
  EXPECT_EQ(sync(ids[1])->assignment.text(), "of " + ids[1]);
}

TEST_F(ClassicGroupTest, WhoIsNotAssignedAnythingGetsNoBytes) {
  const std::vector<Id> ids = joined(2);
  sync(ids[0], {ids[0]});
  EXPECT_TRUE(sync(ids[1])->assignment.empty());
}

TEST_F(ClassicGroupTest, AnAssignmentDoesNotOutliveItsGeneration) {
  const std::vector<Id> ids = stable(2);
  join(a_join(ids[0]));
  join(a_join(ids[1]));
  sync(ids[0], {ids[0]});
  EXPECT_TRUE(sync(ids[1])->assignment.empty());
}

TEST_F(ClassicGroupTest, WhoWaitsForAnAssignmentIsToldOfARebalance) {
  const std::vector<Id> ids = joined(2);
  const Sync follower = sync(ids[1]);
  join(a_join(an_id()));
  EXPECT_EQ(follower.error(), KafkaError::kRebalanceInProgress);
  EXPECT_EQ(sync(ids[0], ids).error(), KafkaError::kRebalanceInProgress);
}

TEST_F(ClassicGroupTest, AnotherGenerationsSyncIsRefused) {
  const std::vector<Id> ids = joined(1);
  SyncGroupRequest request;
  request.member_id = ids[0];
  request.generation_id = 2;
  EXPECT_EQ(sync(request).error(), KafkaError::kIllegalGeneration);
  request.generation_id = 1;
  request.protocol_name = "sticky";
  EXPECT_EQ(sync(request).error(), KafkaError::kInconsistentGroupProtocol);
  request.protocol_name = "range";
  request.protocol_type = "connect";
  EXPECT_EQ(sync(request).error(), KafkaError::kInconsistentGroupProtocol);
  request.protocol_type = "consumer";
  request.member_id = "nobody";
  EXPECT_EQ(sync(request).error(), KafkaError::kUnknownMemberId);
}

TEST_F(ClassicGroupTest, WhoNeverSyncsIsOutAtTheRebalanceTimeout) {
  const std::vector<Id> ids = joined(2);
  sync(ids[0], ids);
  for (Nanos passed{0}; passed < kRebalance; passed += 5s) {
    EXPECT_EQ(heartbeat(ids[0]), KafkaError::kNone);
    EXPECT_EQ(heartbeat(ids[1]), KafkaError::kNone);
    clock.advance(5s);
  }
  EXPECT_EQ(heartbeat(ids[1]), KafkaError::kUnknownMemberId);
  EXPECT_EQ(heartbeat(ids[0]), KafkaError::kRebalanceInProgress);
}

// --- Signs of life

TEST_F(ClassicGroupTest, HeartbeatsTellOfARebalanceOnlyWhileMembersJoin) {
  const std::vector<Id> ids = joined(1);
  EXPECT_EQ(group.state(), State::kCompletingRebalance);
  EXPECT_EQ(heartbeat(ids[0]), KafkaError::kNone);
  sync(ids[0], ids);
  EXPECT_EQ(heartbeat(ids[0]), KafkaError::kNone);
  join(a_join(an_id()));
  EXPECT_EQ(heartbeat(ids[0]), KafkaError::kRebalanceInProgress);
}

TEST_F(ClassicGroupTest, HeartbeatsOfStrangersAndOfOtherGenerationsAreRefused) {
  const std::vector<Id> ids = stable(1);
  EXPECT_EQ(heartbeat("nobody"), KafkaError::kUnknownMemberId);
  EXPECT_EQ(group.heartbeat(ids[0], std::nullopt, 0), KafkaError::kIllegalGeneration);
}

TEST_F(ClassicGroupTest, ASilentMemberIsOutAfterItsSessionTimeout) {
  const std::vector<Id> ids = stable(2);
  clock.advance(kSession - 1ms);
  EXPECT_EQ(heartbeat(ids[0]), KafkaError::kNone);
  clock.advance(1ms);
  EXPECT_FALSE(group.members().contains(ids[1]));
  EXPECT_EQ(heartbeat(ids[0]), KafkaError::kRebalanceInProgress);
}

TEST_F(ClassicGroupTest, ASessionBeginsWithTheAnswerToTheJoin) {
  services.settings.initial_rebalance_delay = 3s;
  const Join only = join(a_join(), 3);
  clock.advance(3s);
  EXPECT_FALSE(only.waits());
  clock.advance(kSession - 1ms);
  EXPECT_EQ(group.members().size(), 1U);
  clock.advance(1ms);
  EXPECT_TRUE(group.members().empty());
}

TEST_F(ClassicGroupTest, ASessionBeginsAgainWithTheAssignment) {
  const std::vector<Id> ids = joined(2);
  sync(ids[1]);
  clock.advance(kSession - 1ms);
  sync(ids[0], ids);
  clock.advance(kSession - 1ms);
  EXPECT_EQ(group.members().size(), 2U);
  clock.advance(1ms);
  EXPECT_TRUE(group.members().empty());
}

TEST_F(ClassicGroupTest, ACommitIsASignOfLife) {
  const std::vector<Id> ids = stable(1);
  clock.advance(kSession - 1ms);
  EXPECT_EQ(group.check_commit(ids[0], std::nullopt, 1), KafkaError::kNone);
  clock.advance(kSession - 1ms);
  EXPECT_TRUE(group.members().contains(ids[0]));
}

TEST_F(ClassicGroupTest, WhoWaitsForAnAnswerIsNotSilent) {
  stable(1);
  const Join newcomer = join(a_join(an_id()));
  const Join waits = join(a_join(group.leader()));
  EXPECT_FALSE(waits.waits());
  const Sync follower = sync(newcomer->member_id);
  clock.advance(kSession - 1ms);
  heartbeat(group.leader());
  clock.advance(1ms);
  EXPECT_TRUE(follower.waits());
  EXPECT_EQ(group.members().size(), 2U);
}

TEST_F(ClassicGroupTest, ANewMemberWhoseConnectionIsGoneIsKeptForFiveMinutes) {
  services.settings.initial_rebalance_delay = 3s;
  JoinGroupRequest patient = a_join();
  patient.rebalance_timeout_ms = 3'600'000;
  join(patient, 3);
  clock.advance(3s);
  const Join newcomer = join(patient, 3);
  for (Nanos passed{0}; passed < 295s; passed += 5s) {
    heartbeat(group.leader());
    clock.advance(5s);
  }
  EXPECT_EQ(group.members().size(), 2U);
  clock.advance(5s);
  EXPECT_EQ(newcomer.error(), KafkaError::kUnknownMemberId);
}

// --- Leaving

TEST_F(ClassicGroupTest, LeavingStartsARebalanceAmongTheOthers) {
  const std::vector<Id> ids = stable(2);
  EXPECT_EQ(group.leave(ids[0], std::nullopt), KafkaError::kNone);
  EXPECT_EQ(heartbeat(ids[1]), KafkaError::kRebalanceInProgress);
  const Join rest = join(a_join(ids[1]));
  EXPECT_EQ(rest->leader, ids[1]);
  EXPECT_EQ(rest->members.size(), 1U);
}

TEST_F(ClassicGroupTest, TheLastToLeaveLeavesAnEmptyGroup) {
  const std::vector<Id> ids = stable(1);
  EXPECT_EQ(group.leave(ids[0], std::nullopt), KafkaError::kNone);
  EXPECT_EQ(group.state(), State::kEmpty);
  EXPECT_EQ(group.generation(), 2);
  EXPECT_EQ(clock.pending(), 0U);
}

TEST_F(ClassicGroupTest, WhoIsNoMemberCannotLeave) {
  stable(1);
  EXPECT_EQ(group.leave("nobody", std::nullopt), KafkaError::kUnknownMemberId);
  EXPECT_EQ(group.leave("", "no instance"), KafkaError::kUnknownMemberId);
  EXPECT_EQ(group.state(), State::kStable);
}

TEST_F(ClassicGroupTest, AnIdThatWasGivenOutCanLeave) {
  const std::vector<Id> ids = stable(1);
  const Id pending = an_id();
  EXPECT_EQ(group.leave(pending, std::nullopt), KafkaError::kNone);
  EXPECT_EQ(join(a_join(pending)).error(), KafkaError::kUnknownMemberId);
  EXPECT_EQ(group.state(), State::kStable);
}

TEST_F(ClassicGroupTest, TheLastOneMissingCompletesTheJoinByLeaving) {
  const std::vector<Id> ids = stable(2);
  const Join again = join(a_join(ids[0]));
  EXPECT_TRUE(again.waits());
  group.leave(ids[1], std::nullopt);
  EXPECT_EQ(again->members.size(), 1U);
}

// --- Committing

TEST_F(ClassicGroupTest, OnlyMembersOfTheGenerationCommit) {
  EXPECT_EQ(group.check_commit("", std::nullopt, -1), KafkaError::kNone);
  const std::vector<Id> ids = stable(1);
  EXPECT_EQ(group.check_commit(ids[0], std::nullopt, 1), KafkaError::kNone);
  EXPECT_EQ(group.check_commit(ids[0], std::nullopt, 2), KafkaError::kIllegalGeneration);
  EXPECT_EQ(group.check_commit("nobody", std::nullopt, 1), KafkaError::kUnknownMemberId);
  EXPECT_EQ(group.check_commit("", std::nullopt, -1), KafkaError::kUnknownMemberId);
}

TEST_F(ClassicGroupTest, MembersMayCommitWhileTheGroupPreparesButNotWhileItCompletes) {
  const std::vector<Id> ids = stable(1);
  const Join newcomer = join(a_join(an_id()));
  EXPECT_EQ(group.check_commit(ids[0], std::nullopt, 1), KafkaError::kNone);
  join(a_join(ids[0]));
  EXPECT_EQ(group.check_commit(ids[0], std::nullopt, 2), KafkaError::kRebalanceInProgress);
}

// --- The coordinator

TEST_F(ClassicGroupTest, WhoWaitsIsToldWhenTheCoordinatorMoves) {
  const std::vector<Id> ids = stable(2);
  const Join again = join(a_join(ids[0]));
  group.release_waiting();
  EXPECT_EQ(again.error(), KafkaError::kNotCoordinator);
  const Join first = join(a_join(ids[0]));
  const Join second = join(a_join(ids[1]));
  EXPECT_EQ(first->generation_id, 2);
  const Sync follower = sync(ids[1]);
  group.release_waiting();
  EXPECT_EQ(follower.error(), KafkaError::kNotCoordinator);
  EXPECT_EQ(group.members().size(), 2U);
}

TEST(ClassicGroup, NothingIsLeftOfAGroupThatIsGone) {
  ManualClock clock;
  GroupServices services{clock, clock, {}, MemberIds(1)};
  Asked<protocol::JoinGroupResponse> waits;
  {
    ClassicGroup group("g", services);
    group.join(ClassicGroupTest::a_join(), ClassicGroup::JoinTraits::of_version(3), {},
               waits.answer());
    Asked<protocol::JoinGroupResponse> pending;
    group.join(ClassicGroupTest::a_join(), ClassicGroup::JoinTraits::of_version(9), {},
               pending.answer());
  }
  EXPECT_EQ(waits.error(), KafkaError::kNotCoordinator);
  EXPECT_EQ(clock.pending(), 0U);
}

TEST_F(ClassicGroupTest, TheTopicsOfConsumersAreKnown) {
  protocol::ConsumerProtocolSubscription subscription;
  subscription.topics = {"orders"};
  JoinGroupRequest request = a_join();
  request.protocols[0].metadata = Slice(encode_subscription(subscription, 1));
  join(request, 3);
  EXPECT_TRUE(group.subscribed_to("orders"));
  EXPECT_FALSE(group.subscribed_to("order"));
}

TEST_F(ClassicGroupTest, WhatIsNoSubscriptionNamesNoTopic) {
  join(a_join(), 3);
  EXPECT_FALSE(group.subscribed_to("topics"));
}

}  // namespace
}  // namespace ktrial::fakebroker
