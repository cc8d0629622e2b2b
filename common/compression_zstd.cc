// SPDX-License-Identifier: Apache-2.0
// Zstandard, in one call per buffer: streaming would allocate the window that a header claims.
// Contexts are kept per thread, since setting one up costs more than packing a small batch.
#include "common/compression_codecs.h"

#include <zstd.h>
#include <zstd_errors.h>

#include <memory>

namespace ktrial {
namespace {

struct Free {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

ZSTD_CCtx* compressor() {
  thread_local const std::unique_ptr<ZSTD_CCtx, Free> context(ZSTD_createCCtx());
  return context.get();
}

ZSTD_DCtx* decompressor() {
  thread_local const std::unique_ptr<ZSTD_DCtx, Free> context(ZSTD_createDCtx());
  return context.get();
}

std::string message_of(std::size_t code) { return std::string("zstd: ") + ZSTD_getErrorName(code); }

}  // namespace

Result<Bytes> zstd_compress(ByteView input, Bytes prefix, std::optional<int> level) {
  const std::size_t before = prefix.size();
  prefix.resize(before + ZSTD_compressBound(input.size()));
  const std::size_t size =
      ZSTD_compressCCtx(compressor(), prefix.data() + before, prefix.size() - before, input.data(),
                        input.size(), level.value_or(ZSTD_CLEVEL_DEFAULT));
  if (ZSTD_isError(size) != 0) return fail(Errc::kInternal, message_of(size));
  prefix.resize(before + size);
  return prefix;
}

Result<Bytes> zstd_decompress(ByteView input, std::size_t max_output) {
  // zlib and LZ4 stop at 255:1 and 1000:1; Zstandard packs zeros a thousandfold and more. So a
  // first guess of four times the input, then doubling: a pass is cheap beside a lie believed.
  OutputBuffer output(input.size(), max_output);
  for (;;) {
    const std::size_t size = ZSTD_decompressDCtx(decompressor(), output.free_data(),
                                                 output.free_size(), input.data(), input.size());
    if (ZSTD_isError(size) == 0) {
      output.wrote(size);
      return std::move(output).take();
    }
    switch (ZSTD_getErrorCode(size)) {
      case ZSTD_error_dstSize_tooSmall:
        if (!output.grow()) return output.too_large("zstd");
        break;
      case ZSTD_error_srcSize_wrong:
        return fail(Errc::kTruncated, message_of(size));
      default:
        return fail(Errc::kMalformed, message_of(size));
    }
  }
}

}  // namespace ktrial
