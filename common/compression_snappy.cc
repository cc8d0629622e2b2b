// SPDX-License-Identifier: Apache-2.0
// Snappy. The Java client writes xerial's framing: a 16-byte header, then blocks each led by its
// length; others (librdkafka) write one raw block. Both are read, told apart by the header.
#include "common/compression_codecs.h"

#include <snappy.h>

#include <array>
#include <cstring>

namespace ktrial {
namespace {

constexpr std::array<std::uint8_t, 8> kMagic{0x82, 'S', 'N', 'A', 'P', 'P', 'Y', 0};
// Magic, version 1, oldest compatible version 1.
constexpr std::array<std::uint8_t, 16> kHeader{0x82, 'S', 'N', 'A', 'P', 'P', 'Y', 0,
                                               0,    0,   0,   1,   0,   0,   0,   1};
constexpr std::size_t kBlock = 32 * 1024;

bool is_framed(ByteView input) {
  return input.size() >= kHeader.size() &&
         std::memcmp(input.data(), kMagic.data(), kMagic.size()) == 0;
}

const char* chars(const std::uint8_t* bytes) { return reinterpret_cast<const char*>(bytes); }

std::uint32_t big_endian32(const std::uint8_t* at) {
  return static_cast<std::uint32_t>(at[0]) << 24U | static_cast<std::uint32_t>(at[1]) << 16U |
         static_cast<std::uint32_t>(at[2]) << 8U | static_cast<std::uint32_t>(at[3]);
}

Result<void> append_block(ByteView block, OutputBuffer& output) {
  std::size_t claimed = 0;
  if (!snappy::GetUncompressedLength(chars(block.data()), block.size(), &claimed)) {
    return fail(Errc::kMalformed, "snappy: no length at the start of a block");
  }
  // Three bytes of a copy element make at most 64: a larger claim cannot come true.
  if (claimed / 22 > block.size()) {
    return fail(Errc::kMalformed, "snappy: a block of " + std::to_string(block.size()) +
                                      " bytes claims to unpack to " + std::to_string(claimed));
  }
  if (!output.reserve(claimed)) return output.too_large("snappy");
  if (!snappy::RawUncompress(chars(block.data()), block.size(),
                             reinterpret_cast<char*>(output.free_data()))) {
    return fail(Errc::kMalformed, "snappy: corrupt block");
  }
  output.wrote(claimed);
  return {};
}

}  // namespace

Result<Bytes> snappy_compress(ByteView input, Bytes prefix) {
  prefix.insert(prefix.end(), kHeader.begin(), kHeader.end());
  while (!input.empty()) {
    const auto block = input.first(std::min(kBlock, input.size()));
    input = input.subspan(block.size());
    const std::size_t at = prefix.size();
    prefix.resize(at + 4 + snappy::MaxCompressedLength(block.size()));
    std::size_t size = 0;
    snappy::RawCompress(chars(block.data()), block.size(),
                        reinterpret_cast<char*>(prefix.data() + at + 4), &size);
    for (std::size_t i = 0; i < 4; ++i) {
      prefix[at + i] = static_cast<std::uint8_t>(size >> (24 - 8 * i));
    }
    prefix.resize(at + 4 + size);
  }
  return prefix;
}

Result<Bytes> snappy_decompress(ByteView input, std::size_t max_output) {
  OutputBuffer output(input.size(), max_output);
  if (!is_framed(input)) {
    KTRIAL_TRY(append_block(input, output));
    return std::move(output).take();
  }
  std::size_t at = kHeader.size();
  while (at < input.size()) {
    const auto rest = input.subspan(at);
    if (is_framed(rest)) {  // streams may be joined end to end
      at += kHeader.size();
      continue;
    }
    if (rest.size() < 4) return fail(Errc::kTruncated, "snappy: the data ends in a block length");
    const std::size_t length = big_endian32(rest.data());
    if (length > rest.size() - 4) {
      return fail(Errc::kTruncated, "snappy: a block of " + std::to_string(length) +
                                        " bytes, only " + std::to_string(rest.size() - 4) +
                                        " left");
    }
    KTRIAL_TRY(append_block(rest.subspan(4, length), output));
    at += 4 + length;
  }
  return std::move(output).take();
}

}  // namespace ktrial
