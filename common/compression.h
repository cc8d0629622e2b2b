// SPDX-License-Identifier: Apache-2.0
// The codecs of record batches. Decompression takes an output limit and grows the output as bytes
// come out: a header's claim of a size allocates nothing. Snappy is written as the Java client
// does (xerial's frames) and read both framed and raw.
#pragma once

#include "common/result.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace ktrial {

// The numbers are those of a record batch's attributes.
enum class Codec : std::uint8_t { kNone = 0, kGzip = 1, kSnappy = 2, kLz4 = 3, kZstd = 4 };

// "none", "gzip", "snappy", "lz4", "zstd": the values of compression.type.
std::string_view to_string(Codec codec);
Result<Codec> parse_codec(std::string_view name);

// Appends the compressed form of `bytes` to `prefix`. No level: the codec's own default.
Result<std::vector<std::uint8_t>> compress(Codec codec, std::span<const std::uint8_t> bytes,
                                           std::vector<std::uint8_t> prefix = {},
                                           std::optional<int> level = std::nullopt);

// kTooLarge once more than `limit` bytes come out, kTruncated if the input ends early, else
// kMalformed.
Result<std::vector<std::uint8_t>> decompress(Codec codec, std::span<const std::uint8_t> bytes,
                                             std::size_t limit);

// LZ4 in message sets of magic 0 carries a header checksum computed over the wrong bytes
// (KIP-57); this accepts any.
Result<std::vector<std::uint8_t>> decompress_lz4_any_header_checksum(
    std::span<const std::uint8_t> bytes, std::size_t limit);

}  // namespace ktrial
