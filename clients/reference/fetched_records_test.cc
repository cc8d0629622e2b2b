// SPDX-License-Identifier: Apache-2.0
// What a consumer sees of batches made by hand.
#include "clients/reference/fetched_records.h"

#include "protocol/control_record.h"
#include "protocol/record_batch_builder.h"
#include "protocol/record_batch_patch.h"

#include <gtest/gtest.h>

namespace ktrial::client {
namespace {

using Bytes = std::vector<std::uint8_t>;
using protocol::ControlType;
using protocol::fetch_response::PartitionData;

constexpr std::int64_t kNobody = -1;

// `count` records from `base` on, of a transaction of `producer` if there is one.
Bytes batch(std::int64_t base, int count, std::int64_t producer = kNobody) {
  protocol::RecordBatchBuilder builder({.transactional = producer != kNobody, .base_offset = base});
  const Bytes value{'v'};
  for (int i = 0; i < count; ++i) builder.append(1'000 + i, std::nullopt, value);
  const std::int16_t epoch = producer == kNobody ? -1 : 0;
  return builder.finish({producer, epoch, producer == kNobody ? -1 : 0}).value();
}

Bytes marker(std::int64_t base, ControlType type, std::int64_t producer) {
  Bytes bytes = protocol::build_marker_batch({type, producer, 0, 0}, 1'000);
  EXPECT_TRUE(protocol::set_base_offset(bytes, base));
  return bytes;
}

PartitionData of(const std::vector<Bytes>& batches,
                 std::vector<std::pair<std::int64_t, std::int64_t>> aborted = {}) {
  PartitionData data;
  Bytes all;
  for (const Bytes& each : batches) all.insert(all.end(), each.begin(), each.end());
  data.records = Slice(std::move(all));
  data.aborted_transactions.emplace();
  for (const auto& [producer, first] : aborted) {
    auto& transaction = data.aborted_transactions->emplace_back();
    transaction.producer_id = producer;
    transaction.first_offset = first;
  }
  return data;
}

FetchedRecords read(const PartitionData& data, std::int64_t from = 0, bool committed = true,
                    bool check_crcs = true) {
  return read_fetched({"t", 3}, from, data, {committed, check_crcs});
}

std::vector<std::int64_t> offsets(const FetchedRecords& fetched) {
  std::vector<std::int64_t> all;
  for (const InRecord& record : fetched.records) all.push_back(record.offset);
  return all;
}

using Offsets = std::vector<std::int64_t>;

TEST(FetchedRecords, BeginAtTheOffsetAskedForThoughTheBatchBeginsBefore) {
  const auto fetched = read(of({batch(0, 4), batch(4, 2)}), 2);
  EXPECT_EQ(offsets(fetched), (Offsets{2, 3, 4, 5}));
  EXPECT_EQ(fetched.next_offset, 6);
  EXPECT_EQ(fetched.records.front().timestamp, 1'002);
  EXPECT_FALSE(fetched.error);
}

TEST(FetchedRecords, SkipTransactionMarkersAndGoOnBehindThem) {
  for (const bool committed : {true, false}) {
    const auto fetched =
        read(of({batch(0, 2, 7), marker(2, ControlType::kCommit, 7)}), 0, committed);
    EXPECT_EQ(offsets(fetched), (Offsets{0, 1}));
    EXPECT_EQ(fetched.next_offset, 3);
  }
}

TEST(FetchedRecords, LeaveOutAbortedTransactionsIfReadCommitted) {
  const auto data =
      of({batch(0, 2, 7), batch(2, 1, 8), batch(3, 1), marker(4, ControlType::kAbort, 7),
          marker(5, ControlType::kCommit, 8), batch(6, 1, 7), marker(7, ControlType::kCommit, 7)},
         {{7, 0}});
  EXPECT_EQ(offsets(read(data)), (Offsets{2, 3, 6}));
  EXPECT_EQ(read(data).next_offset, 8);
  EXPECT_EQ(offsets(read(data, 0, false)), (Offsets{0, 1, 2, 3, 6}));
}

TEST(FetchedRecords, AProducerMayAbortTwiceInOneAnswer) {
  const auto data =
      of({batch(0, 1, 7), marker(1, ControlType::kAbort, 7), batch(2, 1, 7),
          marker(3, ControlType::kCommit, 7), batch(4, 1, 7), marker(5, ControlType::kAbort, 7)},
         {{7, 4}, {7, 0}});
  EXPECT_EQ(offsets(read(data)), (Offsets{2}));
  EXPECT_EQ(read(data).next_offset, 6);
}

TEST(FetchedRecords, ATransactionAbortedBeforeTheAnswerBeginsIsLeftOutToo) {
  const auto data = of({batch(10, 1, 7), marker(11, ControlType::kAbort, 7)}, {{7, 2}});
  EXPECT_TRUE(read(data, 10).records.empty());
  EXPECT_EQ(read(data, 10).next_offset, 12);
}

TEST(FetchedRecords, ABatchCutOffAtTheEndIsLeftForTheNextFetch) {
  Bytes cut = batch(2, 2);
  cut.resize(cut.size() - 3);
  const auto fetched = read(of({batch(0, 2), cut}));
  EXPECT_EQ(offsets(fetched), (Offsets{0, 1}));
  EXPECT_EQ(fetched.next_offset, 2);
  EXPECT_FALSE(fetched.error);
}

TEST(FetchedRecords, ACorruptBatchIsAnErrorThatNamesItsPlace) {
  Bytes bad = batch(2, 2);
  bad.back() ^= 1U;
  const auto fetched = read(of({batch(0, 2), bad, batch(4, 1)}));
  EXPECT_EQ(offsets(fetched), (Offsets{0, 1}));
  EXPECT_EQ(fetched.next_offset, 2);
  ASSERT_TRUE(fetched.error);
  EXPECT_EQ(fetched.error->code, "CORRUPT_MESSAGE");
  EXPECT_NE(fetched.error->message.find("t-3 at offset 2"), std::string::npos)
      << fetched.error->message;
}

TEST(FetchedRecords, MarkersAndAbortedBatchesAreCheckedToo) {
  Bytes bad_marker = marker(0, ControlType::kCommit, 7);
  bad_marker.back() ^= 1U;
  EXPECT_TRUE(read(of({bad_marker})).error);
  Bytes aborted = batch(0, 1, 7);
  aborted.back() ^= 1U;
  EXPECT_TRUE(read(of({aborted}, {{7, 0}})).error);
}

TEST(FetchedRecords, ChecksumsCanBeLeftUnchecked) {
  Bytes bad = batch(0, 2);
  bad[17] ^= 1U;  // the checksum itself
  EXPECT_TRUE(read(of({bad})).error);
  EXPECT_EQ(offsets(read(of({bad}), 0, true, false)), (Offsets{0, 1}));
}

TEST(FetchedRecords, AnyByteMayBeWrongAndNothingWorseThanAnErrorComesOfIt) {
  const Bytes good = batch(0, 3, 7);
  for (std::size_t i = 0; i < good.size(); ++i) {
    for (const std::uint8_t flip : Bytes{0x01, 0x80, 0xff}) {
      Bytes bad = good;
      bad[i] ^= flip;
      for (const bool check : {true, false}) {
        const auto fetched = read(of({bad}, {{7, 0}}), 0, check, check);
        EXPECT_LE(fetched.records.size(), 3U);
      }
    }
  }
}

TEST(FetchedRecords, AnAnswerThatHoldsNoWholeBatchIsAnError) {
  Bytes cut = batch(0, 2);
  cut.resize(cut.size() - 1);
  EXPECT_TRUE(read(of({cut})).error);
  EXPECT_FALSE(read(PartitionData()).error);
}

}  // namespace
}  // namespace ktrial::client
