// SPDX-License-Identifier: Apache-2.0
// Record batches for tests.
#pragma once

#include "common/slice.h"
#include "protocol/record_batch.h"
#include "protocol/record_batch_builder.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace ktrial::fakebroker {

struct BatchForTest {
  std::vector<std::int64_t> timestamps = {1000};  // one record each
  std::string value = "value";
  protocol::ProducerState producer = {};
  protocol::BatchOptions options = {};
};

inline Slice a_batch(const BatchForTest& of = {}) {
  protocol::RecordBatchBuilder builder(of.options);
  const Slice value = Slice::copy_of(of.value);
  for (const std::int64_t timestamp : of.timestamps)
    builder.append(timestamp, std::nullopt, value.span());
  return Slice(builder.finish(of.producer).value());
}

// `records` records from `sequence` on of producer 7.
inline Slice an_idempotent_batch(std::int32_t sequence, std::size_t records,
                                 std::int16_t epoch = 0) {
  BatchForTest of;
  of.timestamps.assign(records, 1000);
  of.producer = {.producer_id = 7, .producer_epoch = epoch, .base_sequence = sequence};
  return a_batch(of);
}

// With bytes changed and no new checksum.
inline Slice with_byte(const Slice& batch, std::size_t at, std::uint8_t value) {
  std::vector<std::uint8_t> bytes(batch.span().begin(), batch.span().end());
  bytes.at(at) = value;
  return Slice(std::move(bytes));
}

inline Slice joined(const std::vector<Slice>& parts) {
  std::vector<std::uint8_t> bytes;
  for (const Slice& part : parts) bytes.insert(bytes.end(), part.span().begin(), part.span().end());
  return Slice(std::move(bytes));
}

}  // namespace ktrial::fakebroker
