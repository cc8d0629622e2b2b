// SPDX-License-Identifier: Apache-2.0
#include "protocol/record_batch_patch.h"

#include "common/crc32c.h"
#include "protocol/record_batch_layout.h"

#include <fmt/format.h>

namespace ktrial::protocol {
namespace {

Result<void> require_whole_batch(std::span<const std::uint8_t> batch) {
  if (batch.size() < kBatchHeaderSize) {
    return fail(Errc::kTruncated, fmt::format("{} bytes are no record batch", batch.size()));
  }
  const auto length = load_be<std::int32_t>(batch.data() + batch_at::kLength);
  if (batch[batch_at::kMagic] != 2 || length < 0 ||
      static_cast<std::size_t>(length) != batch.size() - kBatchLengthOverhead) {
    return fail(Errc::kMalformed, fmt::format("magic {} and length {} in {} bytes: not one batch",
                                              batch[batch_at::kMagic], length, batch.size()));
  }
  return {};
}

void sign(std::span<std::uint8_t> batch) {
  store_be(batch.data() + batch_at::kCrc, crc32c(batch.subspan(batch_at::kAttributes)));
}

}  // namespace

Result<void> set_base_offset(std::span<std::uint8_t> batch, std::int64_t offset) {
  KTRIAL_TRY(require_whole_batch(batch));
  store_be(batch.data() + batch_at::kBaseOffset, offset);
  return {};
}

Result<void> set_partition_leader_epoch(std::span<std::uint8_t> batch, std::int32_t epoch) {
  KTRIAL_TRY(require_whole_batch(batch));
  store_be(batch.data() + batch_at::kLeaderEpoch, epoch);
  return {};
}

Result<void> set_log_append_time(std::span<std::uint8_t> batch, std::int64_t timestamp) {
  KTRIAL_TRY(require_whole_batch(batch));
  auto& low_attributes = batch[batch_at::kAttributes + 1];
  low_attributes = static_cast<std::uint8_t>(low_attributes | batch_bits::kLogAppendTime);
  store_be(batch.data() + batch_at::kMaxTimestamp, timestamp);
  sign(batch);
  return {};
}

Result<void> set_producer_state(std::span<std::uint8_t> batch, const ProducerState& producer) {
  KTRIAL_TRY(require_whole_batch(batch));
  store_be(batch.data() + batch_at::kProducerId, producer.producer_id);
  store_be(batch.data() + batch_at::kProducerEpoch, producer.producer_epoch);
  store_be(batch.data() + batch_at::kBaseSequence, producer.base_sequence);
  sign(batch);
  return {};
}

}  // namespace ktrial::protocol
