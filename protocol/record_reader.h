// SPDX-License-Identifier: Apache-2.0
// RecordReader: the records of one batch of magic 2, unpacked and read one by one. Counts and
// lengths are believed only as far as bytes are there.
#pragma once

#include "common/result.h"
#include "common/slice.h"
#include "protocol/record.h"
#include "protocol/record_batch.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ktrial::protocol {

// Unpacked records beyond this are an error unless the caller says otherwise.
inline constexpr std::size_t kMaxUnpacked = 256U << 20U;

class RecordReader {
 public:
  // Unpacks the records if they are compressed.
  static Result<RecordReader> open(const RecordBatch& batch,
                                   std::size_t max_unpacked = kMaxUnpacked);

  // The next record, good while this reader (or a Slice of records()) lives; nothing after the
  // last. Bytes after the last record are an error.
  Result<std::optional<RecordView>> next();
  // A record of this reader, sharing the buffer.
  [[nodiscard]] Record keep(const RecordView& view) const;
  [[nodiscard]] const Slice& records() const { return records_; }

 private:
  RecordReader(const BatchHeader& header, Slice records, std::size_t start);

  [[nodiscard]] tl::unexpected<Error> broken(const std::uint8_t* at, std::string_view what) const;

  BatchHeader header_;
  Slice records_;
  const std::uint8_t* at_;
  std::size_t start_;  // of the records in what error messages count from
  std::int32_t read_ = 0;
};

// What a broker requires of a produced batch beyond the CRC: as many records as it claims, their
// offset deltas 0, 1, 2... up to the last offset delta.
Result<void> validate_records(const RecordBatch& batch, std::size_t max_unpacked = kMaxUnpacked);

}  // namespace ktrial::protocol
