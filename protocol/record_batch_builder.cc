// SPDX-License-Identifier: Apache-2.0
#include "protocol/record_batch_builder.h"

#include "common/crc32c.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <utility>

namespace ktrial::protocol {
namespace {

std::uint64_t zigzag(std::int64_t value) {
  return (static_cast<std::uint64_t>(value) << 1U) ^ static_cast<std::uint64_t>(value >> 63);
}

std::size_t varint_size(std::int64_t value) {
  return (static_cast<std::size_t>(std::bit_width(zigzag(value) | 1U)) + 6) / 7;
}

std::int64_t signed_size(std::size_t size) { return static_cast<std::int64_t>(size); }

std::size_t field_size(std::size_t size) { return varint_size(signed_size(size)) + size; }

std::size_t field_size(const std::optional<ByteView>& bytes) {
  return bytes ? field_size(bytes->size()) : 1;
}

std::uint8_t* put_varint(std::uint8_t* to, std::int64_t value) {
  std::uint64_t bits = zigzag(value);
  for (; bits >= 0x80; bits >>= 7U) *to++ = static_cast<std::uint8_t>(bits | 0x80U);
  *to++ = static_cast<std::uint8_t>(bits);
  return to;
}

std::uint8_t* put_field(std::uint8_t* to, const void* bytes, std::size_t size) {
  to = put_varint(to, signed_size(size));
  if (size > 0) std::memcpy(to, bytes, size);
  return to + size;
}

std::uint8_t* put_field(std::uint8_t* to, const std::optional<ByteView>& bytes) {
  return bytes ? put_field(to, bytes->data(), bytes->size()) : put_varint(to, -1);
}

}  // namespace

RecordBatchBuilder::RecordBatchBuilder(const BatchOptions& options, std::size_t reserve)
    : options_(options), bytes_(kBatchHeaderSize + reserve) {}

std::size_t RecordBatchBuilder::body_size(std::int64_t timestamp, std::optional<ByteView> key,
                                          std::optional<ByteView> value,
                                          std::span<const HeaderView> headers) const {
  const std::int64_t delta = count_ == 0 ? 0 : timestamp - base_timestamp_;
  std::size_t size = 1 + varint_size(delta) + varint_size(count_) + field_size(key) +
                     field_size(value) + varint_size(signed_size(headers.size()));
  for (const HeaderView& header : headers) {
    size += field_size(header.key.size()) + field_size(header.value);
  }
  return size;
}

std::size_t RecordBatchBuilder::size_with(std::int64_t timestamp, std::optional<ByteView> key,
                                          std::optional<ByteView> value,
                                          std::span<const HeaderView> headers) const {
  return used_ + field_size(body_size(timestamp, key, value, headers));
}

void RecordBatchBuilder::make_room(std::size_t size) {
  if (size <= bytes_.size() - used_) return;
  bytes_.resize(std::max({bytes_.size() * 2, used_ + size, std::size_t{1024}}));
}

void RecordBatchBuilder::append(std::int64_t timestamp, std::optional<ByteView> key,
                                std::optional<ByteView> value,
                                std::span<const HeaderView> headers) {
  const std::size_t body = body_size(timestamp, key, value, headers);
  make_room(field_size(body));
  if (count_ == 0) base_timestamp_ = max_timestamp_ = timestamp;
  max_timestamp_ = std::max(max_timestamp_, timestamp);
  std::uint8_t* to = put_varint(bytes_.data() + used_, signed_size(body));
  *to++ = 0;  // attributes: none are defined
  to = put_varint(to, timestamp - base_timestamp_);
  to = put_varint(to, count_);
  to = put_field(to, key);
  to = put_field(to, value);
  to = put_varint(to, signed_size(headers.size()));
  for (const HeaderView& header : headers) {
    to = put_field(to, header.key.data(), header.key.size());
    to = put_field(to, header.value);
  }
  used_ = static_cast<std::size_t>(to - bytes_.data());
  ++count_;
}

void RecordBatchBuilder::write_header(std::span<std::uint8_t> batch,
                                      const ProducerState& producer) const {
  std::uint8_t* const to = batch.data();
  const int attributes = static_cast<int>(options_.codec) |
                         (options_.transactional ? batch_bits::kTransactional : 0) |
                         (options_.control ? batch_bits::kControl : 0);
  store_be(to + batch_at::kBaseOffset, options_.base_offset);
  store_be(to + batch_at::kLength, static_cast<std::int32_t>(batch.size() - kBatchLengthOverhead));
  store_be(to + batch_at::kLeaderEpoch, options_.partition_leader_epoch);
  store_be(to + batch_at::kMagic, std::int8_t{2});
  store_be(to + batch_at::kAttributes, static_cast<std::int16_t>(attributes));
  store_be(to + batch_at::kLastOffsetDelta, std::max(count_ - 1, 0));
  store_be(to + batch_at::kBaseTimestamp, base_timestamp_);
  store_be(to + batch_at::kMaxTimestamp, max_timestamp_);
  store_be(to + batch_at::kProducerId, producer.producer_id);
  store_be(to + batch_at::kProducerEpoch, producer.producer_epoch);
  store_be(to + batch_at::kBaseSequence, producer.base_sequence);
  store_be(to + batch_at::kRecordCount, count_);
  store_be(to + batch_at::kCrc, crc32c(batch.subspan(batch_at::kAttributes)));
}

Result<std::vector<std::uint8_t>> RecordBatchBuilder::finish(const ProducerState& producer) {
  bytes_.resize(used_);
  std::vector<std::uint8_t> batch = std::move(bytes_);
  if (options_.codec != Codec::kNone) {
    auto packed = compress(options_.codec, std::span(batch).subspan(kBatchHeaderSize),
                           std::vector<std::uint8_t>(kBatchHeaderSize), options_.level);
    KTRIAL_TRY(packed);
    batch = std::move(*packed);
  }
  if (batch.size() > std::numeric_limits<std::int32_t>::max()) {
    return fail(Errc::kTooLarge, fmt::format("a batch of {} bytes", batch.size()));
  }
  write_header(batch, producer);
  return batch;
}

}  // namespace ktrial::protocol
