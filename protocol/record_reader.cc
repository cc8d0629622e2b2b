// SPDX-License-Identifier: Apache-2.0
#include "protocol/record_reader.h"

#include <fmt/format.h>

#include <limits>
#include <utility>

namespace ktrial::protocol {
namespace {

// Length, attributes, timestamp and offset deltas, null key, null value, no headers: a byte each.
constexpr std::size_t kSmallestRecord = 7;

// A cursor that fails by setting `fault`, which names the field; then it reads zeros.
class Cursor {
 public:
  Cursor(const std::uint8_t* at, const std::uint8_t* end) : at_(at), end_(end) {}

  std::int64_t varlong(const char* field) {
    const std::uint64_t raw = unsigned_varint(field, 10);
    return static_cast<std::int64_t>((raw >> 1U) ^ (~(raw & 1U) + 1U));
  }
  std::int32_t varint(const char* field) {
    const std::uint64_t raw = unsigned_varint(field, 5);
    if (raw > std::numeric_limits<std::uint32_t>::max()) return refuse(field);
    const auto bits = static_cast<std::uint32_t>(raw);
    return static_cast<std::int32_t>((bits >> 1U) ^ (~(bits & 1U) + 1U));
  }
  void skip_byte(const char* field) {
    if (at_ == end_) {
      refuse(field);
    } else {
      ++at_;
    }
  }
  std::optional<ByteView> nullable_bytes(const char* field) {
    const std::int32_t length = varint(field);
    if (length < 0) {
      if (length < -1) refuse(field);
      return std::nullopt;
    }
    if (static_cast<std::size_t>(length) > left()) {
      refuse(field);
      return std::nullopt;
    }
    const ByteView bytes(at_, static_cast<std::size_t>(length));
    at_ += length;
    return bytes;
  }

  [[nodiscard]] const std::uint8_t* at() const { return at_; }
  [[nodiscard]] std::size_t left() const { return static_cast<std::size_t>(end_ - at_); }
  [[nodiscard]] const char* fault() const { return fault_; }

 private:
  std::uint64_t unsigned_varint(const char* field, unsigned max_bytes) {
    if (at_ != end_ && *at_ < 0x80) return *at_++;
    std::uint64_t value = 0;
    for (unsigned i = 0; i < max_bytes && at_ != end_; ++i) {
      const std::uint8_t byte = *at_++;
      value |= static_cast<std::uint64_t>(byte & 0x7fU) << (7 * i);
      if (byte < 0x80) return value;
    }
    refuse(field);
    return 0;
  }
  std::int32_t refuse(const char* field) {
    if (fault_ == nullptr) fault_ = field;
    end_ = at_;  // nothing more can be read
    return 0;
  }

