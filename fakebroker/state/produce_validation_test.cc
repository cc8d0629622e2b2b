// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/state/produce_validation.h"

#include "fakebroker/batches_for_test.h"

#include <gtest/gtest.h>

namespace ktrial::fakebroker {
namespace {

using protocol::KafkaError;

constexpr std::int64_t kPlenty = 1 << 20;

KafkaError verdict(const Slice& records, std::int16_t version = 9,
                   std::int64_t max_bytes = kPlenty) {
  return validate_produce(records, version, max_bytes).error;
}

TEST(ProduceValidation, AGoodBatchPasses) {
  EXPECT_EQ(verdict(a_batch({.timestamps = {1, 2, 3}})), KafkaError::kNone);
}

TEST(ProduceValidation, NothingIsInvalid) {
  EXPECT_EQ(verdict(Slice()), KafkaError::kInvalidRecord);
}

TEST(ProduceValidation, ATruncatedBatchIsInvalidAtEveryLength) {
  const Slice batch = a_batch();
  for (std::size_t length = 0; length < batch.size(); ++length) {
    EXPECT_NE(verdict(batch.part(0, length)), KafkaError::kNone) << length;
  }
}

TEST(ProduceValidation, TwoBatchesAreInvalid) {
  EXPECT_EQ(verdict(joined({a_batch(), a_batch()})), KafkaError::kInvalidRecord);
}

TEST(ProduceValidation, AnOldMagicIsInvalid) {
  EXPECT_EQ(verdict(with_byte(a_batch(), 16, 1)), KafkaError::kInvalidRecord);
}

TEST(ProduceValidation, AMagicThatNobodyKnowsIsCorrupt) {
  EXPECT_EQ(verdict(with_byte(a_batch(), 16, 3)), KafkaError::kCorruptMessage);
}

TEST(ProduceValidation, AFlippedBitIsCorrupt) {
  const Slice batch = a_batch();
  EXPECT_EQ(verdict(with_byte(batch, batch.size() - 1, 0x55)), KafkaError::kCorruptMessage);
}

TEST(ProduceValidation, ALargeBatchIsTooLarge) {
  EXPECT_EQ(verdict(a_batch({.value = std::string(500, 'x')}), 9, 400),
            KafkaError::kMessageTooLarge);
}

TEST(ProduceValidation, ZstdNeedsVersionSeven) {
  const Slice batch = a_batch({.options = {.codec = Codec::kZstd}});
  EXPECT_EQ(verdict(batch, 6), KafkaError::kUnsupportedCompressionType);
  EXPECT_EQ(verdict(batch, 7), KafkaError::kNone);
}

TEST(ProduceValidation, ClientsWriteNoControlBatches) {
  EXPECT_EQ(verdict(a_batch({.options = {.control = true}})), KafkaError::kInvalidRecord);
}

TEST(ProduceValidation, CompressedRecordsCountFromZero) {
  const Slice batch = a_batch({.options = {.codec = Codec::kGzip, .base_offset = 5}});
  EXPECT_EQ(verdict(batch), KafkaError::kInvalidRecord);
}

TEST(ProduceValidation, OldVersionsLookAtTheCodecFirst) {
  const Slice unknown_codec = with_byte(a_batch(), 22, 7);
  EXPECT_EQ(validate_form(unknown_codec, 3).error, KafkaError::kUnknownServerError);
  EXPECT_EQ(validate_form(unknown_codec, 9).error, KafkaError::kNone);
}

TEST(ProduceValidation, AProducerIdNeedsASequence) {
  EXPECT_EQ(verdict(an_idempotent_batch(-1, 1)), KafkaError::kInvalidRecord);
  EXPECT_EQ(verdict(an_idempotent_batch(0, 1)), KafkaError::kNone);
}

}  // namespace
}  // namespace ktrial::fakebroker
