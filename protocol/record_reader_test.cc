// SPDX-License-Identifier: Apache-2.0
#include "protocol/record_reader.h"

#include "common/rng.h"
#include "protocol/control_record.h"
#include "protocol/read_records.h"
#include "protocol/record_samples.h"

#include <gtest/gtest.h>

namespace ktrial::protocol {
namespace {

using samples::batch;
using samples::kCodecs;
using samples::view;

Slice text(std::string_view content) { return Slice::copy_of(content); }

// A batch of `count` claimed records around `records` as they are.
std::vector<std::uint8_t> batch_of(std::vector<std::uint8_t> records, std::int32_t count = 1) {
  auto bytes = *RecordBatchBuilder().finish();
  bytes.insert(bytes.end(), records.begin(), records.end());
  store_be(bytes.data() + batch_at::kLength, static_cast<std::int32_t>(bytes.size() - 12));
  store_be(bytes.data() + batch_at::kRecordCount, count);
  store_be(bytes.data() + batch_at::kLastOffsetDelta, count - 1);
  return bytes;
}

Result<std::vector<Record>> read_unchecked(std::vector<std::uint8_t> bytes) {
  return read_records(Slice(std::move(bytes)), {.check_crc = false});
}

TEST(RecordReader, ReadsBackWhatTheBuilderWrote) {
  for (const Codec codec : kCodecs) {
    const auto records = read_records(Slice(batch(codec)));
    ASSERT_TRUE(records) << to_string(codec) << records.error().to_string();
    ASSERT_EQ(records->size(), 3U);
    EXPECT_EQ(records->at(0), (Record{0, 1000, text("key"), text("value"), {}}));
    EXPECT_EQ(
        records->at(1),
        (Record{1,
                1007,
                std::nullopt,
                std::nullopt,
                {{text("trace"), text("x")}, {text("null"), std::nullopt}, {text(""), text("")}}}));
    EXPECT_EQ(records->at(2).timestamp, 993);
    EXPECT_TRUE(records->at(2).key.has_value());
    EXPECT_TRUE(records->at(2).key->empty());
  }
}

TEST(RecordReader, KeptRecordsOutliveReaderAndBatch) {
  Record kept;
  {
    const auto opened = RecordBatch::open(Slice(batch(Codec::kZstd)));
    auto reader = RecordReader::open(*opened);
    kept = reader->keep(**reader->next());
  }
  EXPECT_EQ(kept.value->text(), "value");
}

TEST(RecordReader, UncompressedRecordsAreNotCopied) {
  const Slice bytes(batch());
  const auto records = read_records(bytes);
  EXPECT_GE(records->at(0).value->data(), bytes.data());
  EXPECT_LT(records->at(0).value->data(), bytes.data() + bytes.size());
}

TEST(RecordReader, ForEachStopsWhenTold) {
  std::vector<std::int64_t> offsets;
  const auto walked = for_each_record(Slice(batch()), [&offsets](const Record& record) {
    offsets.push_back(record.offset);
    return record.offset < 1;
  });
  EXPECT_TRUE(walked);
  EXPECT_EQ(offsets, (std::vector<std::int64_t>{0, 1}));
}

TEST(RecordReader, LogAppendTimeIsEveryRecordsTime) {
  auto bytes = batch();
  ASSERT_TRUE(set_log_append_time(bytes, 5000));
  const auto records = read_records(Slice(bytes));
  for (const Record& record : *records) EXPECT_EQ(record.timestamp, 5000);
}

TEST(RecordReader, OffsetsFollowTheBaseOffsetAndWrap) {
  auto bytes = batch();
  ASSERT_TRUE(set_base_offset(bytes, INT64_MAX));
  const auto records = read_records(Slice(bytes));
  EXPECT_EQ(records->at(0).offset, INT64_MAX);
  EXPECT_EQ(records->at(1).offset, INT64_MIN);
}

TEST(RecordReader, RefusesClaimsThatTheBytesCannotHold) {
  // length, attributes, timestamp, offset, key, value, headers
  EXPECT_TRUE(read_unchecked(batch_of({12, 0, 0, 0, 1, 1, 0})));
  const std::vector<std::vector<std::uint8_t>> broken = {
      {14, 0, 0, 0, 1, 1, 0},                            // longer than what is left
      {1, 0, 0, 0, 1, 1, 0},                             // a negative length
      {12, 0, 0, 0, 1, 1, 1},                            // -1 headers
      {12, 0, 0, 0, 1, 1, 8},                            // 4 headers in no bytes
      {16, 0, 0, 0, 1, 1, 2, 1, 1},                      // a null header key
      {12, 0, 0, 0, 9, 1, 0},                            // key of length -5
      {12, 0, 0, 0, 8, 1, 0},                            // key beyond the record
      {14, 0, 0, 0, 1, 1, 0, 0},                         // a byte left over in the record
      {12, 0, 0, 0, 1, 1, 0, 0},                         // a byte after the last record
      {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01, 0, 0},  // a number that does not end
      {0xff, 0xff, 0xff, 0xff, 0x7f, 0, 0, 0, 0},        // beyond 32 bits
      {12, 0, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80},       // a timestamp cut off
  };
  for (const auto& records : broken) {
    const auto read = read_unchecked(batch_of(records));
    ASSERT_FALSE(read) << testing::PrintToString(records);
    EXPECT_EQ(read.error().code, Errc::kMalformed);
  }
}

TEST(RecordReader, RefusesCountsThatTheBytesCannotHold) {
  for (const std::int32_t count : {-1, 2, 2'000'000'000}) {
    const auto read = read_unchecked(batch_of({12, 0, 0, 0, 1, 1, 0}, count));
    ASSERT_FALSE(read) << count;
  }
}

TEST(RecordReader, ErrorNamesRecordAndByte) {
  const auto read = read_unchecked(batch_of({12, 0, 0, 0, 1, 1, 0, 12, 0, 0, 2, 8, 1, 0}, 2));
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().to_string(),
            "entry at byte 0: record 1 at byte 73: the key is not what its bytes can hold");
}

TEST(RecordReader, StopsAtTheLimitOfUnpackedBytes) {
  RecordBatchBuilder builder({.codec = Codec::kZstd});
  const std::vector<std::uint8_t> zeros(1'000'000);
  builder.append(0, std::nullopt, zeros);
  auto bytes = *builder.finish();
  const auto again = bytes;
  bytes.insert(bytes.end(), again.begin(), again.end());
  EXPECT_TRUE(read_records(Slice(bytes), {.max_unpacked = 2'000'100}));
  const auto read = read_records(Slice(bytes), {.max_unpacked = 1'500'000});
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, Errc::kTooLarge);
}

TEST(RecordReader, FlippedBitsNeverCrash) {
  Rng rng(5, "flips");
  for (const Codec codec : kCodecs) {
    const auto good = batch(codec);
    for (int round = 0; round < 3'000; ++round) {
      auto damaged = good;
      for (std::uint64_t flips = 1 + rng.below(3); flips > 0; --flips) {
        damaged[rng.below(damaged.size())] ^= static_cast<std::uint8_t>(1U << rng.below(8));
      }
      static_cast<void>(
          read_records(Slice(std::move(damaged)), {.check_crc = false, .max_unpacked = 1U << 20U}));
    }
  }
}

TEST(RecordReader, TruncatedRecordsAreAnErrorAtEveryByte) {
  const auto whole = batch();
  for (std::size_t length = kBatchHeaderSize; length < whole.size(); ++length) {
    auto cut = std::vector(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length));
    store_be(cut.data() + batch_at::kLength, static_cast<std::int32_t>(length - 12));
    EXPECT_FALSE(read_unchecked(std::move(cut))) << length;
  }
}

