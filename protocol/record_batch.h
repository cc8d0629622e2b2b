// SPDX-License-Identifier: Apache-2.0
// Record batches of magic 2 (KIP-98): a view of one over received bytes, and the way from batch to
// batch through the records field of Produce and Fetch. Records themselves: record_reader.h.
#pragma once

#include "common/compression.h"
#include "common/result.h"
#include "common/slice.h"
#include "protocol/record.h"
#include "protocol/record_batch_layout.h"
#include "protocol/record_batch_patch.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <utility>

namespace ktrial::protocol {

struct BatchHeader {
  std::int64_t base_offset = 0;
  std::int32_t batch_length = 0;
  std::int32_t partition_leader_epoch = -1;
  std::int8_t magic = 2;
  std::uint32_t crc = 0;
  std::int16_t attributes = 0;
  std::int32_t last_offset_delta = 0;
  std::int64_t base_timestamp = 0;
  std::int64_t max_timestamp = 0;
  std::int64_t producer_id = -1;
  std::int16_t producer_epoch = -1;
  std::int32_t base_sequence = -1;
  std::int32_t record_count = 0;

  // May be one that compression.h does not know; decompress() says so.
  [[nodiscard]] Codec codec() const { return static_cast<Codec>(attributes & batch_bits::kCodec); }
  [[nodiscard]] bool log_append_time() const { return has(batch_bits::kLogAppendTime); }
  [[nodiscard]] bool transactional() const { return has(batch_bits::kTransactional); }
  [[nodiscard]] bool control() const { return has(batch_bits::kControl); }
  // Then base_timestamp is the delete horizon (KIP-534).
  [[nodiscard]] bool delete_horizon() const { return has(batch_bits::kDeleteHorizon); }
  [[nodiscard]] std::int64_t last_offset() const {
    return wrapping_add(base_offset, std::int64_t{last_offset_delta});
  }
  // Of the whole batch, this header included.
  [[nodiscard]] std::size_t total_size() const {
    return static_cast<std::size_t>(batch_length) + kBatchLengthOverhead;
  }
  // Sequences wrap from 2^31 - 1 to 0; -1 without a producer id.
  [[nodiscard]] std::int32_t last_sequence() const;

 private:
  [[nodiscard]] bool has(int bit) const { return (attributes & bit) != 0; }
};

// Of the batch at the start of `bytes`. Checks magic and lengths, not the CRC: kTruncated if the
// batch is cut off (a fetch response may end so), kUnsupported for another magic.
Result<BatchHeader> read_batch_header(std::span<const std::uint8_t> bytes);

// Of the batch at the start of `bytes`, whose header has been read from there.
bool crc_is_valid(std::span<const std::uint8_t> bytes, const BatchHeader& header);

// A header and the bytes it belongs to.
class RecordBatch {
 public:
  // The batch at the start of `bytes`, as read_batch_header() has it.
  static Result<RecordBatch> open(const Slice& bytes);

  [[nodiscard]] const BatchHeader& header() const { return header_; }
  // The whole batch, without what followed it.
  [[nodiscard]] const Slice& bytes() const { return bytes_; }
  // The records as stored, maybe compressed.
  [[nodiscard]] Slice stored_records() const { return bytes_.part(kBatchHeaderSize); }
  [[nodiscard]] Result<void> check_crc() const;

 private:
  RecordBatch(BatchHeader header, Slice bytes) : header_(header), bytes_(std::move(bytes)) {}

  BatchHeader header_;
  Slice bytes_;
};

// Calls `fn` for each record of one batch until it returns false. Convenient; RecordReader is
// quicker.
Result<void> for_each_record(const Slice& batch, const std::function<bool(const Record&)>& fn);

// Cuts a records field into its entries: batches of magic 2, messages of magic 0 and 1. Brokers
// cut the last entry off where the fetch's limit falls, which is no error.
class BatchIterator {
 public:
  explicit BatchIterator(Slice records) : records_(std::move(records)) {}

  // The next whole entry, at least 17 bytes long; nothing at the end or where one is cut off.
  Result<std::optional<Slice>> next();
  // Where next() looks next: from here to the end is the entry cut off.
  [[nodiscard]] std::size_t offset() const { return at_; }
  [[nodiscard]] std::size_t partial_bytes() const { return records_.size() - at_; }

 private:
  Slice records_;
  std::size_t at_ = 0;
};

// Of an entry from BatchIterator.
inline std::int8_t magic_of(const Slice& entry) {
  return static_cast<std::int8_t>(entry.data()[batch_at::kMagic]);
}

}  // namespace ktrial::protocol
