// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/state/share_group.h"

#include "common/manual_clock.h"

#include <gtest/gtest.h>

#include <set>

namespace ktrial::fakebroker {
namespace {

using protocol::KafkaError;
using protocol::Uuid;
using std::chrono::seconds;
using Partitions = std::set<std::int32_t>;

// Two topics: "t" of two partitions, "u" of one, as long as they are there.
struct ShareGroupTest : testing::Test {
  ShareGroupTest() {
    topics["t"] = {Uuid{.bytes = {1}}, 2};
    topics["u"] = {Uuid{.bytes = {2}}, 1};
  }

  ShareGroup::Response beat(const std::string& member, std::int32_t epoch,
                            const std::vector<std::string>& names = {}) {
    ShareGroup::Request request;
    request.group_id = "g";
    request.member_id = member;
    request.member_epoch = epoch;
    if (!names.empty()) request.subscribed_topic_names = names;
    if (auto refused = ShareGroup::refuse(request)) return *refused;
    return group.heartbeat(request, {"client", "/127.0.0.1"});
  }
  // Beats until nothing changes, as time goes by.
  std::int32_t settle(const std::string& member, std::int32_t epoch) {
    for (int beats = 0; beats < 3; ++beats) {
      clock.advance(seconds(2));
      epoch = beat(member, epoch).member_epoch;
    }
    return epoch;
  }
  Partitions assigned(const std::string& member, const std::string& topic = "t") {
    const Assignment& all = group.members().at(member).assigned;
    const auto found = all.find(topics.at(topic).id);
    return found == all.end() ? Partitions{} : found->second;
  }
  static KafkaError error_of(const ShareGroup::Response& response) {
    return static_cast<KafkaError>(response.error_code);
  }

