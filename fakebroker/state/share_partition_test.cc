// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/state/share_partition.h"

#include <gtest/gtest.h>

#include <utility>

namespace ktrial::fakebroker {
namespace {

using protocol::KafkaError;
using Ranges = std::vector<AcquiredRange>;

struct SharePartitionTest : testing::Test {
  SharePartitionTest() { partition.open(0); }

  // Of the log's batches, those from the next fetch offset on.
  Ranges acquire(const std::string& member, std::int32_t most = 500, bool exactly = false,
                 std::int32_t batch_size = 500) {
    const std::int64_t offset = partition.next_fetch_offset();
    std::vector<FetchedBatch> fetched;
    for (const FetchedBatch& batch : log) {
      if (batch.last >= offset) fetched.push_back(batch);
    }
    return partition.acquire({.member = member,
                              .fetch_offset = offset,
                              .max_records = most,
                              .batch_size = batch_size,
                              .record_limit = exactly},
                             fetched, settings, now);
  }
  ShareFault acknowledge(const std::string& member, std::vector<ShareAcknowledgement> batches) {
    return partition.acknowledge(member, batches, settings, now);
  }
  KafkaError turn(const std::string& member, std::int64_t first, std::int64_t last,
                  AcknowledgeType type) {
    return acknowledge(member, {{first, last, {type}}}).error;
  }
  std::pair<std::int64_t, std::int64_t> written() const {
    return {partition.written_start(), partition.written_done()};
  }

