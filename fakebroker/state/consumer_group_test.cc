// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/state/consumer_group.h"

#include "common/manual_clock.h"

#include <gtest/gtest.h>

namespace ktrial::fakebroker {
namespace {

using namespace std::chrono_literals;
using protocol::KafkaError;
using protocol::Uuid;
using Request = ConsumerGroup::Request;
using Response = ConsumerGroup::Response;
using Partitions = std::set<std::int32_t>;

constexpr auto kSession = 45s;
constexpr auto kRebalance = 60s;

Uuid id_of(std::uint8_t number) {
  Uuid id;
  id.bytes[15] = number;
  return id;
}

const Uuid kTopic = id_of(1);

Request a_heartbeat(const std::string& member, std::int32_t epoch) {
  Request request;
  request.group_id = "g";
  request.member_id = member;
  request.member_epoch = epoch;
  return request;
}

Request a_join(const std::string& member, std::vector<std::string> topics = {"t"}) {
  Request request = a_heartbeat(member, 0);
  request.rebalance_timeout_ms = static_cast<std::int32_t>(Millis(kRebalance).count());
  request.subscribed_topic_names = std::move(topics);
  request.topic_partitions.emplace();
  return request;
}

Request owning(Request request, const Partitions& partitions) {
  request.topic_partitions.emplace();
  if (partitions.empty()) return request;
  auto& topic = request.topic_partitions->emplace_back();
  topic.topic_id = kTopic;
  topic.partitions.assign(partitions.begin(), partitions.end());
  return request;
}

Request of_instance(Request request, const std::string& instance) {
  request.instance_id = instance;
  return request;
}

KafkaError error(const Response& response) { return static_cast<KafkaError>(response.error_code); }

// Of the one topic; fails if there is no assignment.
Partitions assigned(const Response& response) {
  EXPECT_TRUE(response.assignment) << "no assignment in the answer";
  if (!response.assignment || response.assignment->topic_partitions.empty()) return {};
  const auto& partitions = response.assignment->topic_partitions.at(0).partitions;
  return {partitions.begin(), partitions.end()};
}

struct ConsumerGroupTest : testing::Test {
  ManualClock clock;
  GroupServices services{clock, clock, {}, MemberIds(1)};
  std::map<std::string, TopicShape, std::less<>> topics{{"t", {kTopic, 4}}};
  ConsumerGroup group{"g", services, [this](std::string_view name) -> std::optional<TopicShape> {
                        const auto found = topics.find(name);
                        if (found == topics.end()) return std::nullopt;
                        return found->second;
                      }};

