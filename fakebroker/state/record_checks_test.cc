// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/state/record_checks.h"

#include "fakebroker/batches_for_test.h"

#include <gtest/gtest.h>

namespace ktrial::fakebroker {
namespace {

using protocol::KafkaError;

RecordFaults check(const Slice& batch, const RecordRules& rules) {
  return check_records(batch, protocol::read_batch_header(batch.span()).value(), rules);
}

TEST(RecordChecks, WithoutRulesEverythingPasses) {
  EXPECT_EQ(check(a_batch(), {}).error, KafkaError::kNone);
}

TEST(RecordChecks, ACompactedTopicWantsKeys) {
  const RecordFaults faults = check(a_batch({.timestamps = {1, 2}}), {.keys_required = true});
  EXPECT_EQ(faults.error, KafkaError::kInvalidRecord);
  ASSERT_EQ(faults.records.size(), 2U);
  EXPECT_EQ(faults.records[1].batch_index, 1);
}

TEST(RecordChecks, OnlyRecordsFromTheFutureAreNamed) {
  const RecordFaults faults =
      check(a_batch({.timestamps = {10, 30, 20}}), {.latest_timestamp_ms = 20});
  EXPECT_EQ(faults.error, KafkaError::kInvalidTimestamp);
  ASSERT_EQ(faults.records.size(), 1U);
  EXPECT_EQ(faults.records[0].batch_index, 1);
  EXPECT_EQ(check(a_batch({.timestamps = {10, 20}}), {.latest_timestamp_ms = 20}).error,
            KafkaError::kNone);
}

}  // namespace
}  // namespace ktrial::fakebroker
