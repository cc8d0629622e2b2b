// SPDX-License-Identifier: Apache-2.0
// LZ4 frames. Written with independent 64 KB blocks and no checksums, the only form that every
// client reads: Java's refuses blocks that depend on each other.
#include "common/compression_codecs.h"

#include <lz4frame.h>

#include <array>
#include <bit>
#include <cstring>
#include <memory>

namespace ktrial {
namespace {

struct Free {
  void operator()(LZ4F_dctx* context) const { LZ4F_freeDecompressionContext(context); }
};
using Context = std::unique_ptr<LZ4F_dctx, Free>;

Context make_context() {
  LZ4F_dctx* raw = nullptr;
  LZ4F_createDecompressionContext(&raw, LZ4F_VERSION);
  return Context(raw);
}

std::string message_of(std::size_t code) { return std::string("lz4: ") + LZ4F_getErrorName(code); }

// Feeds `part` of a frame; returns whether the frame ended, and moves `part` past what was used.
Result<bool> feed(LZ4F_dctx* context, ByteView& part, OutputBuffer& output) {
  for (;;) {
    std::size_t in = part.size();
    std::size_t out = output.free_size();
    const std::size_t code =
        LZ4F_decompress(context, output.free_data(), &out, part.data(), &in, nullptr);
    if (LZ4F_isError(code) != 0) return fail(Errc::kMalformed, message_of(code));
    output.wrote(out);
    part = part.subspan(in);
    if (code == 0) return true;
    if (output.free_size() == 0) {
      if (!output.grow()) return output.too_large("lz4");
    } else if (part.empty() || (in == 0 && out == 0)) {
      return false;
    }
  }
}

Result<Bytes> decompress_frame(ByteView header, ByteView rest, std::size_t max_output) {
  const Context context = make_context();
  if (!context) return fail(Errc::kInternal, "lz4: no memory for a context");
  OutputBuffer output(rest.size(), max_output);
  bool ended = false;
  for (auto* part : {&header, &rest}) {
    if (ended || part->empty()) continue;
    const auto fed = feed(context.get(), *part, output);
    KTRIAL_TRY(fed);
    ended = *fed;
  }
  if (!ended) return fail(Errc::kTruncated, "lz4: the data ends within the frame");
  if (!rest.empty()) {
    return fail(Errc::kMalformed,
                "lz4: " + std::to_string(rest.size()) + " bytes after the end of the frame");
  }
  return std::move(output).take();
}

// XXH32 with seed 0 of fewer than 16 bytes, which a frame header always is.
std::uint32_t short_xxh32(ByteView bytes) {
  constexpr std::uint32_t kPrime1 = 0x9e3779b1U;
  constexpr std::uint32_t kPrime2 = 0x85ebca77U;
  constexpr std::uint32_t kPrime3 = 0xc2b2ae3dU;
  constexpr std::uint32_t kPrime4 = 0x27d4eb2fU;
  constexpr std::uint32_t kPrime5 = 0x165667b1U;
  std::uint32_t hash = kPrime5 + static_cast<std::uint32_t>(bytes.size());
  for (; bytes.size() >= 4; bytes = bytes.subspan(4)) {
    std::uint32_t word = 0;
    std::memcpy(&word, bytes.data(), 4);
    hash = std::rotl(hash + word * kPrime3, 17) * kPrime4;
  }
  for (const std::uint8_t byte : bytes) hash = std::rotl(hash + byte * kPrime5, 11) * kPrime1;
  hash = (hash ^ (hash >> 15U)) * kPrime2;
  hash = (hash ^ (hash >> 13U)) * kPrime3;
  return hash ^ (hash >> 16U);
}

}  // namespace

Result<Bytes> lz4_compress(ByteView input, Bytes prefix, std::optional<int> level) {
  LZ4F_preferences_t preferences{};
  preferences.frameInfo.blockSizeID = LZ4F_max64KB;
  preferences.frameInfo.blockMode = LZ4F_blockIndependent;
  preferences.compressionLevel = level.value_or(0);
  const std::size_t before = prefix.size();
  prefix.resize(before + LZ4F_compressFrameBound(input.size(), &preferences));
  const std::size_t size = LZ4F_compressFrame(prefix.data() + before, prefix.size() - before,
                                              input.data(), input.size(), &preferences);
  if (LZ4F_isError(size) != 0) return fail(Errc::kInternal, message_of(size));
  prefix.resize(before + size);
  return prefix;
}

Result<Bytes> lz4_decompress(ByteView input, std::size_t max_output) {
  return decompress_frame({}, input, max_output);
}

Result<Bytes> decompress_lz4_any_header_checksum(ByteView input, std::size_t max_output) {
  constexpr std::size_t kMagicSize = 4;
  constexpr std::uint8_t kHasContentSize = 0x08;
  constexpr std::uint8_t kHasDictionaryId = 0x01;
  std::array<std::uint8_t, kMagicSize + 2 + 8 + 4 + 1> header{};
  if (input.size() <= kMagicSize) return fail(Errc::kTruncated, "lz4: the data ends in the header");
  const std::uint8_t flags = input[kMagicSize];
  const std::size_t descriptor =
      2U + ((flags & kHasContentSize) != 0 ? 8U : 0U) + ((flags & kHasDictionaryId) != 0 ? 4U : 0U);
  const std::size_t size = kMagicSize + descriptor + 1;
  if (input.size() < size) return fail(Errc::kTruncated, "lz4: the data ends in the header");
  std::memcpy(header.data(), input.data(), size);
  const auto covered = std::span(header).subspan(kMagicSize, descriptor);
  header[size - 1] = static_cast<std::uint8_t>(short_xxh32(covered) >> 8U);
  return decompress_frame(std::span(header).first(size), input.subspan(size), max_output);
}

}  // namespace ktrial
