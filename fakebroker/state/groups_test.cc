// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/state/groups.h"

#include "common/manual_clock.h"
#include "fakebroker/state/answer_for_test.h"

#include <gtest/gtest.h>

#include <set>

namespace ktrial::fakebroker {
namespace {

using namespace std::chrono_literals;
using protocol::KafkaError;

struct GroupsTest : testing::Test {
  ManualClock clock;
  std::set<std::string, std::less<>> topics{"t"};
  Groups groups{clock, clock, {}, [this](std::string_view name) -> std::optional<TopicShape> {
                  if (!topics.contains(name)) return std::nullopt;
                  return TopicShape{{}, 1};
                }};

  Asked<protocol::JoinGroupResponse> join_classic() {
    protocol::JoinGroupRequest request;
    request.session_timeout_ms = 10'000;
    request.protocol_type = "consumer";
    request.protocols.emplace_back().name = "range";
    Asked<protocol::JoinGroupResponse> asked;
    groups.open_classic("g")->join(request, ClassicGroup::JoinTraits::of_version(3), {},
                                   asked.answer());
    return asked;
  }
  KafkaError heartbeat_consumer(std::int32_t epoch) {
    ConsumerGroup::Request request;
    request.group_id = "g";
    request.member_id = "a";
    request.member_epoch = epoch;
    request.rebalance_timeout_ms = 1000;
    request.subscribed_topic_names = {"t"};
    request.topic_partitions.emplace();
    return static_cast<KafkaError>(groups.open_consumer("g")->heartbeat(request, {}).error_code);
  }
};

TEST_F(GroupsTest, AGroupIsThereOnceOpened) {
  EXPECT_EQ(groups.find("g"), nullptr);
  groups.open("g");
  ASSERT_NE(groups.find("g"), nullptr);
  EXPECT_TRUE(groups.find("g")->empty());
  EXPECT_EQ(groups.find("g")->state_name(), "Empty");
  groups.erase("g");
  EXPECT_EQ(groups.find("g"), nullptr);
}

TEST_F(GroupsTest, TheProtocolsDoNotMixWhileMembersAreThere) {
  const auto member = join_classic();
  clock.advance(0ms);
  EXPECT_EQ(groups.open_consumer("g"), nullptr);
  groups.find("g")->classic->leave(member->member_id, std::nullopt);
  EXPECT_EQ(heartbeat_consumer(0), KafkaError::kNone);
  EXPECT_EQ(groups.open_classic("g"), nullptr);
  EXPECT_EQ(heartbeat_consumer(-1), KafkaError::kNone);
  EXPECT_NE(groups.open_classic("g"), nullptr);
}

TEST_F(GroupsTest, OffsetsOutliveAChangeOfProtocol) {
  groups.open("g").offsets.commit("t", 0, {.offset = 5});
  ASSERT_NE(groups.open_consumer("g"), nullptr);
  EXPECT_EQ(groups.find("g")->offsets.find("t", 0).offset, 5);
  ASSERT_NE(groups.open_classic("g"), nullptr);
  EXPECT_EQ(groups.find("g")->offsets.find("t", 0).offset, 5);
}

TEST_F(GroupsTest, OffsetsGoWithTheirTopic) {
  topics.insert("u");
  groups.open("g").offsets.commit("t", 0, {.offset = 5});
  groups.open("g").offsets.commit("u", 0, {.offset = 6});
  topics.erase("t");
  groups.forget_lost_topics();
  EXPECT_EQ(groups.find("g")->offsets.find("t", 0).offset, -1);
  EXPECT_EQ(groups.find("g")->offsets.find("u", 0).offset, 6);
}

TEST_F(GroupsTest, WhoWaitsInAnyGroupIsReleased) {
  const auto waits = join_classic();
  groups.open_consumer("other");
  groups.release_waiting();
  EXPECT_EQ(waits.error(), KafkaError::kNotCoordinator);
}

TEST(Offsets, TheLastCommitCounts) {
  Offsets offsets;
  EXPECT_EQ(offsets.find("t", 0), CommittedOffset{});
  offsets.commit("t", 0, {.offset = 5, .leader_epoch = 1, .metadata = "first"});
  offsets.commit("t", 0, {.offset = 3, .leader_epoch = 2, .metadata = "second"});
  EXPECT_EQ(offsets.find("t", 0),
            (CommittedOffset{.offset = 3, .leader_epoch = 2, .metadata = "second"}));
  EXPECT_EQ(offsets.find("t", 1).offset, -1);
}

TEST(Offsets, ATopicWithoutOffsetsIsNotListed) {
  Offsets offsets;
  offsets.commit("t", 0, {.offset = 5});
  offsets.commit("t", 1, {.offset = 6});
  offsets.erase("t", 0);
  EXPECT_EQ(offsets.all().at("t").size(), 1U);
  offsets.erase("t", 1);
  offsets.erase("t", 1);
  EXPECT_TRUE(offsets.all().empty());
}

TEST(MemberIds, AreUuidsAndAllDifferent) {
  MemberIds ids(1);
  const std::string first = ids.next();
  ASSERT_EQ(first.size(), 36U);
  EXPECT_EQ(first[14], '4');
  EXPECT_NE(std::string("89ab").find(first[19]), std::string::npos);
  EXPECT_NE(first, ids.next());
}

}  // namespace
}  // namespace ktrial::fakebroker