  ManualClock clock;
  std::map<std::string, TopicShape> topics;
  ShareSettings settings;
  int freed = 0;
  GroupServices services{clock, clock, {}, MemberIds(1)};
  ShareGroup::Services share_services{services,
                                      [this](std::string_view name) -> std::optional<TopicShape> {
                                        const auto found = topics.find(std::string(name));
                                        return found == topics.end() ? std::nullopt
                                                                     : std::optional(found->second);
                                      },
                                      [this](const std::string&) { return settings; },
                                      [this](const Uuid&, std::int32_t) { ++freed; }};
  ShareGroup group{"g", share_services};
};

TEST_F(ShareGroupTest, AMemberIsAssignedWhatWasInitializedOnItsFirstHeartbeat) {
  const auto joined = beat("a", 0, {"t"});
  EXPECT_EQ(joined.member_epoch, 2);
  EXPECT_EQ(joined.heartbeat_interval_ms, 5'000);
  ASSERT_TRUE(joined.assignment);
  EXPECT_TRUE(joined.assignment->topic_partitions.empty());
  clock.advance(seconds(5));
  const auto next = beat("a", 2);
  EXPECT_EQ(next.member_epoch, 3);
  ASSERT_TRUE(next.assignment);
  EXPECT_EQ(next.assignment->topic_partitions.at(0).partitions, (std::vector{0, 1}));
  EXPECT_FALSE(beat("a", 3).assignment);
}

TEST_F(ShareGroupTest, ANewTargetWaitsForTheInterval) {
  beat("a", 0, {"t"});
  clock.advance(seconds(5));
  beat("a", 2);
  const auto early = beat("b", 0, {"t"});
  EXPECT_EQ(early.member_epoch, 3);
  EXPECT_TRUE(early.assignment->topic_partitions.empty());
  clock.advance(seconds(1));
  EXPECT_EQ(beat("a", 3).member_epoch, 4);
  EXPECT_EQ(assigned("a"), Partitions{1});
  EXPECT_EQ(beat("b", 3).member_epoch, 4);
  EXPECT_EQ(assigned("b"), Partitions{0});
}

TEST_F(ShareGroupTest, MoreMembersThanPartitionsShareThem) {
  std::map<std::string, std::int32_t> epochs;
  for (const std::string member : {"a", "b", "c", "d"})
    epochs[member] = settle(member, beat(member, 0, {"t"}).member_epoch);
  std::multiset<std::int32_t> all;
  for (auto& [member, epoch] : epochs) {
    epoch = settle(member, epoch);
    EXPECT_EQ(assigned(member).size(), 1U) << member;
    for (const auto partition : assigned(member)) all.insert(partition);
  }
  EXPECT_EQ(all, (std::multiset<std::int32_t>{0, 0, 1, 1}));
}

TEST_F(ShareGroupTest, SubscriptionsThatDifferAreSharedTopicByTopic) {
  std::int32_t a = settle("a", beat("a", 0, {"t"}).member_epoch);
  settle("b", beat("b", 0, {"t", "u"}).member_epoch);
  settle("a", a);
  EXPECT_EQ(assigned("a").size(), 1U);
  EXPECT_EQ(assigned("b").size(), 1U);
  EXPECT_EQ(assigned("b", "u"), Partitions{0});
  EXPECT_EQ(assigned("a", "u"), Partitions{});
}

TEST_F(ShareGroupTest, TheTopicsGrowUnderTheGroup) {
  const std::int32_t epoch = settle("a", beat("a", 0, {"t"}).member_epoch);
  topics["t"].partitions = 3;
  settle("a", epoch);
  EXPECT_EQ(assigned("a"), (Partitions{0, 1, 2}));
}

TEST_F(ShareGroupTest, EpochsAndMembersAreChecked) {
  EXPECT_EQ(error_of(beat("", 0, {"t"})), KafkaError::kInvalidRequest);
  EXPECT_EQ(error_of(beat("a", 0)), KafkaError::kInvalidRequest);
  EXPECT_EQ(error_of(beat("a", -2, {"t"})), KafkaError::kInvalidRequest);
  EXPECT_EQ(error_of(beat("a", 1)), KafkaError::kUnknownMemberId);
  beat("a", 0, {"t"});
  clock.advance(seconds(5));
  EXPECT_EQ(beat("a", 2).member_epoch, 3);
  EXPECT_EQ(beat("a", 2).member_epoch, 3);  // the answer was lost
  EXPECT_EQ(error_of(beat("a", 1)), KafkaError::kFencedMemberEpoch);
  EXPECT_EQ(error_of(beat("a", 9)), KafkaError::kFencedMemberEpoch);
  EXPECT_EQ(error_of(beat("b", -1)), KafkaError::kUnknownMemberId);
  settings.max_size = 1;
  EXPECT_EQ(error_of(beat("b", 0, {"t"})), KafkaError::kGroupMaxSizeReached);
}

TEST_F(ShareGroupTest, MembersLeaveOrAreForgotten) {
  beat("a", 0, {"t"});
  beat("b", 0, {"t"});
  EXPECT_EQ(beat("b", -1).member_epoch, -1);
  EXPECT_FALSE(group.empty());
  clock.advance(settings.session_timeout);
  EXPECT_TRUE(group.empty());
  EXPECT_EQ(group.state_name(), "Empty");
  EXPECT_EQ(group.epoch(), group.target_epoch());
}

TEST_F(ShareGroupTest, LocksThatRunOutFreeTheirRecords) {
  beat("a", 0, {"t"});
  const Uuid topic = topics["t"].id;
  SharePartition& partition = *group.partition(topic, 0, 0);
  partition.open(0);
  const std::vector<FetchedBatch> log = {{0, 9}};
  partition.acquire({.member = "a", .max_records = 1, .batch_size = 1}, log, settings, clock.now());
  group.watch_locks(topic, 0);
  clock.advance(settings.record_lock - Millis(1));
  EXPECT_EQ(partition.next_fetch_offset(), 10);
  clock.advance(Millis(1));
  EXPECT_EQ(partition.next_fetch_offset(), 0);
  EXPECT_EQ(freed, 1);
}

TEST_F(ShareGroupTest, OffsetsAreSetAndForgotten) {
  const Uuid topic = topics["t"].id;
  EXPECT_EQ(group.partition(topic, 0, 0), nullptr);
  group.set_start(topic, 0, 7);
  EXPECT_EQ(group.written(topic, 0).start, 7);
  EXPECT_TRUE(group.partition(topic, 0, 0)->is_open());
  EXPECT_TRUE(group.forget(topic));
  EXPECT_FALSE(group.forget(topic));
  EXPECT_EQ(group.written(topic, 0).start, SharePartition::kUnset);
}

}  // namespace
}  // namespace ktrial::fakebroker
