// SPDX-License-Identifier: Apache-2.0
// RecordBatchBuilder: encodes records straight into one growing batch of magic 2. The hot path of
// a producer: no allocation per record, and sizes known to the byte before appending.
#pragma once

#include "common/compression.h"
#include "common/result.h"
#include "protocol/record.h"
#include "protocol/record_batch_layout.h"
#include "protocol/record_batch_patch.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace ktrial::protocol {

struct BatchOptions {
  Codec codec = Codec::kNone;
  std::optional<int> level = std::nullopt;  // the codec's own default
  bool transactional = false;
  bool control = false;
  std::int64_t base_offset = 0;
  std::int32_t partition_leader_epoch = -1;
};

class RecordBatchBuilder {
 public:
  // `reserve`: bytes set aside for the records, e.g. batch.size.
  explicit RecordBatchBuilder(const BatchOptions& options = {}, std::size_t reserve = 0);

  void append(std::int64_t timestamp, std::optional<ByteView> key, std::optional<ByteView> value,
              std::span<const HeaderView> headers = {});

  // Bytes of the batch so far, and as it would be with one more record; both before compression.
  [[nodiscard]] std::size_t size() const { return used_; }
  [[nodiscard]] std::size_t size_with(std::int64_t timestamp, std::optional<ByteView> key,
                                      std::optional<ByteView> value,
                                      std::span<const HeaderView> headers = {}) const;
  [[nodiscard]] std::int32_t record_count() const { return count_; }

  // The finished batch. The builder is spent.
  Result<std::vector<std::uint8_t>> finish(const ProducerState& producer = {});

 private:
  [[nodiscard]] std::size_t body_size(std::int64_t timestamp, std::optional<ByteView> key,
                                      std::optional<ByteView> value,
                                      std::span<const HeaderView> headers) const;
  void make_room(std::size_t size);
  void write_header(std::span<std::uint8_t> batch, const ProducerState& producer) const;

  BatchOptions options_;
  std::vector<std::uint8_t> bytes_;  // longer than what is used
  std::size_t used_ = kBatchHeaderSize;
  std::int32_t count_ = 0;
  std::int64_t base_timestamp_ = 0;
  std::int64_t max_timestamp_ = -1;
};

}  // namespace ktrial::protocol
