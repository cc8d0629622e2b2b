// SPDX-License-Identifier: Apache-2.0
#include "protocol/record_batch.h"

#include "protocol/record_samples.h"

#include <gtest/gtest.h>

namespace ktrial::protocol {
namespace {

using samples::batch;
using samples::view;

TEST(RecordBatch, HeaderIsWhatTheBuilderWasTold) {
  const auto opened = RecordBatch::open(Slice(batch(Codec::kLz4)));
  ASSERT_TRUE(opened) << opened.error().to_string();
  const BatchHeader& header = opened->header();
  EXPECT_EQ(header.base_offset, 0);
  EXPECT_EQ(header.magic, 2);
  EXPECT_EQ(header.codec(), Codec::kLz4);
  EXPECT_TRUE(header.transactional());
  EXPECT_FALSE(header.control());
  EXPECT_FALSE(header.log_append_time());
  EXPECT_FALSE(header.delete_horizon());
  EXPECT_EQ(header.last_offset_delta, 2);
  EXPECT_EQ(header.base_timestamp, 1000);
  EXPECT_EQ(header.max_timestamp, 1007);
  EXPECT_EQ(header.producer_id, 7);
  EXPECT_EQ(header.producer_epoch, 1);
  EXPECT_EQ(header.base_sequence, 5);
  EXPECT_EQ(header.last_sequence(), 7);
  EXPECT_EQ(header.record_count, 3);
  EXPECT_TRUE(opened->check_crc());
}

TEST(RecordBatch, SequencesWrapAtTwoToThe31) {
  BatchHeader header;
  header.base_sequence = 0x7fffffff;
  header.last_offset_delta = 1;
  EXPECT_EQ(header.last_sequence(), 0);
  header.base_sequence = -1;
  EXPECT_EQ(header.last_sequence(), -1);
}

TEST(RecordBatch, TruncationAtEveryByteIsTruncated) {
  const auto whole = batch();
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const auto opened = RecordBatch::open(Slice::unowned(std::span(whole).first(length)));
    ASSERT_FALSE(opened) << length;
    EXPECT_EQ(opened.error().code, Errc::kTruncated) << length;
  }
}

TEST(RecordBatch, HeaderAloneCanBeReadAndChecked) {
  auto bytes = batch();
  const auto size = bytes.size();
  bytes.push_back(0);  // what follows is not the batch's
  const auto header = read_batch_header(bytes);
  ASSERT_TRUE(header);
  EXPECT_EQ(header->total_size(), size);
  EXPECT_TRUE(crc_is_valid(bytes, *header));
  EXPECT_FALSE(crc_is_valid(std::span(bytes).first(size - 1), *header));
  bytes[size - 1] ^= 1;
  EXPECT_FALSE(crc_is_valid(bytes, *header));
}

TEST(RecordBatch, ErrorsSayWhere) {
  auto bytes = batch();
  bytes[16] = 3;
  EXPECT_EQ(RecordBatch::open(Slice::unowned(bytes)).error().to_string(),
            "at byte 16: magic 3, expected 2");
  bytes = batch();
  store_be(bytes.data() + 8, std::int32_t{48});
  EXPECT_EQ(RecordBatch::open(Slice::unowned(bytes)).error().to_string(),
            "at byte 8: batch length 48, expected at least 49");
}

TEST(RecordBatch, EveryFlippedBitUnderTheCrcIsSeen) {
  const auto good = batch();
  for (std::size_t bit = batch_at::kCrc * 8; bit < good.size() * 8; ++bit) {
    auto damaged = good;
    damaged[bit / 8] = static_cast<std::uint8_t>(damaged[bit / 8] ^ (1U << (bit % 8)));
    const auto opened = RecordBatch::open(Slice::unowned(damaged));
    ASSERT_TRUE(opened);
    const auto checked = opened->check_crc();
    ASSERT_FALSE(checked) << bit;
    EXPECT_EQ(checked.error().where, "at byte 17");
  }
}

TEST(RecordBatchPatch, OffsetAndEpochLieOutsideTheCrc) {
  auto bytes = batch();
  ASSERT_TRUE(set_base_offset(bytes, 99));
  ASSERT_TRUE(set_partition_leader_epoch(bytes, 3));
  const auto opened = RecordBatch::open(Slice(bytes));
  ASSERT_TRUE(opened);
  EXPECT_EQ(opened->header().base_offset, 99);
  EXPECT_EQ(opened->header().last_offset(), 101);
  EXPECT_EQ(opened->header().partition_leader_epoch, 3);
  EXPECT_TRUE(opened->check_crc());
}

TEST(RecordBatchPatch, LogAppendTimeAndProducerTakeANewCrc) {
  auto bytes = batch();
  ASSERT_TRUE(set_log_append_time(bytes, 5000));
  ASSERT_TRUE(set_producer_state(bytes, {8, 2, 0}));
  const auto opened = RecordBatch::open(Slice(bytes));
  ASSERT_TRUE(opened);
  EXPECT_TRUE(opened->header().log_append_time());
  EXPECT_EQ(opened->header().max_timestamp, 5000);
  EXPECT_EQ(opened->header().producer_id, 8);
  EXPECT_EQ(opened->header().base_sequence, 0);
  EXPECT_TRUE(opened->check_crc());
}

TEST(RecordBatchPatch, RefusesWhatIsNotOneWholeBatch) {
  auto bytes = batch();
  const auto part = std::span(bytes).first(bytes.size() - 1);
  EXPECT_FALSE(set_base_offset(part, 1));
  EXPECT_FALSE(set_log_append_time(std::span(bytes).first(20), 1));
  bytes[16] = 1;
  EXPECT_FALSE(set_partition_leader_epoch(bytes, 1));
}

TEST(BatchIterator, YieldsEachBatchAndStopsAtTheOneCutOff) {
  const auto one = batch();
  auto bytes = one;
  bytes.insert(bytes.end(), one.begin(), one.end());
  bytes.insert(bytes.end(), one.begin(), one.end() - 1);
  for (std::size_t extra = 0; extra < one.size(); ++extra) {
    BatchIterator batches(Slice::unowned(std::span(bytes).first(2 * one.size() + extra)));
    for (int i = 0; i < 2; ++i) {
      const auto entry = batches.next();
      ASSERT_TRUE(entry && entry->has_value());
      EXPECT_EQ(**entry, Slice::unowned(one));
    }
    const auto after = batches.next();
    ASSERT_TRUE(after);
    EXPECT_FALSE(after->has_value());
    EXPECT_EQ(batches.partial_bytes(), extra);
  }
}

TEST(BatchIterator, LengthBelowAnyEntryIsMalformedNotAnEndlessLoop) {
  auto bytes = batch();
  for (const std::int32_t length : {-2'147'483'647 - 1, -12, -1, 0, 13}) {
    store_be(bytes.data() + 8, length);
    const auto entry = BatchIterator(Slice::unowned(bytes)).next();
    ASSERT_FALSE(entry) << length;
    EXPECT_EQ(entry.error().where, "at byte 8");
  }
}

TEST(RecordBatchBuilder, KnowsSizesToTheByte) {
  RecordBatchBuilder builder;
  const std::string long_value(200, 'v');
  for (const std::int64_t timestamp : {1'700'000'000'000, 1'700'000'000'063, 1'600'000'000'000}) {
    for (int i = 0; i < 70; ++i) {
      const HeaderView header{"h", view(long_value)};
      const auto expected = builder.size_with(timestamp, view("k"), view(long_value), {&header, 1});
      builder.append(timestamp, view("k"), view(long_value), {&header, 1});
      ASSERT_EQ(builder.size(), expected);
    }
  }
  const auto size = builder.size();
  EXPECT_EQ(builder.finish()->size(), size);
}

TEST(RecordBatchBuilder, UnknownCodecIsAnError) {
  RecordBatchBuilder builder({.codec = static_cast<Codec>(6)});
  builder.append(0, std::nullopt, std::nullopt);
  EXPECT_EQ(builder.finish().error().code, Errc::kUnsupported);
}

}  // namespace
}  // namespace ktrial::protocol
