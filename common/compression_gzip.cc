// SPDX-License-Identifier: Apache-2.0
// gzip by zlib. Several members in a row are one stream, as RFC 1952 and Java have it.
#include "common/compression_codecs.h"

#define ZLIB_CONST  // next_in points to const
#include <zlib.h>

#include <limits>
#include <memory>

namespace ktrial {
namespace {

constexpr int kGzipWindowBits = 15 + 16;  // 16: gzip's header and trailer, not zlib's
constexpr std::size_t kMostAtOnce = std::numeric_limits<uInt>::max();

uInt clamp(std::size_t size) { return static_cast<uInt>(std::min(size, kMostAtOnce)); }

struct Stream {
  z_stream z{};
  int (*end)(z_streamp);
  explicit Stream(int (*end_function)(z_streamp)) : end(end_function) {}
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream() { end(&z); }
};

std::string message_of(const z_stream& stream, int code) {
  return std::string("gzip: ") + (stream.msg != nullptr ? stream.msg : zError(code));
}

}  // namespace

Result<Bytes> gzip_compress(ByteView input, Bytes prefix, std::optional<int> level) {
  if (input.size() > kMostAtOnce) return fail(Errc::kTooLarge, "gzip: input over 4 GB");
  Stream stream(deflateEnd);
  const int started = deflateInit2(&stream.z, level.value_or(Z_DEFAULT_COMPRESSION), Z_DEFLATED,
                                   kGzipWindowBits, 8, Z_DEFAULT_STRATEGY);
  if (started != Z_OK) return fail(Errc::kInvalidArgument, message_of(stream.z, started));
  const std::size_t before = prefix.size();
  prefix.resize(before + deflateBound(&stream.z, input.size()));
  stream.z.next_in = input.data();
  stream.z.avail_in = clamp(input.size());
  stream.z.next_out = prefix.data() + before;
  stream.z.avail_out = clamp(prefix.size() - before);
  const int ended = deflate(&stream.z, Z_FINISH);
  if (ended != Z_STREAM_END) return fail(Errc::kInternal, message_of(stream.z, ended));
  prefix.resize(before + stream.z.total_out);
  return prefix;
}

Result<Bytes> gzip_decompress(ByteView input, std::size_t max_output) {
  if (input.size() > kMostAtOnce) return fail(Errc::kTooLarge, "gzip: input over 4 GB");
  Stream stream(inflateEnd);
  const int started = inflateInit2(&stream.z, kGzipWindowBits);
  if (started != Z_OK) return fail(Errc::kInternal, message_of(stream.z, started));
  stream.z.next_in = input.data();
  stream.z.avail_in = clamp(input.size());
  OutputBuffer output(input.size(), max_output);
  for (;;) {
    stream.z.next_out = output.free_data();
    stream.z.avail_out = clamp(output.free_size());
    const uInt room = stream.z.avail_out;
    const int code = inflate(&stream.z, Z_NO_FLUSH);
    output.wrote(room - stream.z.avail_out);
    if (code == Z_STREAM_END) {
      if (stream.z.avail_in == 0) return std::move(output).take();
      inflateReset(&stream.z);
      continue;
    }
    if (code != Z_OK && code != Z_BUF_ERROR) {
      return fail(Errc::kMalformed, message_of(stream.z, code));
    }
    if (stream.z.avail_out == 0) {
      if (!output.grow()) return output.too_large("gzip");
    } else if (stream.z.avail_in == 0) {
      return fail(Errc::kTruncated, "gzip: the data ends early");
    } else if (code == Z_BUF_ERROR) {
      return fail(Errc::kMalformed, message_of(stream.z, code));
    }
  }
}

}  // namespace ktrial