  const std::uint8_t* at_;
  const std::uint8_t* end_;
  const char* fault_ = nullptr;
};

HeaderView read_header(Cursor& cursor) {
  HeaderView header;
  const auto key = cursor.nullable_bytes("a header's key");
  if (key) header.key = {reinterpret_cast<const char*>(key->data()), key->size()};
  header.value = cursor.nullable_bytes("a header's value");
  return header;
}

Slice slice_of(const Slice& whole, ByteView part) { return Slice(whole.owner(), part); }

}  // namespace

std::vector<HeaderView> RecordView::headers() const {
  std::vector<HeaderView> headers;
  Cursor cursor(encoded_headers.data(), encoded_headers.data() + encoded_headers.size());
  headers.reserve(static_cast<std::size_t>(header_count));
  for (std::int32_t i = 0; i < header_count; ++i) headers.push_back(read_header(cursor));
  return headers;
}

RecordReader::RecordReader(const BatchHeader& header, Slice records, std::size_t start)
    : header_(header), records_(std::move(records)), at_(records_.data()), start_(start) {}

Result<RecordReader> RecordReader::open(const RecordBatch& batch, std::size_t max_unpacked) {
  const BatchHeader& header = batch.header();
  Slice records = batch.stored_records();
  const bool packed = header.codec() != Codec::kNone;
  if (packed) {
    auto unpacked = decompress(header.codec(), records.span(), max_unpacked);
    KTRIAL_TRY(unpacked);
    records = Slice(std::move(*unpacked));
  }
  if (header.record_count < 0 ||
      static_cast<std::size_t>(header.record_count) > records.size() / kSmallestRecord) {
    return fail(
        Errc::kMalformed,
        fmt::format("{} records cannot be in {} bytes", header.record_count, records.size()),
        "at byte 57");
  }
  return RecordReader(header, std::move(records), packed ? 0 : kBatchHeaderSize);
}

tl::unexpected<Error> RecordReader::broken(const std::uint8_t* at, std::string_view what) const {
  const auto byte = static_cast<std::size_t>(at - records_.data()) + start_;
  return fail(Errc::kMalformed, fmt::format("{} is not what its bytes can hold", what),
              fmt::format("record {} at byte {}{}", read_, byte,
                          start_ == 0 ? " of the unpacked records" : ""));
}

Result<std::optional<RecordView>> RecordReader::next() {
  const std::uint8_t* const end = records_.data() + records_.size();
  if (read_ == header_.record_count) {
    if (at_ != end) return broken(at_, "what follows the last record");
    return std::nullopt;
  }
  Cursor outer(at_, end);
  const std::int32_t length = outer.varint("the length");
  if (outer.fault() != nullptr || length < 0 || static_cast<std::size_t>(length) > outer.left()) {
    return broken(at_, "the length");
  }
  const std::uint8_t* const record_end = outer.at() + length;
  Cursor cursor(outer.at(), record_end);
  cursor.skip_byte("the attributes");
  const std::int64_t timestamp_delta = cursor.varlong("the timestamp");
  const std::int32_t offset_delta = cursor.varint("the offset");
  const auto key = cursor.nullable_bytes("the key");
  const auto value = cursor.nullable_bytes("the value");
  const std::int32_t header_count = cursor.varint("the number of headers");
  // A header takes at least two bytes.
  if (header_count < 0 || static_cast<std::size_t>(header_count) > cursor.left() / 2) {
    return broken(cursor.at(), cursor.fault() ? cursor.fault() : "the number of headers");
  }
  const std::uint8_t* const headers = cursor.at();
  for (std::int32_t i = 0; i < header_count; ++i) {
    if (read_header(cursor).key.data() == nullptr) return broken(cursor.at(), "a header's key");
  }
  if (cursor.fault() != nullptr) return broken(cursor.at(), cursor.fault());
  if (cursor.left() != 0) return broken(cursor.at(), "what follows the last header");
  at_ = record_end;
  ++read_;
  // Made in place: clearing a view or copying one costs more than reading a record.
  return Result<std::optional<RecordView>>(
      tl::in_place, std::in_place, wrapping_add(header_.base_offset, std::int64_t{offset_delta}),
      header_.log_append_time() ? header_.max_timestamp
                                : wrapping_add(header_.base_timestamp, timestamp_delta),
      key, value, ByteView(headers, record_end), header_count);
}

Record RecordReader::keep(const RecordView& view) const {
  Record record{.offset = view.offset, .timestamp = view.timestamp};
  if (view.key) record.key = slice_of(records_, *view.key);
  if (view.value) record.value = slice_of(records_, *view.value);
  for (const HeaderView& header : view.headers()) {
    const ByteView key(reinterpret_cast<const std::uint8_t*>(header.key.data()), header.key.size());
    record.headers.push_back({slice_of(records_, key), std::nullopt});
    if (header.value) record.headers.back().value = slice_of(records_, *header.value);
  }
  return record;
}

Result<void> for_each_record(const Slice& batch, const std::function<bool(const Record&)>& fn) {
  const auto opened = RecordBatch::open(batch);
  KTRIAL_TRY(opened);
  auto reader = RecordReader::open(*opened);
  KTRIAL_TRY(reader);
  for (;;) {
    const auto view = reader->next();
    KTRIAL_TRY(view);
    if (!view->has_value() || !fn(reader->keep(**view))) return {};
  }
}

Result<void> validate_records(const RecordBatch& batch, std::size_t max_unpacked) {
  const BatchHeader& header = batch.header();
  if (header.record_count < 1 || header.last_offset_delta != header.record_count - 1) {
    return fail(Errc::kMalformed,
                fmt::format("{} records with last offset delta {}", header.record_count,
                            header.last_offset_delta),
                "at byte 23");
  }
  auto reader = RecordReader::open(batch, max_unpacked);
  KTRIAL_TRY(reader);
  for (std::int64_t expected = header.base_offset;;
       expected = wrapping_add(expected, std::int64_t{1})) {
    const auto record = reader->next();
    KTRIAL_TRY(record);
    if (!record->has_value()) return {};
    if ((*record)->offset != expected) {
      return fail(Errc::kMalformed,
                  fmt::format("a record at offset {}, expected {}", (*record)->offset, expected));
    }
  }
}

}  // namespace ktrial::protocol
