// SPDX-License-Identifier: Apache-2.0
#include "capture/record_summary.h"

#include <array>
#include <string_view>

namespace ktrial::capture {

namespace {

constexpr std::size_t kMaxBatches = 32;
constexpr std::size_t kHeaderSize = 61;   // of a batch with magic 2
constexpr std::size_t kLogOverhead = 12;  // base offset and length
constexpr std::size_t kMagicAt = 16;
constexpr std::array<std::string_view, 8> kCodecs{"none", "gzip", "snappy", "lz4",
                                                  "zstd", "5",    "6",      "7"};

template <class T>
T big_endian(std::span<const std::uint8_t> bytes, std::size_t at) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i) value = (value << 8U) | bytes[at + i];
  return static_cast<T>(value);
}

}  // namespace

boost::json::array summarise_records(std::span<const std::uint8_t> records) {
  boost::json::array batches;
  std::size_t at = 0;
  while (records.size() - at > kMagicAt && batches.size() < kMaxBatches) {
    const auto rest = records.subspan(at);
    const auto length = big_endian<std::int32_t>(rest, 8);
    if (length < 5) break;
    const std::size_t whole = kLogOverhead + static_cast<std::size_t>(length);
    boost::json::object batch;
    batch["baseOffset"] = big_endian<std::int64_t>(rest, 0);
    const auto magic = static_cast<std::int8_t>(rest[kMagicAt]);
    if (magic == 2) {
      if (rest.size() < kHeaderSize) break;
      const auto attributes = big_endian<std::uint16_t>(rest, 21);
      batch["count"] = big_endian<std::int32_t>(rest, 57);
      batch["codec"] = kCodecs[attributes & 0x7U];
      batch["producerId"] = big_endian<std::int64_t>(rest, 43);
      batch["producerEpoch"] = big_endian<std::int16_t>(rest, 51);
      batch["baseSequence"] = big_endian<std::int32_t>(rest, 53);
      if ((attributes & 0x10U) != 0) batch["transactional"] = true;
      if ((attributes & 0x20U) != 0) batch["control"] = true;
    } else {
      batch["magic"] = magic;
      if (rest.size() > kMagicAt + 1) batch["codec"] = kCodecs[rest[kMagicAt + 1] & 0x7U];
    }
    batch["bytes"] = whole;
    if (whole > rest.size()) batch["cut"] = true;
    batches.push_back(std::move(batch));
    if (whole >= rest.size()) break;
    at += whole;
  }
  return batches;
}

}  // namespace ktrial::capture
