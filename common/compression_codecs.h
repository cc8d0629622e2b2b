// SPDX-License-Identifier: Apache-2.0
// One pair of functions per codec, behind compression.h, and the growing output they share.
#pragma once

#include "common/compression.h"

#include <algorithm>
#include <string>
#include <utility>

namespace ktrial {

using Bytes = std::vector<std::uint8_t>;
using ByteView = std::span<const std::uint8_t>;

// The error of going beyond an output limit.
tl::unexpected<Error> unpacks_beyond(std::string_view codec, std::size_t limit);

Result<Bytes> gzip_compress(ByteView input, Bytes prefix, std::optional<int> level);
Result<Bytes> gzip_decompress(ByteView input, std::size_t max_output);
Result<Bytes> snappy_compress(ByteView input, Bytes prefix);
Result<Bytes> snappy_decompress(ByteView input, std::size_t max_output);
Result<Bytes> lz4_compress(ByteView input, Bytes prefix, std::optional<int> level);
Result<Bytes> lz4_decompress(ByteView input, std::size_t max_output);
Result<Bytes> zstd_compress(ByteView input, Bytes prefix, std::optional<int> level);
Result<Bytes> zstd_decompress(ByteView input, std::size_t max_output);

// Output that doubles when full, up to a limit.
class OutputBuffer {
 public:
  OutputBuffer(std::size_t input_size, std::size_t limit) : limit_(limit) {
    bytes_.reserve(1);  // zlib refuses a null pointer even for no room
    bytes_.resize(std::min(limit, std::max<std::size_t>(4096, 4 * std::min(input_size, limit))));
  }

  [[nodiscard]] std::uint8_t* free_data() { return bytes_.data() + used_; }
  [[nodiscard]] std::size_t free_size() const { return bytes_.size() - used_; }
  void wrote(std::size_t size) { used_ += size; }
  // False when the limit is reached.
  [[nodiscard]] bool grow() {
    if (bytes_.size() >= limit_) return false;
    bytes_.resize(bytes_.size() > limit_ / 2 ? limit_ : bytes_.size() * 2);
    return true;
  }
  // Makes room for `size` more; false if that is beyond the limit.
  [[nodiscard]] bool reserve(std::size_t size) {
    if (size > limit_ - used_) return false;
    if (free_size() < size) bytes_.resize(used_ + size);
    return true;
  }
  [[nodiscard]] Bytes take() && {
    bytes_.resize(used_);
    return std::move(bytes_);
  }
  [[nodiscard]] tl::unexpected<Error> too_large(std::string_view codec) const {
    return unpacks_beyond(codec, limit_);
  }

 private:
  Bytes bytes_;
  std::size_t used_ = 0;
  std::size_t limit_;
};

}  // namespace ktrial
