// SPDX-License-Identifier: Apache-2.0
// A file read forward through a window that grows only as bytes really arrive: a claimed length
// allocates nothing, and memory does not depend on the file's size. Also reads from memory.
#pragma once

#include "common/result.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace ktrial::capture {

class ByteSource {
 public:
  static Result<ByteSource> open(const std::string& path);
  static ByteSource of(std::vector<std::uint8_t> bytes);
  ByteSource(ByteSource&& other) noexcept;
  ByteSource& operator=(ByteSource&& other) noexcept;
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;
  ~ByteSource();

  // At least `size` bytes from the current offset if the file has them, fewer at its end. The
  // view lives until the next call.
  Result<std::span<const std::uint8_t>> peek(std::size_t size);
  // Not more than the last peek() returned.
  void consume(std::size_t size) { begin_ += size; }
  // From the file's start.
  [[nodiscard]] std::uint64_t offset() const { return base_ + begin_; }

 private:
  ByteSource() = default;

  int fd_ = -1;
  bool end_of_file_ = false;
  std::vector<std::uint8_t> window_;
  std::size_t begin_ = 0, end_ = 0;  // what is in the window
  std::uint64_t base_ = 0;           // offset of window_[0]
};

}  // namespace ktrial::capture
