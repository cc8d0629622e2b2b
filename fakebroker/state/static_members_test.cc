// SPDX-License-Identifier: Apache-2.0
// Static members of classic groups (KIP-345, KIP-814).
#include "fakebroker/state/classic_group_for_test.h"

namespace ktrial::fakebroker {
namespace {

using namespace std::chrono_literals;
using protocol::KafkaError;

struct StaticMemberTest : ClassicGroupTest {
  static constexpr const char* kOne = "one";
  static constexpr const char* kTwo = "two";

  // Two static members; the first leads.
  std::vector<Id> two_stable() {
    const Join one = join(a_join("", kOne));
    const Join two = join(a_join("", kTwo));
    clock.advance(0ms);
    const std::vector<Id> ids{one->member_id, two->member_id};
    sync(ids[1]);
    sync(ids[0], ids);
    return ids;
  }
};

TEST_F(StaticMemberTest, NeedsNoIdToBeginWith) {
  const Join only = join(a_join("", kOne));
  clock.advance(0ms);
  EXPECT_EQ(only.error(), KafkaError::kNone);
  EXPECT_EQ(only->member_id.substr(0, 4), "one-");
  EXPECT_EQ(only->members.at(0).group_instance_id, kOne);
}

TEST_F(StaticMemberTest, ComesBackWithoutARebalance) {
  const std::vector<Id> ids = two_stable();
  const Join back = join(a_join("", kTwo));
  EXPECT_EQ(back.error(), KafkaError::kNone);
  EXPECT_EQ(back->generation_id, 1);
  EXPECT_NE(back->member_id, ids[1]);
  EXPECT_FALSE(back->skip_assignment);
  EXPECT_EQ(group.state(), State::kStable);
  EXPECT_EQ(sync(back->member_id)->assignment.text(), "of " + ids[1]);
}

TEST_F(StaticMemberTest, ItsFormerIdIsFenced) {
  const std::vector<Id> ids = two_stable();
  join(a_join("", kTwo));
  EXPECT_EQ(group.heartbeat(ids[1], kTwo, 1), KafkaError::kFencedInstanceId);
  EXPECT_EQ(group.check_commit(ids[1], kTwo, 1), KafkaError::kFencedInstanceId);
  EXPECT_EQ(group.leave(ids[1], kTwo), KafkaError::kFencedInstanceId);
  EXPECT_EQ(join(a_join(ids[1], kTwo)).error(), KafkaError::kFencedInstanceId);
  protocol::SyncGroupRequest request;
  request.member_id = ids[1];
  request.group_instance_id = kTwo;
  request.generation_id = 1;
  EXPECT_EQ(sync(request).error(), KafkaError::kFencedInstanceId);
}

TEST_F(StaticMemberTest, HasASessionUnderItsNewId) {
  two_stable();
  const Join back = join(a_join("", kTwo));
  clock.advance(kSession);
  EXPECT_FALSE(group.members().contains(back->member_id));
}

TEST_F(StaticMemberTest, ALeaderThatComesBackIsToldToSkipTheAssignment) {
  two_stable();
  const Join back = join(a_join("", kOne), 9);
  EXPECT_TRUE(back->skip_assignment);
  EXPECT_EQ(back->leader, back->member_id);
  EXPECT_EQ(back->members.size(), 2U);
}

TEST_F(StaticMemberTest, ALeaderThatCannotSkipIsNotToldThatItLeads) {
  const std::vector<Id> ids = two_stable();
  const Join back = join(a_join("", kOne), 8);
  EXPECT_FALSE(back->skip_assignment);
  EXPECT_EQ(back->leader, ids[0]);
  EXPECT_TRUE(back->members.empty());
}

TEST_F(StaticMemberTest, ComingBackWhileTheGroupCompletesStartsARebalance) {
  const Join one = join(a_join("", kOne));
  join(a_join("", kTwo));
  clock.advance(0ms);
  EXPECT_TRUE(join(a_join("", kTwo)).waits());
  EXPECT_EQ(heartbeat(one->member_id), KafkaError::kRebalanceInProgress);
}

TEST_F(StaticMemberTest, ASecondInstanceWithTheSameNameTakesTheJoinOver) {
  const Join first = join(a_join("", kOne));
  const Join second = join(a_join("", kOne));
  EXPECT_EQ(first.error(), KafkaError::kFencedInstanceId);
  clock.advance(0ms);
  EXPECT_EQ(second.error(), KafkaError::kNone);
  EXPECT_EQ(group.members().size(), 1U);
}

TEST_F(StaticMemberTest, StaysThroughARebalanceThatItMissed) {
  const std::vector<Id> ids = two_stable();
  join(a_join(an_id()));
  const Join one = join(a_join(ids[0], kOne));
  for (int beats = 0; beats < 12; ++beats) {
    EXPECT_EQ(group.heartbeat(ids[1], kTwo, 1), KafkaError::kRebalanceInProgress);
    clock.advance(kRebalance / 12);
  }
  EXPECT_EQ(one->members.size(), 3U);
  EXPECT_TRUE(group.members().contains(ids[1]));
}

TEST_F(StaticMemberTest, CanBeMadeToLeaveByItsInstanceId) {
  const std::vector<Id> ids = two_stable();
  EXPECT_EQ(group.leave("", kTwo), KafkaError::kNone);
  EXPECT_FALSE(group.members().contains(ids[1]));
}

}  // namespace
}  // namespace ktrial::fakebroker
