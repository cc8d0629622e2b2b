// SPDX-License-Identifier: Apache-2.0
// Assignors: what each promises, by example and over random groups.
#include "clients/reference/assignor.h"

#include "clients/reference/range_assignor.h"
#include "clients/reference/round_robin_assignor.h"
#include "clients/reference/sticky_assignor.h"
#include "common/rng.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace ktrial::client {
namespace {

MemberSubscription to(std::set<std::string> topics) { return {.topics = std::move(topics)}; }

std::map<TopicPartition, MemberKey> owners(const Assignment& assignment) {
  std::map<TopicPartition, MemberKey> owner;
  for (const auto& [member, given] : assignment) {
    for (const TopicPartition& at : given) owner[at] = member;
  }
  return owner;
}

std::size_t moves(const Assignment& before, const Assignment& after) {
  const auto new_owners = owners(after);
  std::size_t moved = 0;
  for (const auto& [at, owner] : owners(before)) {
    const auto found = new_owners.find(at);
    moved += after.contains(owner) && found != new_owners.end() && found->second != owner ? 1U : 0U;
  }
  return moved;
}

std::pair<std::size_t, std::size_t> smallest_and_largest(const Assignment& assignment) {
  std::pair<std::size_t, std::size_t> sizes{SIZE_MAX, 0};
  for (const auto& [member, given] : assignment) {
    sizes = {std::min(sizes.first, given.size()), std::max(sizes.second, given.size())};
  }
  return sizes;
}

// As the group leader hears it in the next generation.
void remember(Subscriptions& members, const Assignor& assignor, const Assignment& had,
              std::int32_t generation) {
  for (auto& [member, subscription] : members) {
    const auto found = had.find(member);
    const auto owned = found == had.end() ? std::vector<TopicPartition>() : found->second;
    subscription.user_data = Slice(assignor.user_data(owned, generation));
    if (assignor.cooperative()) subscription.owned = owned;
    if (assignor.cooperative()) subscription.generation = generation;
  }
}

// Rebalances until nobody has to give anything up any more.
Assignment settle(Subscriptions members, const Assignor& assignor,
                  const PartitionCounts& partitions) {
  Assignment assignment = assignor.assign(members, partitions);
  for (std::int32_t generation = 100; assignor.cooperative() && generation < 103; ++generation) {
    remember(members, assignor, assignment, generation);
    assignment = assignor.assign(members, partitions);
  }
  return assignment;
}

void expect_sound(const Assignment& assignment, const Subscriptions& members,
                  const PartitionCounts& partitions) {
  std::size_t wanted = 0;
  for (const auto& [topic, count] : partitions) {
    const bool anybody = std::ranges::any_of(
        members, [&](const auto& entry) { return entry.second.topics.contains(topic); });
    wanted += anybody ? static_cast<std::size_t>(count) : 0;
  }
  std::size_t given = 0;
  for (const auto& [member, list] : assignment) {
    given += list.size();
    for (const TopicPartition& at : list) {
      EXPECT_TRUE(members.at(member).topics.contains(at.topic));
      EXPECT_LT(at.partition, partitions.at(at.topic));
    }
  }
  EXPECT_EQ(given, wanted);
  EXPECT_EQ(owners(assignment).size(), wanted);
  EXPECT_EQ(assignment.size(), members.size());
}

TEST(RangeAssignor, GivesTheFirstMembersOneMore) {
  const auto assignment =
      RangeAssignor().assign({{"a", to({"t"})}, {"b", to({"t", "u"})}}, {{"t", 3}, {"u", 1}});
  EXPECT_EQ(assignment.at("a"), (std::vector<TopicPartition>{{"t", 0}, {"t", 1}}));
  EXPECT_EQ(assignment.at("b"), (std::vector<TopicPartition>{{"t", 2}, {"u", 0}}));
}

TEST(RangeAssignor, PutsStaticMembersFirstInOrderOfTheirInstances) {
  const MemberKey first{"i1", "z"};
  const MemberKey second{"i2", "y"};
  const auto assignment = RangeAssignor().assign(
      {{"a", to({"t"})}, {second, to({"t"})}, {first, to({"t"})}}, {{"t", 2}});
  EXPECT_EQ(assignment.at(first), (std::vector<TopicPartition>{{"t", 0}}));
  EXPECT_EQ(assignment.at(second), (std::vector<TopicPartition>{{"t", 1}}));
  EXPECT_TRUE(assignment.at("a").empty());
}

TEST(RoundRobinAssignor, TakesTurnsAndPassesOverStrangers) {
  const auto assignment = RoundRobinAssignor().assign({{"a", to({"t"})}, {"b", to({"t", "u"})}},
                                                      {{"t", 3}, {"u", 1}, {"x", 5}});
  EXPECT_EQ(assignment.at("a"), (std::vector<TopicPartition>{{"t", 0}, {"t", 2}}));
  EXPECT_EQ(assignment.at("b"), (std::vector<TopicPartition>{{"t", 1}, {"u", 0}}));
}

TEST(StickyAssignor, ANewMemberTakesNoMoreThanItsShare) {
  const StickyAssignor assignor;
  Subscriptions members{{"a", to({"t"})}, {"b", to({"t"})}};
  const PartitionCounts partitions{{"t", 6}};
  const auto before = assignor.assign(members, partitions);
  members["c"] = to({"t"});
  remember(members, assignor, before, 1);
  const auto after = assignor.assign(members, partitions);
  EXPECT_EQ(smallest_and_largest(after), std::pair(std::size_t{2}, std::size_t{2}));
  EXPECT_EQ(moves(before, after), 2U);
}

TEST(StickyAssignor, TheLaterGenerationIsRightAboutAPartitionThatTwoClaim) {
  const StickyAssignor assignor;
  Subscriptions members{{"a", to({"t"})}, {"b", to({"t"})}};
  members["a"].user_data = Slice(assignor.user_data({{"t", 0}}, 4));
  members["b"].user_data = Slice(assignor.user_data({{"t", 0}, {"t", 1}}, 3));
  const auto after = assignor.assign(members, {{"t", 2}});
  EXPECT_EQ(after.at("a"), (std::vector<TopicPartition>{{"t", 0}}));
  EXPECT_EQ(after.at("b"), (std::vector<TopicPartition>{{"t", 1}}));
}

TEST(StickyAssignor, EvensOutAlongAPathOfMembers) {
  // Only b can take from a, and only c from b.
  Subscriptions members{{"a", to({"t"})}, {"b", to({"t", "u"})}, {"c", to({"u"})}};
  members["a"].user_data = Slice(StickyAssignor().user_data({{"t", 0}, {"t", 1}, {"t", 2}}, 1));
  members["b"].user_data = Slice(StickyAssignor().user_data({{"u", 0}, {"u", 1}}, 1));
  const auto after = StickyAssignor().assign(members, {{"t", 3}, {"u", 3}});
  EXPECT_EQ(smallest_and_largest(after), std::pair(std::size_t{2}, std::size_t{2}));
}

TEST(CooperativeStickyAssignor, WithholdsWhatItsOwnerMustGiveUpFirst) {
  const CooperativeStickyAssignor assignor;
  Subscriptions members{{"a", to({"t"})}, {"b", to({"t"})}};
  members["a"].owned = {{"t", 0}, {"t", 1}};
  members["a"].generation = 1;
  const auto first = assignor.assign(members, {{"t", 2}});
  EXPECT_EQ(first.at("a").size(), 1U);
  EXPECT_TRUE(first.at("b").empty());
  members["a"].owned = first.at("a");
  const auto second = assignor.assign(members, {{"t", 2}});
  EXPECT_EQ(second.at("a"), first.at("a"));
  EXPECT_EQ(second.at("b").size(), 1U);
}

TEST(StickyAssignor, IgnoresUserDataThatItCannotRead) {
  Subscriptions members{{"a", to({"t"})}};
  for (const auto& bytes : std::vector<std::vector<std::uint8_t>>{
           {1}, {0x7f, 0xff, 0xff, 0xff}, {0, 0, 0, 1, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff}}) {
    members["a"].user_data = Slice(bytes);
    EXPECT_EQ(StickyAssignor().assign(members, {{"t", 1}}).at("a").size(), 1U);
    EXPECT_EQ(CooperativeStickyAssignor().assign(members, {{"t", 1}}).at("a").size(), 1U);
  }
}

TEST(Assignors, AreFoundByShortNameOrJavaClassAndOfferedInOrder) {
  const auto found = parse_assignors(
      "range, org.apache.kafka.clients.consumer.CooperativeStickyAssignor,sticky,roundrobin");
  ASSERT_TRUE(found);
  std::vector<std::string_view> names;
  for (const auto& assignor : *found) names.push_back(assignor->name());
  EXPECT_EQ(names,
            (std::vector<std::string_view>{"range", "cooperative-sticky", "sticky", "roundrobin"}));
  EXPECT_FALSE(parse_assignors("range,mine"));
  EXPECT_FALSE(parse_assignors("range,range"));
  EXPECT_FALSE(parse_assignors(""));
}

class EveryAssignor : public testing::TestWithParam<std::string> {};

TEST_P(EveryAssignor, GivesEveryPartitionOnceAndOnlyToSubscribers) {
  const auto assignor = find_assignor(GetParam());
  Rng rng(7, GetParam());
  for (int round = 0; round < 200; ++round) {
    PartitionCounts partitions;
    for (std::uint64_t i = 0, n = 1 + rng.below(5); i < n; ++i) {
      partitions["t" + std::to_string(i)] = static_cast<std::int32_t>(1 + rng.below(9));
    }
    Subscriptions members;
    for (std::uint64_t i = 0, n = 1 + rng.below(6); i < n; ++i) {
      auto& member = members[MemberKey("m" + std::to_string(i))];
      for (const auto& [topic, count] : partitions) {
        if (rng.chance(0.6)) member.topics.insert(topic);
      }
    }
    expect_sound(settle(members, *assignor, partitions), members, partitions);
  }
}

INSTANTIATE_TEST_SUITE_P(Assignors, EveryAssignor,
                         testing::Values("range", "roundrobin", "sticky", "cooperative-sticky"),
                         [](const auto& given) {
                           return given.param == "cooperative-sticky" ? "cooperative" : given.param;
                         });

class BothSticky : public testing::TestWithParam<std::string> {};

TEST_P(BothSticky, MoveNoMoreThanNeededAndStayBalancedWhileMembersComeAndGo) {
  const auto assignor = find_assignor(GetParam());
  Rng rng(11, GetParam());
  const PartitionCounts partitions{{"t", 17}, {"u", 8}};
  const std::set<std::string> topics{"t", "u"};
  Subscriptions members{{"m0", to(topics)}};
  Assignment before = assignor->assign(members, partitions);
  for (std::int32_t round = 1; round < 150; ++round) {
    const bool joins = members.size() < 2 || (members.size() < 9 && rng.chance(0.5));
    const std::size_t was = members.size();
    if (joins) {
      members["m" + std::to_string(round)] = to(topics);
    } else {
      members.erase(std::next(members.begin(), static_cast<std::ptrdiff_t>(rng.below(was))));
    }
    remember(members, *assignor, before, round);
    const Assignment after = settle(members, *assignor, partitions);
    expect_sound(after, members, partitions);
    const auto [least, most] = smallest_and_largest(after);
    EXPECT_LE(most - least, 1U);
    // Who joins is given its share; when one leaves nobody else loses anything.
    EXPECT_LE(moves(before, after), joins ? 25 / members.size() : 0U);
    before = after;
  }
}

INSTANTIATE_TEST_SUITE_P(Assignors, BothSticky, testing::Values("sticky", "cooperative-sticky"),
                         [](const auto& given) {
                           return given.param == "sticky" ? "eager" : "cooperative";
                         });

}  // namespace
}  // namespace ktrial::client
