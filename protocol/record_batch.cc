// SPDX-License-Identifier: Apache-2.0
#include "protocol/record_batch.h"

#include "common/crc32c.h"

#include <fmt/format.h>

#include <string>

namespace ktrial::protocol {
namespace {

constexpr std::size_t kUpToMagic = batch_at::kMagic + 1;
// A message of magic 0 with null key and value.
constexpr std::int32_t kSmallestEntry = 14;

BatchHeader decode_header(const std::uint8_t* from) {
  BatchHeader header;
  header.base_offset = load_be<std::int64_t>(from + batch_at::kBaseOffset);
  header.batch_length = load_be<std::int32_t>(from + batch_at::kLength);
  header.partition_leader_epoch = load_be<std::int32_t>(from + batch_at::kLeaderEpoch);
  header.magic = load_be<std::int8_t>(from + batch_at::kMagic);
  header.crc = load_be<std::uint32_t>(from + batch_at::kCrc);
  header.attributes = load_be<std::int16_t>(from + batch_at::kAttributes);
  header.last_offset_delta = load_be<std::int32_t>(from + batch_at::kLastOffsetDelta);
  header.base_timestamp = load_be<std::int64_t>(from + batch_at::kBaseTimestamp);
  header.max_timestamp = load_be<std::int64_t>(from + batch_at::kMaxTimestamp);
  header.producer_id = load_be<std::int64_t>(from + batch_at::kProducerId);
  header.producer_epoch = load_be<std::int16_t>(from + batch_at::kProducerEpoch);
  header.base_sequence = load_be<std::int32_t>(from + batch_at::kBaseSequence);
  header.record_count = load_be<std::int32_t>(from + batch_at::kRecordCount);
  return header;
}

tl::unexpected<Error> cut_off(std::size_t needed, std::size_t there) {
  return fail(Errc::kTruncated,
              fmt::format("the batch needs {} bytes, {} are there", needed, there),
              fmt::format("at byte {}", there));
}

std::uint32_t sum_of(std::span<const std::uint8_t> batch) {
  return crc32c(batch.subspan(batch_at::kAttributes));
}

}  // namespace

std::int32_t BatchHeader::last_sequence() const {
  if (base_sequence < 0) return base_sequence;
  const std::uint32_t sum =
      static_cast<std::uint32_t>(base_sequence) + static_cast<std::uint32_t>(last_offset_delta);
  return static_cast<std::int32_t>(sum & 0x7fffffffU);
}

Result<BatchHeader> read_batch_header(std::span<const std::uint8_t> bytes) {
  if (bytes.size() < kUpToMagic) return cut_off(kBatchHeaderSize, bytes.size());
  const auto magic = load_be<std::int8_t>(bytes.data() + batch_at::kMagic);
  if (magic != 2) {
    return fail(Errc::kUnsupported, fmt::format("magic {}, expected 2", magic), "at byte 16");
  }
  const auto length = load_be<std::int32_t>(bytes.data() + batch_at::kLength);
  if (length < static_cast<std::int32_t>(kBatchHeaderSize - kBatchLengthOverhead)) {
    return fail(Errc::kMalformed,
                fmt::format("batch length {}, expected at least {}", length,
                            kBatchHeaderSize - kBatchLengthOverhead),
                "at byte 8");
  }
  const std::size_t size = static_cast<std::size_t>(length) + kBatchLengthOverhead;
  if (bytes.size() < size) return cut_off(size, bytes.size());
  return decode_header(bytes.data());
}

bool crc_is_valid(std::span<const std::uint8_t> bytes, const BatchHeader& header) {
  return bytes.size() >= header.total_size() &&
         sum_of(bytes.first(header.total_size())) == header.crc;
}

Result<RecordBatch> RecordBatch::open(const Slice& bytes) {
  const auto header = read_batch_header(bytes.span());
  KTRIAL_TRY(header);
  return RecordBatch(*header, bytes.part(0, header->total_size()));
}

Result<void> RecordBatch::check_crc() const {
  const std::uint32_t computed = sum_of(bytes_.span());
  if (computed == header_.crc) return {};
  return fail(
      Errc::kMalformed,
      fmt::format("CRC-32C {:#010x}, but the batch sums to {:#010x}", header_.crc, computed),
      "at byte 17");
}

Result<std::optional<Slice>> BatchIterator::next() {
  const std::size_t left = records_.size() - at_;
  if (left < kUpToMagic) return std::nullopt;
  const auto length = load_be<std::int32_t>(records_.data() + at_ + batch_at::kLength);
  if (length < kSmallestEntry) {
    return fail(Errc::kMalformed,
                fmt::format("entry length {}, expected at least {}", length, kSmallestEntry),
                fmt::format("at byte {}", at_ + batch_at::kLength));
  }
  const std::size_t size = static_cast<std::size_t>(length) + kBatchLengthOverhead;
  if (size > left) return std::nullopt;
  Slice entry = records_.part(at_, size);
  at_ += size;
  return entry;
}

}  // namespace ktrial::protocol
