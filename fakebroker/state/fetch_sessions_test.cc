// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/state/fetch_sessions.h"

#include "common/manual_clock.h"

#include <gtest/gtest.h>

namespace ktrial::fakebroker {
namespace {

using protocol::KafkaError;

FetchTarget target(std::int32_t partition, std::int64_t offset = 0) {
  return {.topic = "t", .partition = partition, .offset = offset, .max_bytes = 1000};
}

struct FetchSessionsTest : testing::Test {
  FetchSessions sessions;
  ManualClock clock;

  FetchSessions::Opened open(std::int32_t id, std::int32_t epoch,
                             std::vector<FetchTarget> targets = {},
                             std::vector<FetchTarget> forgotten = {}) {
    return sessions.open({id, epoch, false, std::move(targets), std::move(forgotten)}, clock.now());
  }
};

TEST_F(FetchSessionsTest, EpochZeroMakesASession) {
  const auto opened = open(0, 0, {target(0), target(1)});
  ASSERT_NE(opened.session, nullptr);
  EXPECT_NE(opened.session->id, 0);
  EXPECT_TRUE(opened.full);
}

TEST_F(FetchSessionsTest, MinusOneHasNoSessionAndEndsTheOldOne) {
  const auto id = open(0, 0, {target(0)}).session->id;
  const auto opened = open(id, -1, {target(0)});
  EXPECT_EQ(opened.session, nullptr);
  EXPECT_EQ(sessions.size(), 0U);
}

TEST_F(FetchSessionsTest, TheNextFetchOnlyNamesWhatChanged) {
  const auto id = open(0, 0, {target(0), target(1)}).session->id;
  const auto opened = open(id, 1, {target(1, 50)});
  EXPECT_FALSE(opened.full);
  ASSERT_EQ(opened.targets.size(), 2U);
  EXPECT_EQ(opened.targets[0].offset, 0);
  EXPECT_EQ(opened.targets[1].offset, 50);
}

TEST_F(FetchSessionsTest, PartitionsAreAddedAndForgotten) {
  const auto id = open(0, 0, {target(0), target(1)}).session->id;
  const auto opened = open(id, 1, {target(2)}, {target(0)});
  ASSERT_EQ(opened.targets.size(), 2U);
  EXPECT_EQ(opened.targets[0].partition, 1);
  EXPECT_EQ(opened.targets[1].partition, 2);
}

TEST_F(FetchSessionsTest, ForgettingTheLastPartitionEndsTheSession) {
  const auto id = open(0, 0, {target(0)}).session->id;
  const auto opened = open(id, 1, {}, {target(0)});
  EXPECT_EQ(opened.error, KafkaError::kNone);
  EXPECT_EQ(opened.session, nullptr);
  EXPECT_EQ(sessions.size(), 0U);
}

TEST_F(FetchSessionsTest, AnUnknownSessionIsRefused) {
  EXPECT_EQ(open(99, 1).error, KafkaError::kFetchSessionIdNotFound);
}

TEST_F(FetchSessionsTest, AWrongEpochIsRefused) {
  const auto id = open(0, 0, {target(0)}).session->id;
  EXPECT_EQ(open(id, 2).error, KafkaError::kInvalidFetchSessionEpoch);
  EXPECT_EQ(open(id, 1).error, KafkaError::kNone);
  EXPECT_EQ(open(id, 1).error, KafkaError::kInvalidFetchSessionEpoch);
}

TEST_F(FetchSessionsTest, EpochsWrapToOne) {
  const auto session = open(0, 0, {target(0)}).session;
  session->next_epoch = INT32_MAX;
  EXPECT_EQ(open(session->id, INT32_MAX).error, KafkaError::kNone);
  EXPECT_EQ(open(session->id, 1).error, KafkaError::kNone);
}

TEST_F(FetchSessionsTest, ASessionKeepsToNamesOrToIds) {
  const auto id = open(0, 0, {target(0)}).session->id;
  const auto opened = sessions.open({id, 1, true, {}, {}}, clock.now());
  EXPECT_EQ(opened.error, KafkaError::kFetchSessionTopicIdError);
}

TEST_F(FetchSessionsTest, AFullCacheGivesNoSessionUntilOneIsOld) {
  for (std::size_t i = 0; i < FetchSessions::kSlots; ++i) open(0, 0, {target(0)});
  EXPECT_EQ(open(0, 0, {target(0)}).session, nullptr);
  clock.advance(FetchSessions::kEvictAfter);
  EXPECT_NE(open(0, 0, {target(0)}).session, nullptr);
  EXPECT_EQ(sessions.size(), FetchSessions::kSlots);
}

TEST_F(FetchSessionsTest, ServedPartitionsGoLast) {
  const auto session = open(0, 0, {target(0), target(1), target(2)}).session;
  session->move_to_end({target(0)});
  EXPECT_EQ(session->entries.front().target.partition, 1);
  EXPECT_EQ(session->entries.back().target.partition, 0);
}

}  // namespace
}  // namespace ktrial::fakebroker