  Response send(const Request& request) { return group.heartbeat(request, {"client", "/1.2.3.4"}); }
  Response beat(const std::string& member) {
    return send(a_heartbeat(member, group.members().at(member).epoch));
  }
  Response beat(const std::string& member, const Partitions& owned) {
    return send(owning(a_heartbeat(member, group.members().at(member).epoch), owned));
  }
  // a and b with two partitions each, settled.
  void settle_two() {
    send(a_join("a"));
    send(a_join("b"));
    beat("a");
    beat("a", {0, 1});
    beat("b");
    ASSERT_EQ(group.state_name(), "Stable");
  }
};

// --- Joining

TEST_F(ConsumerGroupTest, TheFirstMemberGetsEverythingAtEpochOne) {
  const Response joined = send(a_join("a"));
  EXPECT_EQ(error(joined), KafkaError::kNone);
  EXPECT_EQ(joined.member_id, "a");
  EXPECT_EQ(joined.member_epoch, 1);
  EXPECT_EQ(joined.heartbeat_interval_ms, 5000);
  EXPECT_EQ(assigned(joined), (Partitions{0, 1, 2, 3}));
  EXPECT_EQ(joined.assignment->topic_partitions.at(0).topic_id, kTopic);
  EXPECT_EQ(group.epoch(), 1);
}

TEST_F(ConsumerGroupTest, AMemberWithoutAnIdIsGivenOne) {
  const Response joined = send(a_join(""));
  ASSERT_TRUE(joined.member_id);
  EXPECT_EQ(joined.member_id->size(), 36U);
  EXPECT_TRUE(group.members().contains(*joined.member_id));
}

TEST_F(ConsumerGroupTest, AHeartbeatWithoutNewsHasNoAssignment) {
  send(a_join("a"));
  const Response again = beat("a");
  EXPECT_EQ(again.member_epoch, 1);
  EXPECT_FALSE(again.assignment);
}

// As a client sends after an error or a timeout: the answer with the assignment may be lost.
TEST_F(ConsumerGroupTest, AHeartbeatThatTellsEverythingIsAnsweredWithEverything) {
  send(a_join("a"));
  Request full = a_join("a");
  full.member_epoch = 1;
  EXPECT_EQ(assigned(send(full)), (Partitions{0, 1, 2, 3}));
}

TEST_F(ConsumerGroupTest, AMemberCanBeginAgain) {
  settle_two();
  const Response again = send(a_join("a"));
  EXPECT_EQ(again.member_epoch, 2);
  EXPECT_EQ(assigned(again), (Partitions{0, 1}));
  EXPECT_EQ(group.epoch(), 2);
}

TEST_F(ConsumerGroupTest, TopicsThatAreNotThereAreWaitedFor) {
  EXPECT_TRUE(assigned(send(a_join("a", {"later"}))).empty());
  topics["later"] = {id_of(2), 1};
  const Response news = beat("a");
  EXPECT_EQ(news.member_epoch, 2);
  EXPECT_EQ(assigned(news), (Partitions{0}));
}

// --- Reconciliation

TEST_F(ConsumerGroupTest, NobodyGetsAPartitionThatSomebodyStillHas) {
  send(a_join("a"));
  const Response second = send(a_join("b"));
  EXPECT_EQ(second.member_epoch, 2);
  EXPECT_TRUE(assigned(second).empty());
  EXPECT_EQ(assigned(beat("a")), (Partitions{0, 1}));
  EXPECT_FALSE(beat("b").assignment);
  beat("a", {0, 1});
  EXPECT_EQ(assigned(beat("b")), (Partitions{2, 3}));
}

TEST_F(ConsumerGroupTest, TheEpochRisesWhenWhatMustGoIsGone) {
  send(a_join("a"));
  send(a_join("b"));
  EXPECT_EQ(beat("a", {0, 1, 2, 3}).member_epoch, 1);
  EXPECT_EQ(beat("a", {0, 1, 2}).member_epoch, 1);
  EXPECT_EQ(beat("a", {0, 1}).member_epoch, 2);
}

TEST_F(ConsumerGroupTest, AMemberThatFallsBehindGoesOneEpochAtATime) {
  topics["t"].partitions = 6;
  send(a_join("a"));
  send(a_join("b"));
  EXPECT_EQ(assigned(beat("a")), (Partitions{0, 1, 2}));
  send(a_join("c"));
  const Response next = beat("a", {0, 1, 2});
  EXPECT_EQ(next.member_epoch, 2);
  EXPECT_EQ(assigned(next), (Partitions{0, 1}));
  EXPECT_EQ(beat("a", {0, 1}).member_epoch, 3);
}

TEST_F(ConsumerGroupTest, AMemberThatDoesNotSayWhatItHasMayStillHaveIt) {
  send(a_join("a"));
  send(a_join("b"));
  beat("a");
  EXPECT_EQ(beat("a").member_epoch, 1);
  EXPECT_FALSE(beat("b").assignment);
}

TEST_F(ConsumerGroupTest, PartitionsThatNobodyHadAreGivenAtOnce) {
  settle_two();
  topics["t"].partitions = 6;
  EXPECT_EQ(assigned(beat("b")).size(), 3U);
  EXPECT_EQ(assigned(beat("a")).size(), 3U);
}

TEST_F(ConsumerGroupTest, AnotherSubscriptionRaisesTheGroupsEpoch) {
  topics["u"] = {id_of(2), 1};
  send(a_join("a"));
  Request other = a_heartbeat("a", 1);
  other.subscribed_topic_names = {"t", "u"};
  const Response news = send(other);
  EXPECT_EQ(news.member_epoch, 2);
  EXPECT_EQ(news.assignment->topic_partitions.size(), 2U);
  other.member_epoch = 2;
  EXPECT_EQ(send(other).member_epoch, 2);
}

TEST_F(ConsumerGroupTest, ATopicThatGrowsRaisesTheGroupsEpoch) {
  send(a_join("a"));
  topics["t"].partitions = 5;
  const Response news = beat("a");
  EXPECT_EQ(news.member_epoch, 2);
  EXPECT_EQ(assigned(news), (Partitions{0, 1, 2, 3, 4}));
}

TEST_F(ConsumerGroupTest, ATopicThatIsGoneIsTakenAway) {
  send(a_join("a"));
  topics.clear();
  EXPECT_TRUE(assigned(beat("a")).empty());
  EXPECT_EQ(beat("a", {}).member_epoch, 2);
}

TEST_F(ConsumerGroupTest, WhatMostMembersAskForAssigns) {
  Request range = a_join("b");
  range.server_assignor = "range";
  send(a_join("a"));
  EXPECT_EQ(group.assignor(), "uniform");
  send(range);
  EXPECT_EQ(group.assignor(), "range");
}

// --- Epochs

TEST_F(ConsumerGroupTest, AnotherEpochIsFenced) {
  send(a_join("a"));
  EXPECT_EQ(error(send(a_heartbeat("a", 2))), KafkaError::kFencedMemberEpoch);
  EXPECT_EQ(error(send(a_heartbeat("a", 7))), KafkaError::kFencedMemberEpoch);
}

TEST_F(ConsumerGroupTest, ThePreviousEpochIsTakenFromWhoOwnsNoMoreThanItsOwn) {
  send(a_join("a"));
  topics["t"].partitions = 5;
  beat("a");  // the answer with epoch 2 is lost
  EXPECT_EQ(error(send(a_heartbeat("a", 1))), KafkaError::kFencedMemberEpoch);
  EXPECT_EQ(error(send(owning(a_heartbeat("a", 1), {9}))), KafkaError::kFencedMemberEpoch);
  const Response again = send(owning(a_heartbeat("a", 1), {0, 1, 2, 3}));
  EXPECT_EQ(error(again), KafkaError::kNone);
  EXPECT_EQ(again.member_epoch, 2);
}

TEST_F(ConsumerGroupTest, AnEpochBeforeThePreviousOneIsFenced) {
  send(a_join("a"));
  topics["t"].partitions = 5;
  beat("a");
  topics["t"].partitions = 6;
  beat("a");
  EXPECT_EQ(error(send(owning(a_heartbeat("a", 1), {0, 1, 2, 3}))), KafkaError::kFencedMemberEpoch);
}

TEST_F(ConsumerGroupTest, WhoHasNotJoinedIsUnknown) {
  send(a_join("a"));
  EXPECT_EQ(error(send(a_heartbeat("b", 1))), KafkaError::kUnknownMemberId);
  EXPECT_EQ(error(send(a_heartbeat("b", -1))), KafkaError::kUnknownMemberId);
}

// --- Leaving

TEST_F(ConsumerGroupTest, WhoLeavesMakesRoomForTheOthers) {
  settle_two();
  const Response left = send(a_heartbeat("b", -1));
  EXPECT_EQ(error(left), KafkaError::kNone);
  EXPECT_EQ(left.member_epoch, -1);
  EXPECT_EQ(assigned(beat("a")), (Partitions{0, 1, 2, 3}));
}

TEST_F(ConsumerGroupTest, TheLastToLeaveLeavesAnEmptyGroup) {
  send(a_join("a"));
  send(a_heartbeat("a", -1));
  EXPECT_TRUE(group.empty());
  EXPECT_EQ(group.state_name(), "Empty");
  EXPECT_EQ(clock.pending(), 0U);
}

TEST_F(ConsumerGroupTest, ASilentMemberIsOutAfterTheSessionTimeout) {
  settle_two();
  clock.advance(kSession - 1ms);
  beat("a");
  clock.advance(1ms);
  EXPECT_FALSE(group.members().contains("b"));
  EXPECT_EQ(assigned(beat("a")), (Partitions{0, 1, 2, 3}));
}

TEST_F(ConsumerGroupTest, WhoDoesNotRevokeIsOutAfterItsRebalanceTimeout) {
  send(a_join("a"));
  send(a_join("b"));
  for (Nanos passed{0}; passed < kRebalance; passed += 5s) {
    EXPECT_EQ(error(beat("a", {0, 1, 2, 3})), KafkaError::kNone);
    beat("b");
    clock.advance(5s);
  }
  EXPECT_FALSE(group.members().contains("a"));
  EXPECT_EQ(assigned(beat("b")), (Partitions{0, 1, 2, 3}));
}

TEST_F(ConsumerGroupTest, WhoRevokedInTimeStays) {
  send(a_join("a"));
  send(a_join("b"));
  beat("a");
  clock.advance(5s);
  beat("a", {0, 1});
  for (Nanos passed{0}; passed < 2 * kRebalance; passed += 5s) {
    beat("a");
    beat("b");
    clock.advance(5s);
  }
  EXPECT_EQ(group.members().size(), 2U);
}

// --- Static members

TEST_F(ConsumerGroupTest, AStaticMemberThatComesBackHasItsPartitionsAgain) {
  send(of_instance(a_join("a"), "one"));
  send(a_join("b"));
  beat("a");
  send(of_instance(owning(a_heartbeat("a", 1), {0, 1}), "one"));
  beat("b");
  const std::int32_t epoch = group.epoch();
  EXPECT_EQ(send(of_instance(a_heartbeat("a", -2), "one")).member_epoch, -2);
  EXPECT_FALSE(beat("b").assignment);
  const Response back = send(of_instance(a_join("c"), "one"));
  EXPECT_EQ(back.member_id, "c");
  EXPECT_EQ(assigned(back), (Partitions{0, 1}));
  EXPECT_EQ(group.epoch(), epoch);
  EXPECT_FALSE(beat("b").assignment);
}

TEST_F(ConsumerGroupTest, AStaticMemberThatGoesOwesNothing) {
  send(of_instance(a_join("a"), "one"));
  send(a_join("b"));
  beat("a");
  EXPECT_FALSE(beat("b").assignment);
  send(of_instance(a_heartbeat("a", -2), "one"));
  EXPECT_EQ(assigned(beat("b")), (Partitions{2, 3}));
}

TEST_F(ConsumerGroupTest, AStaticMemberThatDoesNotComeBackIsOutAfterTheSessionTimeout) {
  send(of_instance(a_join("a"), "one"));
  send(of_instance(a_heartbeat("a", -2), "one"));
  EXPECT_EQ(group.members().size(), 1U);
  clock.advance(kSession);
  EXPECT_TRUE(group.empty());
}

TEST_F(ConsumerGroupTest, AnInstanceIdThatIsInUseIsNotReleased) {
  send(of_instance(a_join("a"), "one"));
  EXPECT_EQ(error(send(of_instance(a_join("b"), "one"))), KafkaError::kUnreleasedInstanceId);
  EXPECT_EQ(error(send(of_instance(a_heartbeat("b", 1), "one"))), KafkaError::kFencedInstanceId);
  EXPECT_EQ(error(send(of_instance(a_heartbeat("b", 1), "two"))), KafkaError::kUnknownMemberId);
  EXPECT_EQ(error(send(of_instance(a_heartbeat("b", -1), "one"))), KafkaError::kFencedInstanceId);
}

TEST_F(ConsumerGroupTest, AStaticMembersFormerIdIsFenced) {
  send(of_instance(a_join("a"), "one"));
  send(of_instance(a_heartbeat("a", -2), "one"));
  send(of_instance(a_join("b"), "one"));
  EXPECT_EQ(error(send(of_instance(a_heartbeat("a", 1), "one"))), KafkaError::kFencedInstanceId);
}

// --- What is wrong by itself

TEST(ConsumerGroupRequest, SaysWhatIsWrongWithIt) {
  const auto refused = [](const Request& request, std::int16_t version = 1) {
    const auto response = ConsumerGroup::refuse(request, version);
    return response ? error(*response) : KafkaError::kNone;
  };
  EXPECT_EQ(refused(a_join("a")), KafkaError::kNone);
  EXPECT_EQ(refused(a_heartbeat("a", 1)), KafkaError::kNone);
  EXPECT_EQ(refused(a_heartbeat("a", -1)), KafkaError::kNone);
  EXPECT_EQ(refused(a_join(""), 0), KafkaError::kNone);
  EXPECT_EQ(refused(a_join(""), 1), KafkaError::kInvalidRequest);
  EXPECT_EQ(refused(a_heartbeat("", 1), 0), KafkaError::kInvalidRequest);
  EXPECT_EQ(refused(a_heartbeat("a", -3)), KafkaError::kInvalidRequest);
  EXPECT_EQ(refused(a_heartbeat("a", -2)), KafkaError::kInvalidRequest);
  EXPECT_EQ(refused(of_instance(a_heartbeat("a", -2), "one")), KafkaError::kNone);
  EXPECT_EQ(refused(of_instance(a_join("a"), "")), KafkaError::kInvalidRequest);
  EXPECT_EQ(refused(owning(a_join("a"), {0})), KafkaError::kInvalidRequest);
  Request request = a_join("a");
  request.group_id = "";
  EXPECT_EQ(refused(request), KafkaError::kInvalidRequest);
  request = a_join("a");
  request.rebalance_timeout_ms = -1;
  EXPECT_EQ(refused(request), KafkaError::kInvalidRequest);
  request = a_join("a");
  request.subscribed_topic_names.reset();
  EXPECT_EQ(refused(request), KafkaError::kInvalidRequest);
  request = a_join("a");
  request.rack_id = "";
  EXPECT_EQ(refused(request), KafkaError::kInvalidRequest);
  request = a_join("a");
  request.server_assignor = "sticky";
  EXPECT_EQ(refused(request), KafkaError::kUnsupportedAssignor);
  request = a_join("a");
  request.subscribed_topic_regex = "t.*";
  EXPECT_EQ(refused(request), KafkaError::kInvalidRegularExpression);
}

// --- Offsets

TEST_F(ConsumerGroupTest, OnlyMembersOfTheEpochCommit) {
  EXPECT_EQ(group.check_commit("", -1, 9), KafkaError::kNone);
  send(a_join("a"));
  EXPECT_EQ(group.check_commit("a", 1, 9), KafkaError::kNone);
  EXPECT_EQ(group.check_commit("a", 0, 9), KafkaError::kStaleMemberEpoch);
  EXPECT_EQ(group.check_commit("b", 1, 9), KafkaError::kUnknownMemberId);
  EXPECT_EQ(group.check_commit("", -1, 9), KafkaError::kUnknownMemberId);
  EXPECT_EQ(group.check_commit("a", 1, 8), KafkaError::kUnsupportedVersion);
}

TEST_F(ConsumerGroupTest, MembersFetchUnderTheirEpochAndOthersWithoutOne) {
  send(a_join("a"));
  EXPECT_EQ(group.check_fetch(std::nullopt, -1), KafkaError::kNone);
  EXPECT_EQ(group.check_fetch("a", 1), KafkaError::kNone);
  EXPECT_EQ(group.check_fetch("a", 2), KafkaError::kStaleMemberEpoch);
  EXPECT_EQ(group.check_fetch("b", 1), KafkaError::kUnknownMemberId);
}

// --- What others see

TEST_F(ConsumerGroupTest, ItsStateTellsHowFarItIs) {
  EXPECT_EQ(group.state_name(), "Empty");
  send(a_join("a"));
  EXPECT_EQ(group.state_name(), "Stable");
  send(a_join("b"));
  EXPECT_EQ(group.state_name(), "Reconciling");
  beat("a");
  beat("a", {0, 1});
  EXPECT_EQ(group.state_name(), "Reconciling");
  beat("b");
  EXPECT_EQ(group.state_name(), "Stable");
  send(a_heartbeat("b", -1));
  EXPECT_EQ(group.state_name(), "Assigning");
}

TEST_F(ConsumerGroupTest, TheTopicsOfMembersAreKnown) {
  send(a_join("a"));
  EXPECT_TRUE(group.subscribed_to("t"));
  EXPECT_FALSE(group.subscribed_to("u"));
}

TEST(ConsumerGroup, NothingIsLeftOfAGroupThatIsGone) {
  ManualClock clock;
  GroupServices services{clock, clock, {}, MemberIds(1)};
  const auto lookup = [](std::string_view) { return std::optional(TopicShape{kTopic, 4}); };
  {
    ConsumerGroup group("g", services, lookup);
    group.heartbeat(a_join("a"), {});
    group.heartbeat(a_join("b"), {});
    group.heartbeat(a_heartbeat("a", 1), {});
    EXPECT_EQ(clock.pending(), 3U);  // two sessions, a revocation
  }
  EXPECT_EQ(clock.pending(), 0U);
}

}  // namespace
}  // namespace ktrial::fakebroker
