// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/state/topics.h"

#include <gtest/gtest.h>

namespace ktrial::fakebroker {
namespace {

using protocol::KafkaError;

struct TopicsTest : testing::Test {
  Topics topics{{1, 2, 3}, 1 << 20};

  KafkaError create(const std::string& name, int partitions, std::vector<int> leaders = {}) {
    return topics.create(
        {.name = name, .partitions = partitions, .leaders = std::move(leaders), .configs = {}});
  }
};

TEST_F(TopicsTest, LeadersGoRoundTheBrokers) {
  create("t", 4);
  const Topic* const topic = topics.find("t");
  EXPECT_EQ(topic->partition(0)->leader, 1);
  EXPECT_EQ(topic->partition(1)->leader, 2);
  EXPECT_EQ(topic->partition(3)->leader, 1);
  EXPECT_EQ(topic->partition(4), nullptr);
  EXPECT_EQ(topic->partition(-1), nullptr);
}

TEST_F(TopicsTest, LeadersCanBeChosen) {
  create("t", 3, {3, 3});
  const Topic* const topic = topics.find("t");
  EXPECT_EQ(topic->partition(0)->leader, 3);
  EXPECT_EQ(topic->partition(1)->leader, 3);
  EXPECT_EQ(topic->partition(2)->leader, 3);
}

TEST_F(TopicsTest, WhatCannotBeIsRefused) {
  EXPECT_EQ(create("", 1), KafkaError::kInvalidTopicException);
  EXPECT_EQ(create("a b", 1), KafkaError::kInvalidTopicException);
  EXPECT_EQ(create("..", 1), KafkaError::kInvalidTopicException);
  EXPECT_EQ(create(std::string(250, 'x'), 1), KafkaError::kInvalidTopicException);
  EXPECT_EQ(create("t", 0), KafkaError::kInvalidPartitions);
  EXPECT_EQ(create("t", 1, {9}), KafkaError::kInvalidReplicaAssignment);
  create("t", 1);
  EXPECT_EQ(create("t", 1), KafkaError::kTopicAlreadyExists);
}

TEST_F(TopicsTest, AMovedLeaderRaisesTheEpochAndTellsWaiters) {
  create("t", 1);
  Partition& partition = *topics.find("t")->partition(0);
  std::uint64_t told = 0;
  topics.on_partition_change([&](std::uint64_t serial) { told = serial; });
  topics.move_leader(partition, 2);
  EXPECT_EQ(partition.leader, 2);
  EXPECT_EQ(partition.leader_epoch, 1);
  EXPECT_EQ(told, partition.serial);
}

TEST_F(TopicsTest, IdsAreFoundAndNotUsedAgain) {
  create("t", 1);
  const protocol::Uuid first = topics.find("t")->id;
  EXPECT_EQ(topics.find(first)->name, "t");
  topics.erase("t");
  create("t", 1);
  EXPECT_NE(topics.find("t")->id, first);
  EXPECT_EQ(topics.find(first), nullptr);
}

TEST_F(TopicsTest, TopicsOnlyGrow) {
  create("t", 2);
  EXPECT_EQ(topics.grow(*topics.find("t"), 2), KafkaError::kInvalidPartitions);
  EXPECT_EQ(topics.grow(*topics.find("t"), 5), KafkaError::kNone);
  EXPECT_EQ(topics.find("t")->partitions.size(), 5U);
}

TEST_F(TopicsTest, ObserversHearOfChanges) {
  int changes = 0;
  topics.on_change([&] { ++changes; });
  create("t", 1);
  topics.grow(*topics.find("t"), 2);
  topics.erase("t");
  EXPECT_EQ(changes, 3);
}

}  // namespace
}  // namespace ktrial::fakebroker
