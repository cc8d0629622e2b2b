// SPDX-License-Identifier: Apache-2.0
#include "capture/byte_source.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace ktrial::capture {

namespace {
constexpr std::size_t kWindow = std::size_t{256} << 10U;
}  // namespace

Result<ByteSource> ByteSource::open(const std::string& path) {
  ByteSource out;
  out.fd_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (out.fd_ < 0) {
    const Errc code = errno == ENOENT   ? Errc::kNotFound
                      : errno == EACCES ? Errc::kPermission
                                        : Errc::kIo;
    return fail(code, std::string("cannot read the capture: ") + std::strerror(errno), path);
  }
  out.window_.resize(kWindow);
  return out;
}

ByteSource ByteSource::of(std::vector<std::uint8_t> bytes) {
  ByteSource out;
  out.end_of_file_ = true;
  out.end_ = bytes.size();
  out.window_ = std::move(bytes);
  return out;
}

ByteSource::ByteSource(ByteSource&& other) noexcept { *this = std::move(other); }

ByteSource& ByteSource::operator=(ByteSource&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(end_of_file_, other.end_of_file_);
  std::swap(window_, other.window_);
  std::swap(begin_, other.begin_);
  std::swap(end_, other.end_);
  std::swap(base_, other.base_);
  return *this;
}

ByteSource::~ByteSource() {
  if (fd_ >= 0) ::close(fd_);
}

Result<std::span<const std::uint8_t>> ByteSource::peek(std::size_t size) {
  while (end_ - begin_ < size && !end_of_file_) {
    if (begin_ > 0) {
      std::memmove(window_.data(), window_.data() + begin_, end_ - begin_);
      base_ += begin_;
      end_ -= begin_;
      begin_ = 0;
    }
    if (end_ == window_.size()) window_.resize(window_.size() * 2);
    const ssize_t got = ::read(fd_, window_.data() + end_, window_.size() - end_);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0)
      return fail(Errc::kIo, std::string("cannot read the capture: ") + std::strerror(errno),
                  "byte " + std::to_string(base_ + end_));
    if (got == 0) end_of_file_ = true;
    end_ += static_cast<std::size_t>(got);
  }
  return std::span<const std::uint8_t>(window_).subspan(begin_, end_ - begin_);
}

}  // namespace ktrial::capture