  std::vector<FetchedBatch> log = {{0, 2}, {3, 6}, {7, 7}};
  ShareSettings settings;
  TimePoint now{};
  SharePartition partition;
};

TEST_F(SharePartitionTest, BatchesAreNotSplitButByTheExactMode) {
  EXPECT_EQ(acquire("a", 2), (Ranges{{0, 2, 1}}));
  EXPECT_EQ(acquire("a", 2, true), (Ranges{{3, 4, 1}}));
  EXPECT_EQ(acquire("b", 10), (Ranges{{5, 6, 1}, {7, 7, 1}}));
  EXPECT_EQ(acquire("b"), Ranges{});
  EXPECT_EQ(partition.next_fetch_offset(), 8);
}

TEST_F(SharePartitionTest, RangesAreCutBetweenBatches) {
  EXPECT_EQ(acquire("a", 500, false, 2), (Ranges{{0, 2, 1}, {3, 6, 1}, {7, 7, 1}}));
}

TEST_F(SharePartitionTest, AcceptedRecordsMoveTheStart) {
  acquire("a");
  EXPECT_EQ(turn("a", 0, 1, kAccept), KafkaError::kNone);
  EXPECT_EQ(partition.start_offset(), 2);
  // What others are told is from before the start moved.
  EXPECT_EQ(written(), std::pair(0L, 2L));
  EXPECT_EQ(turn("a", 0, 1, kAccept), KafkaError::kNone);  // done with, whatever they say
  EXPECT_EQ(acknowledge("a", {{2, 3, {kReject, kGap}}, {4, 7, {kAccept}}}).error,
            KafkaError::kNone);
  EXPECT_EQ(partition.start_offset(), 8);
  EXPECT_EQ(partition.end_offset(), 8);
}

TEST_F(SharePartitionTest, ReleasedRecordsAreDeliveredAgainAndCounted) {
  acquire("a");
  EXPECT_EQ(turn("a", 3, 6, kRelease), KafkaError::kNone);
  EXPECT_EQ(partition.next_fetch_offset(), 3);
  EXPECT_EQ(acquire("b", 1, true), (Ranges{{3, 3, 2}}));
  EXPECT_EQ(acquire("b"), (Ranges{{4, 6, 2}}));
}

TEST_F(SharePartitionTest, OnlyTheOwnerAcknowledgesAndAllOrNothing) {
  acquire("a", 500, false, 1);
  turn("a", 3, 4, kRelease);
  acquire("b");
  EXPECT_EQ(acknowledge("b", {{0, 2, {kAccept}}}).message,
            "Member is not the owner of batch record");
  EXPECT_EQ(acknowledge("a", {{4, 4, {kAccept}}}).message, "Member is not the owner of offset");
  EXPECT_EQ(acknowledge("a", {{0, 2, {kAccept}}, {3, 3, {kAccept}}}).error,
            KafkaError::kInvalidRecordState);
  EXPECT_EQ(partition.start_offset(), 0);
  EXPECT_EQ(turn("a", 0, 2, kAccept), KafkaError::kNone);
  EXPECT_EQ(written(), std::pair(0L, 3L));
}

TEST_F(SharePartitionTest, OffsetsThatWereNotAcquiredAreRefused) {
  EXPECT_EQ(turn("a", 0, 0, kAccept), KafkaError::kInvalidRecordState);
  acquire("a", 1);
  EXPECT_EQ(turn("a", 0, 3, kAccept), KafkaError::kInvalidRequest);
  EXPECT_EQ(turn("a", 5, 6, kAccept), KafkaError::kInvalidRequest);
  turn("a", 1, 1, kAccept);
  EXPECT_EQ(acknowledge("a", {{1, 1, {kAccept}}}).message,
            "The offset cannot be acknowledged. The offset is not acquired.");
}

TEST_F(SharePartitionTest, LocksRunOutUnlessRenewed) {
  acquire("a");
  now += settings.record_lock / 2;
  EXPECT_EQ(turn("a", 0, 2, kRenew), KafkaError::kNone);
  now += settings.record_lock / 2;
  EXPECT_EQ(partition.next_expiry(), now);
  EXPECT_TRUE(partition.expire(settings, now));
  EXPECT_EQ(partition.next_fetch_offset(), 3);
  EXPECT_EQ(turn("a", 3, 3, kAccept), KafkaError::kInvalidRecordState);
  EXPECT_EQ(turn("a", 0, 2, kAccept), KafkaError::kNone);
  settings.renew_enabled = false;
  acquire("a");
  EXPECT_EQ(turn("a", 3, 3, kRenew), KafkaError::kInvalidRecordState);
}

// As a Kafka 4.4 broker hands out four records that always fail: whole, then halves, then each by
// itself, then never.
TEST_F(SharePartitionTest, RecordsThatFailAreHandedOutInEverSmallerParts) {
  log = {{0, 3}};
  const auto fails = [&] {
    const Ranges acquired = acquire("a");
    for (const AcquiredRange& range : acquired) turn("a", range.first, range.last, kRelease);
    return acquired;
  };
  EXPECT_EQ(fails(), (Ranges{{0, 3, 1}}));
  EXPECT_EQ(fails(), (Ranges{{0, 3, 2}}));
  EXPECT_EQ(fails(), (Ranges{{0, 3, 3}}));
  EXPECT_EQ(fails(), (Ranges{{0, 1, 4}}));
  for (std::int64_t offset = 0; offset < 2; ++offset)
    EXPECT_EQ(fails(), (Ranges{{offset, offset, 5}})) << offset;
  EXPECT_EQ(partition.start_offset(), 2);
  EXPECT_EQ(fails(), (Ranges{{2, 3, 4}}));
  for (std::int64_t offset = 2; offset < 4; ++offset)
    EXPECT_EQ(fails(), (Ranges{{offset, offset, 5}})) << offset;
  EXPECT_EQ(fails(), Ranges{});
  EXPECT_EQ(partition.start_offset(), 4);
}

TEST_F(SharePartitionTest, NoMoreAreInFlightThanThereAreLocks) {
  settings.max_record_locks = 4;
  EXPECT_EQ(acquire("a"), (Ranges{{0, 6, 1}}));  // to the end of the batch
  EXPECT_FALSE(partition.can_acquire(settings));
  EXPECT_EQ(acquire("b"), Ranges{});
  turn("a", 5, 5, kRelease);
  EXPECT_TRUE(partition.can_acquire(settings));
  EXPECT_EQ(acquire("b"), (Ranges{{5, 5, 2}}));
  turn("a", 0, 4, kAccept);
  EXPECT_EQ(acquire("b"), (Ranges{{7, 7, 1}}));
}

TEST_F(SharePartitionTest, ASessionThatEndsReleasesWhatItHas) {
  acquire("a", 1);
  acquire("b");
  partition.release("a", settings);
  EXPECT_EQ(acquire("c"), (Ranges{{0, 2, 2}}));
  EXPECT_EQ(turn("b", 3, 7, kAccept), KafkaError::kNone);
}

TEST_F(SharePartitionTest, AbortedBatchesAreLeftOut) {
  log[1].aborted = true;
  EXPECT_EQ(acquire("a"), (Ranges{{0, 2, 1}, {7, 7, 1}}));
  turn("a", 0, 2, kAccept);
  EXPECT_EQ(partition.start_offset(), 7);
}

TEST_F(SharePartitionTest, WhatTheLogNoLongerHasIsDoneWith) {
  acquire("a");
  turn("a", 3, 6, kRelease);
  partition.log_start_moved(4);
  EXPECT_EQ(partition.start_offset(), 4);
  EXPECT_EQ(partition.next_fetch_offset(), 4);
  EXPECT_EQ(turn("a", 0, 2, kAccept), KafkaError::kNone);
  partition.log_start_moved(100);
  EXPECT_EQ(partition.next_fetch_offset(), 100);
}

TEST_F(SharePartitionTest, AnotherLeaderKnowsWhatWasWritten) {
  acquire("a", 1);
  turn("a", 0, 0, kAccept);
  acquire("a");
  partition.reload();
  EXPECT_EQ(partition.start_offset(), 1);
  EXPECT_EQ(acquire("b", 1), (Ranges{{1, 2, 1}}));
  EXPECT_EQ(acquire("b"), (Ranges{{3, 7, 1}}));
}

TEST(SharePartition, WithoutAnythingWrittenItBeginsAgain) {
  SharePartition partition;
  partition.open(5);
  partition.reload();
  EXPECT_FALSE(partition.is_open());
}

}  // namespace
}  // namespace ktrial::fakebroker