TEST(ValidateRecords, AcceptsOnlyConsecutiveOffsetsFromZero) {
  EXPECT_TRUE(validate_records(*RecordBatch::open(Slice(batch()))));
  const auto gap = batch_of({12, 0, 0, 0, 1, 1, 0, 12, 0, 0, 4, 1, 1, 0}, 2);
  EXPECT_FALSE(validate_records(*RecordBatch::open(Slice(gap))));
  EXPECT_TRUE(read_unchecked(gap));  // a compacted log has gaps
  EXPECT_FALSE(validate_records(*RecordBatch::open(Slice(*RecordBatchBuilder().finish()))));
}

TEST(ControlRecord, MarkersAreHiddenUnlessAskedFor) {
  const auto bytes = build_marker_batch({ControlType::kCommit, 9, 2, 4}, 77);
  const auto opened = RecordBatch::open(Slice(bytes));
  ASSERT_TRUE(opened);
  EXPECT_TRUE(opened->header().control() && opened->header().transactional());
  EXPECT_EQ(opened->header().producer_id, 9);
  auto reader = RecordReader::open(*opened);
  const auto record = reader->next();
  EXPECT_EQ(*control_type_of(**record), ControlType::kCommit);
  EXPECT_TRUE(read_records(Slice(bytes))->empty());
  EXPECT_EQ(read_records(Slice(bytes), {.control_records = true})->size(), 1U);
}

}  // namespace
}  // namespace ktrial::protocol
