// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/state/partition_log.h"

#include "fakebroker/batches_for_test.h"

#include <gtest/gtest.h>

namespace ktrial::fakebroker {
namespace {

constexpr std::int64_t kPlenty = 1 << 30;
constexpr std::size_t kAll = 1U << 30U;
constexpr std::int64_t kToTheEnd = INT64_MAX;

std::int64_t append(PartitionLog& log, const BatchForTest& batch, std::int32_t epoch = 0) {
  const Slice bytes = a_batch(batch);
  return log.append(bytes, protocol::read_batch_header(bytes.span()).value(), epoch);
}

TEST(PartitionLog, GivesEachBatchTheNextOffset) {
  PartitionLog log(kPlenty);
  EXPECT_EQ(append(log, {.timestamps = {1, 2, 3}}), 0);
  EXPECT_EQ(append(log, {.timestamps = {4}}), 3);
  EXPECT_EQ(log.end_offset(), 4);
  EXPECT_EQ(log.start_offset(), 0);
}

TEST(PartitionLog, WritesOffsetAndEpochIntoTheBatchAndKeepsTheChecksum) {
  PartitionLog log(kPlenty);
  append(log, {});
  append(log, {}, 5);
  const auto read = log.read(1, kToTheEnd, kAll, true);
  const auto header = protocol::read_batch_header(read.runs.at(0).span()).value();
  EXPECT_EQ(header.base_offset, 1);
  EXPECT_EQ(header.partition_leader_epoch, 5);
  EXPECT_TRUE(protocol::crc_is_valid(read.runs[0].span(), header));
}

TEST(PartitionLog, ReadStartsWithTheBatchThatHoldsTheOffset) {
  PartitionLog log(kPlenty);
  append(log, {.timestamps = {1, 2, 3}});
  append(log, {.timestamps = {4, 5, 6}});
  const auto read = log.read(4, kToTheEnd, kAll, true);
  EXPECT_EQ(protocol::read_batch_header(read.runs.at(0).span())->base_offset, 3);
}

TEST(PartitionLog, SmallNeighboursAreReadAsOneRun) {
  PartitionLog log(kPlenty);
  for (int i = 0; i < 20; ++i) append(log, {});
  EXPECT_EQ(log.read(0, kToTheEnd, kAll, true).runs.size(), 1U);
}

TEST(PartitionLog, ALargeBatchIsNotCopied) {
  PartitionLog log(kPlenty);
  const Slice batch = a_batch({.value = std::string(100'000, 'x')});
  log.append(batch, protocol::read_batch_header(batch.span()).value(), 0);
  EXPECT_EQ(log.read(0, kToTheEnd, kAll, true).runs.at(0).data(), batch.data());
}

TEST(PartitionLog, ReadStopsAtTheLimitButGivesOneBatchIfAsked) {
  PartitionLog log(kPlenty);
  append(log, {});
  append(log, {});
  const std::size_t one = a_batch().size();
  EXPECT_EQ(log.read(0, kToTheEnd, one, false).bytes, one);
  EXPECT_EQ(log.read(0, kToTheEnd, 1, true).bytes, one);
  EXPECT_EQ(log.read(0, kToTheEnd, 1, false).bytes, 0U);
}

TEST(PartitionLog, TheOldestBatchesGoWhenTheBudgetIsExceeded) {
  PartitionLog log(static_cast<std::int64_t>(a_batch().size()) * 3);
  for (int i = 0; i < 5; ++i) append(log, {});
  EXPECT_EQ(log.start_offset(), 2);
  EXPECT_EQ(log.end_offset(), 5);
}

TEST(PartitionLog, FindsTheFirstRecordAtOrAfterATime) {
  PartitionLog log(kPlenty);
  append(log, {.timestamps = {100, 200}});
  append(log, {.timestamps = {300, 250, 400}});
  EXPECT_EQ(log.find_timestamp(150)->offset, 1);
  EXPECT_EQ(log.find_timestamp(200)->offset, 1);
  EXPECT_EQ(log.find_timestamp(201)->offset, 2);
  EXPECT_EQ(log.find_timestamp(301)->offset, 4);
  EXPECT_FALSE(log.find_timestamp(401));
}

TEST(PartitionLog, FindsTimesInCompressedBatches) {
  PartitionLog log(kPlenty);
  append(log, {.timestamps = {100, 200, 300}, .options = {.codec = Codec::kZstd}});
  EXPECT_EQ(log.find_timestamp(200)->offset, 1);
}

TEST(PartitionLog, FindsTheRecordWithTheGreatestTime) {
  PartitionLog log(kPlenty);
  EXPECT_FALSE(log.max_timestamp());
  append(log, {.timestamps = {100, 900, 300}});
  append(log, {.timestamps = {400}});
  EXPECT_EQ(log.max_timestamp()->offset, 1);
  EXPECT_EQ(log.max_timestamp()->timestamp, 900);
}

TEST(PartitionLog, AnEpochEndsWhereTheNextBegins) {
  PartitionLog log(kPlenty);
  log.begin_epoch(0);
  append(log, {.timestamps = {1, 2}});
  log.begin_epoch(3);
  append(log, {}, 3);
  EXPECT_EQ(log.end_of_epoch(0, 3).end_offset, 2);
  EXPECT_EQ(log.end_of_epoch(2, 3).epoch, 0);
  EXPECT_EQ(log.end_of_epoch(3, 3).end_offset, 3);
  EXPECT_EQ(log.end_of_epoch(9, 3).end_offset, -1);
}

TEST(PartitionLog, AvailableCountsNoFurtherThanNeeded) {
  PartitionLog log(kPlenty);
  for (int i = 0; i < 4; ++i) append(log, {});
  const std::size_t one = a_batch().size();
  EXPECT_EQ(log.available(2, kToTheEnd, kAll), 2 * one);
  EXPECT_EQ(log.available(0, kToTheEnd, 1), one);
  EXPECT_EQ(log.available(4, kToTheEnd, kAll), 0U);
}

}  // namespace
}  // namespace ktrial::fakebroker
