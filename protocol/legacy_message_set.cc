// SPDX-License-Identifier: Apache-2.0
#include "protocol/legacy_message_set.h"

#include "protocol/reader.h"
#include "protocol/record_batch.h"

#include <fmt/format.h>

#include <zlib.h>

#include <utility>

namespace ktrial::protocol {
namespace {

constexpr std::size_t kCrcEnd = 16;  // the CRC covers from here to the end

std::optional<Slice> nullable_bytes(Reader& reader) {
  const auto length = reader.integer<std::int32_t>();
  if (length < -1) reader.set_error(Errc::kMalformed, fmt::format("length {}", length));
  if (length < 0) return std::nullopt;
  return reader.slice(static_cast<std::size_t>(length));
}

Record record_of(const LegacyMessage& message) {
  return {.offset = message.offset,
          .timestamp = message.timestamp,
          .key = message.key,
          .value = message.value};
}

Result<std::vector<std::uint8_t>> unpack(const LegacyMessage& wrapper, std::size_t max_unpacked) {
  if (!wrapper.value) return fail(Errc::kMalformed, "a compressed message without a value");
  if (wrapper.codec() == Codec::kLz4) {
    return decompress_lz4_any_header_checksum(wrapper.value->span(), max_unpacked);
  }
  return decompress(wrapper.codec(), wrapper.value->span(), max_unpacked);
}

Result<Record> inner_record(const LegacyMessage& wrapper, const Slice& entry) {
  const auto message = read_legacy_message(entry);
  KTRIAL_TRY(message);
  if (message->codec() != Codec::kNone) {
    return fail(Errc::kMalformed, "a compressed message within a compressed message");
  }
  if (message->magic != wrapper.magic) {
    return fail(Errc::kMalformed,
                fmt::format("magic {} within magic {}", message->magic, wrapper.magic));
  }
  Record record = record_of(*message);
  if (wrapper.log_append_time()) record.timestamp = wrapper.timestamp;
  return record;
}

// In magic 1 the wrapper has the offset of the last message, the others are relative to the first.
void make_offsets_absolute(const LegacyMessage& wrapper, std::vector<Record>& records) {
  if (wrapper.magic == 0 || records.empty()) return;
  const std::int64_t first =
      static_cast<std::int64_t>(static_cast<std::uint64_t>(wrapper.offset) -
                                static_cast<std::uint64_t>(records.back().offset));
  for (Record& record : records) record.offset = wrapping_add(first, record.offset);
}

}  // namespace

Result<LegacyMessage> read_legacy_message(const Slice& entry) {
  Reader reader(entry);
  LegacyMessage message;
  message.offset = reader.integer<std::int64_t>();
  const auto size = reader.integer<std::int32_t>();
  message.crc = reader.integer<std::uint32_t>();
  message.magic = reader.integer<std::int8_t>();
  message.attributes = reader.integer<std::int8_t>();
  if (reader.failed()) return tl::unexpected<Error>(*reader.error());
  if (message.magic != 0 && message.magic != 1) {
    return fail(Errc::kUnsupported, fmt::format("magic {}, expected 0 or 1", message.magic),
                "at byte 16");
  }
  if (size < 0 || static_cast<std::size_t>(size) != entry.size() - kBatchLengthOverhead) {
    return fail(Errc::kMalformed,
                fmt::format("message size {} in an entry of {} bytes", size, entry.size()),
                "at byte 8");
  }
  if (message.magic == 1) message.timestamp = reader.integer<std::int64_t>();
  message.key = nullable_bytes(reader);
  message.value = nullable_bytes(reader);
  if (reader.failed()) return tl::unexpected<Error>(*reader.error());
  if (reader.remaining() != 0) {
    return fail(Errc::kMalformed, fmt::format("{} bytes after the value", reader.remaining()),
                fmt::format("at byte {}", reader.offset()));
  }
  const auto computed =
      static_cast<std::uint32_t>(crc32_z(0, entry.data() + kCrcEnd, entry.size() - kCrcEnd));
  if (computed != message.crc) {
    return fail(
        Errc::kMalformed,
        fmt::format("CRC-32 {:#010x}, but the message sums to {:#010x}", message.crc, computed),
        "at byte 12");
  }
  return message;
}

Result<std::vector<Record>> legacy_records(const LegacyMessage& message, std::size_t max_unpacked) {
  std::vector<Record> records;
  if (message.codec() == Codec::kNone) {
    records.push_back(record_of(message));
    return records;
  }
  auto unpacked = unpack(message, max_unpacked);
  KTRIAL_TRY(unpacked);
  BatchIterator entries{Slice(std::move(*unpacked))};
  for (;;) {
    const auto entry = entries.next();
    KTRIAL_TRY(entry);
    if (!entry->has_value()) break;
    auto record = inner_record(message, **entry);
    KTRIAL_TRY(record);
    records.push_back(std::move(*record));
  }
  if (entries.partial_bytes() != 0) {
    return fail(Errc::kTruncated, "a compressed message ends within a message");
  }
  make_offsets_absolute(message, records);
  return records;
}

}  // namespace ktrial::protocol
