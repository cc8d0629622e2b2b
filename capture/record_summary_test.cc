// SPDX-License-Identifier: Apache-2.0
#include "capture/record_summary.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace ktrial::capture {
namespace {

// The header of a batch of magic 2 with 3 lz4 records and `payload` bytes after it.
std::vector<std::uint8_t> batch(std::uint8_t payload) {
  std::vector<std::uint8_t> out(61 + payload, 0);
  out[7] = 5;                                         // base offset
  out[11] = static_cast<std::uint8_t>(49 + payload);  // length
  out[16] = 2;                                        // magic
  out[22] = 3;                                        // lz4
  out[50] = 42;                                       // producer id
  out[56] = 9;                                        // base sequence
  out[60] = 3;                                        // count
  return out;
}

TEST(RecordSummary, ReadsTheHeadersOfEachBatch) {
  auto two = batch(10);
  const auto more = batch(20);
  two.insert(two.end(), more.begin(), more.end());
  const auto batches = summarise_records(two);
  ASSERT_EQ(batches.size(), 2U);
  const auto& first = batches[0].get_object();
  EXPECT_EQ(first.at("baseOffset"), 5);
  EXPECT_EQ(first.at("count"), 3);
  EXPECT_EQ(first.at("codec"), "lz4");
  EXPECT_EQ(first.at("producerId"), 42);
  EXPECT_EQ(first.at("baseSequence"), 9);
  EXPECT_EQ(first.at("bytes"), 71U);
}

TEST(RecordSummary, CutBatchIsMarked) {
  auto one = batch(10);
  one.resize(65);
  EXPECT_EQ(summarise_records(one)[0].get_object().at("cut"), true);
  one.resize(30);
  EXPECT_TRUE(summarise_records(one).empty());
}

TEST(RecordSummary, AnyBytesAreSafe) {
  std::mt19937 random(1);
  for (int round = 0; round < 5000; ++round) {
    std::vector<std::uint8_t> bytes(random() % 200);
    for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random() % 3 == 0 ? random() : 0);
    EXPECT_LE(summarise_records(bytes).size(), 32U);
  }
}

}  // namespace
}  // namespace ktrial::capture
