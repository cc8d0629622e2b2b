// SPDX-License-Identifier: Apache-2.0
#include "common/compression.h"

#include "common/compression_codecs.h"

#include <array>
#include <string>

namespace ktrial {
namespace {

constexpr std::array<std::string_view, 5> kNames{"none", "gzip", "snappy", "lz4", "zstd"};

tl::unexpected<Error> unknown(Codec codec) {
  return fail(Errc::kUnsupported, "compression codec " + std::to_string(static_cast<int>(codec)));
}

}  // namespace

tl::unexpected<Error> unpacks_beyond(std::string_view codec, std::size_t limit) {
  return fail(Errc::kTooLarge, std::string(codec) + " data unpacks to more than " +
                                   std::to_string(limit) + " bytes");
}

std::string_view to_string(Codec codec) {
  const auto number = static_cast<std::size_t>(codec);
  return number < kNames.size() ? kNames[number] : "unknown";
}

Result<Codec> parse_codec(std::string_view name) {
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == name) return static_cast<Codec>(i);
  }
  return fail(Errc::kInvalidArgument,
              "compression '" + std::string(name) + "' is none of none, gzip, snappy, lz4, zstd");
}

Result<Bytes> compress(Codec codec, ByteView bytes, Bytes prefix, std::optional<int> level) {
  switch (codec) {
    case Codec::kNone:
      prefix.insert(prefix.end(), bytes.begin(), bytes.end());
      return prefix;
    case Codec::kGzip:
      return gzip_compress(bytes, std::move(prefix), level);
    case Codec::kSnappy:
      return snappy_compress(bytes, std::move(prefix));
    case Codec::kLz4:
      return lz4_compress(bytes, std::move(prefix), level);
    case Codec::kZstd:
      return zstd_compress(bytes, std::move(prefix), level);
  }
  return unknown(codec);
}

Result<Bytes> decompress(Codec codec, ByteView bytes, std::size_t limit) {
  switch (codec) {
    case Codec::kNone:
      if (bytes.size() > limit) return unpacks_beyond("none", limit);
      return Bytes(bytes.begin(), bytes.end());
    case Codec::kGzip:
      return gzip_decompress(bytes, limit);
    case Codec::kSnappy:
      return snappy_decompress(bytes, limit);
    case Codec::kLz4:
      return lz4_decompress(bytes, limit);
    case Codec::kZstd:
      return zstd_decompress(bytes, limit);
  }
  return unknown(codec);
}

}  // namespace ktrial
