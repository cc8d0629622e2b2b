// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/state/producer_state.h"

#include "fakebroker/state/producer_ids.h"

#include <gtest/gtest.h>

namespace ktrial::fakebroker {
namespace {

using protocol::BatchHeader;
using protocol::KafkaError;

BatchHeader batch(std::int32_t sequence, std::int32_t records = 1, std::int16_t epoch = 0) {
  BatchHeader header;
  header.producer_id = 7;
  header.producer_epoch = epoch;
  header.base_sequence = sequence;
  header.record_count = records;
  header.last_offset_delta = records - 1;
  return header;
}

// Checks and, if good, appends at `offset`.
KafkaError offer(ProducerState& state, BatchHeader header, std::int64_t offset) {
  const auto verdict = state.check(header);
  header.base_offset = offset;
  if (verdict.error == KafkaError::kNone && !verdict.duplicate_of) state.record(header, -1);
  return verdict.error;
}

TEST(ProducerState, AnUnknownProducerMayBeginAnywhere) {
  ProducerState state;
  EXPECT_EQ(offer(state, batch(42), 0), KafkaError::kNone);
}

TEST(ProducerState, SequencesMustFollow) {
  ProducerState state;
  offer(state, batch(0, 10), 0);
  EXPECT_EQ(state.check(batch(11)).error, KafkaError::kOutOfOrderSequenceNumber);
  EXPECT_EQ(offer(state, batch(10), 10), KafkaError::kNone);
}

TEST(ProducerState, ARetryGetsItsFirstOffset) {
  ProducerState state;
  offer(state, batch(0, 10), 100);
  offer(state, batch(10, 5), 110);
  EXPECT_EQ(state.check(batch(0, 10)).duplicate_of, 100);
  EXPECT_EQ(state.check(batch(10, 5)).duplicate_of, 110);
}

TEST(ProducerState, OnlyTheWholeBatchIsADuplicate) {
  ProducerState state;
  offer(state, batch(0, 10), 100);
  EXPECT_EQ(state.check(batch(0, 9)).error, KafkaError::kOutOfOrderSequenceNumber);
}

TEST(ProducerState, FiveBatchesAreRemembered) {
  ProducerState state;
  for (int i = 0; i < 6; ++i) offer(state, batch(i), i);
  EXPECT_EQ(state.check(batch(0)).error, KafkaError::kOutOfOrderSequenceNumber);
  EXPECT_EQ(state.check(batch(1)).duplicate_of, 1);
}

TEST(ProducerState, SequencesWrapToZero) {
  ProducerState state;
  offer(state, batch(INT32_MAX), 0);
  EXPECT_EQ(offer(state, batch(0), 1), KafkaError::kNone);
}

TEST(ProducerState, ABatchMayWrapInside) {
  ProducerState state;
  offer(state, batch(INT32_MAX - 1, 4), 0);  // ..., 2^31-1, 0, 1
  EXPECT_EQ(offer(state, batch(2), 4), KafkaError::kNone);
}

TEST(ProducerState, AnOldEpochIsFenced) {
  ProducerState state;
  offer(state, batch(0, 1, 3), 0);
  EXPECT_EQ(state.check(batch(1, 1, 2)).error, KafkaError::kInvalidProducerEpoch);
}

TEST(ProducerState, ANewEpochBeginsAtZero) {
  ProducerState state;
  offer(state, batch(0), 0);
  EXPECT_EQ(state.check(batch(1, 1, 1)).error, KafkaError::kOutOfOrderSequenceNumber);
  EXPECT_EQ(offer(state, batch(0, 1, 1), 1), KafkaError::kNone);
}

TEST(ProducerState, AMarkerOfANewerEpochEndsTheSequences) {
  ProducerState state;
  offer(state, batch(0), 0);
  state.record_marker(7, 0);
  EXPECT_EQ(offer(state, batch(1), 2), KafkaError::kNone);
  state.record_marker(7, 1);
  EXPECT_EQ(offer(state, batch(2), 4), KafkaError::kInvalidProducerEpoch);
  EXPECT_EQ(offer(state, batch(0, 1, 1), 4), KafkaError::kNone);
}

TEST(ProducerIds, AreNewEachTime) {
  ProducerIds ids;
  EXPECT_NE(ids.fresh(), ids.fresh());
}

}  // namespace
}  // namespace ktrial::fakebroker
