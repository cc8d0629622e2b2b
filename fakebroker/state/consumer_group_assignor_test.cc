// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/state/consumer_group_assignor.h"

#include <gtest/gtest.h>

namespace ktrial::fakebroker {
namespace {

using protocol::Uuid;

Uuid topic(std::uint8_t number) {
  Uuid id;
  id.bytes[15] = number;
  return id;
}

const Uuid kA = topic(1);
const Uuid kB = topic(2);

AssignorMember reader(std::string id, std::set<Uuid> topics, Assignment current = {}) {
  return {.id = std::move(id), .topics = std::move(topics), .current = std::move(current)};
}

std::size_t count(const Assignment& assignment) {
  std::size_t partitions = 0;
  for (const auto& [id, of_topic] : assignment) partitions += of_topic.size();
  return partitions;
}

TEST(Assignors, AreKnownByName) {
  EXPECT_TRUE(is_assignor("uniform"));
  EXPECT_TRUE(is_assignor("range"));
  EXPECT_FALSE(is_assignor("sticky"));
  EXPECT_FALSE(is_assignor(""));
}

// --- uniform

TEST(UniformAssignor, SharesEvenlyOverAllTopics) {
  const auto target = assign("uniform", {.members = {reader("1", {kA, kB}), reader("2", {kA, kB})},
                                         .partitions = {{kA, 3}, {kB, 3}}});
  EXPECT_EQ(count(target.at("1")), 3U);
  EXPECT_EQ(count(target.at("2")), 3U);
}

TEST(UniformAssignor, GivesEachPartitionToOne) {
  const auto target = assign(
      "uniform", {.members = {reader("1", {kA}), reader("2", {kA})}, .partitions = {{kA, 5}}});
  std::set<std::int32_t> all = target.at("1").at(kA);
  all.insert(target.at("2").at(kA).begin(), target.at("2").at(kA).end());
  EXPECT_EQ(all, (std::set<std::int32_t>{0, 1, 2, 3, 4}));
  EXPECT_EQ(count(target.at("1")) + count(target.at("2")), 5U);
}

TEST(UniformAssignor, KeepsWhatMembersHave) {
  const Assignment two{{kA, {0, 3}}};
  const Assignment one{{kA, {1}}};
  const auto target = assign(
      "uniform",
      {.members = {reader("1", {kA}, two), reader("2", {kA}, one)}, .partitions = {{kA, 4}}});
  EXPECT_EQ(target.at("1"), two);
  EXPECT_EQ(target.at("2"), (Assignment{{kA, {1, 2}}}));
}

TEST(UniformAssignor, MovesNoMoreThanItMustForANewcomer) {
  const auto target =
      assign("uniform", {.members = {reader("1", {kA}, {{kA, {0, 1, 2, 3}}}), reader("2", {kA})},
                         .partitions = {{kA, 4}}});
  EXPECT_EQ(target.at("1"), (Assignment{{kA, {0, 1}}}));
  EXPECT_EQ(target.at("2"), (Assignment{{kA, {2, 3}}}));
}

TEST(UniformAssignor, TakesBackWhatIsNoLongerSubscribedTo) {
  const auto target = assign(
      "uniform", {.members = {reader("1", {kB}, {{kA, {0}}, {kB, {0}}}), reader("2", {kA, kB})},
                  .partitions = {{kA, 1}, {kB, 1}}});
  EXPECT_EQ(target.at("1"), (Assignment{{kB, {0}}}));
  EXPECT_EQ(target.at("2"), (Assignment{{kA, {0}}}));
}

TEST(UniformAssignor, GivesNobodyWhatNobodySubscribesTo) {
  const auto target =
      assign("uniform", {.members = {reader("1", {kA})}, .partitions = {{kA, 1}, {kB, 2}}});
  EXPECT_EQ(target.at("1"), (Assignment{{kA, {0}}}));
}

TEST(UniformAssignor, ForgetsPartitionsThatAreGone) {
  const auto target =
      assign("uniform", {.members = {reader("1", {kA}, {{kA, {0, 7}}})}, .partitions = {{kA, 1}}});
  EXPECT_EQ(target.at("1"), (Assignment{{kA, {0}}}));
}

TEST(UniformAssignor, HasAnEntryForWhoGetsNothing) {
  const auto target = assign(
      "uniform", {.members = {reader("1", {kA}), reader("2", {kA})}, .partitions = {{kA, 1}}});
  EXPECT_TRUE(target.at("2").empty());
}

// --- range

TEST(RangeAssignor, GivesARunOfEachTopicAndTheRestToTheFirst) {
  const auto target = assign("range", {.members = {reader("2", {kA, kB}), reader("1", {kA, kB})},
                                       .partitions = {{kA, 3}, {kB, 3}}});
  EXPECT_EQ(target.at("1"), (Assignment{{kA, {0, 1}}, {kB, {0, 1}}}));
  EXPECT_EQ(target.at("2"), (Assignment{{kA, {2}}, {kB, {2}}}));
}

TEST(RangeAssignor, CountsOnlyWhoSubscribes) {
  const auto target = assign("range", {.members = {reader("1", {kA}), reader("2", {kA, kB})},
                                       .partitions = {{kA, 2}, {kB, 2}}});
  EXPECT_EQ(target.at("1"), (Assignment{{kA, {0}}}));
  EXPECT_EQ(target.at("2"), (Assignment{{kA, {1}}, {kB, {0, 1}}}));
}

TEST(RangeAssignor, KeepsAStaticMembersPlaceUnderAnotherId) {
  AssignorMember first = reader("z", {kA});
  first.instance_id = "one";
  AssignorMember second = reader("a", {kA});
  second.instance_id = "two";
  const auto target = assign("range", {.members = {second, first}, .partitions = {{kA, 2}}});
  EXPECT_EQ(target.at("z"), (Assignment{{kA, {0}}}));
  EXPECT_EQ(target.at("a"), (Assignment{{kA, {1}}}));
}

TEST(RangeAssignor, LeavesSomeWithoutWhereThereIsTooLittle) {
  const auto target =
      assign("range", {.members = {reader("1", {kA}), reader("2", {kA})}, .partitions = {{kA, 1}}});
  EXPECT_EQ(target.at("1"), (Assignment{{kA, {0}}}));
  EXPECT_TRUE(target.at("2").empty());
}

}  // namespace
}  // namespace ktrial::fakebroker
