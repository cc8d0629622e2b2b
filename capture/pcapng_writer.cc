// SPDX-License-Identifier: Apache-2.0
#include "capture/pcapng_writer.h"

#include "capture/pcapng_format.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace ktrial::capture {

using namespace pcapng;  // NOLINT(google-build-using-namespace): the format's own numbers

namespace {
constexpr std::size_t kFlushAt = std::size_t{256} << 10U;
constexpr std::size_t kMaxOption = 0xffff;
}  // namespace

Result<PcapngWriter> PcapngWriter::create(const std::string& path, const SectionInfo& section) {
  PcapngWriter out;
  out.path_ = path;
  out.fd_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (out.fd_ < 0)
    return fail(errno == EACCES ? Errc::kPermission : Errc::kIo,
                std::string("cannot write the capture: ") + std::strerror(errno), path);
  out.buffer_.reserve(kFlushAt + (std::size_t{128} << 10U));
  out.begin(kSectionHeader);
  out.u32(kByteOrderMagic);
  out.u16(1);
  out.u16(0);
  out.u32(0xffffffff);  // section length unknown
  out.u32(0xffffffff);
  for (const std::string& comment : section.comments) out.option(kOptionComment, comment);
  if (!section.hardware.empty()) out.option(kSectionHardware, section.hardware);
  if (!section.os.empty()) out.option(kSectionOs, section.os);
  if (!section.application.empty()) out.option(kSectionApplication, section.application);
  out.option(kOptionEnd, "");
  out.end();
  return out;
}

PcapngWriter::PcapngWriter(PcapngWriter&& other) noexcept { *this = std::move(other); }

PcapngWriter& PcapngWriter::operator=(PcapngWriter&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(path_, other.path_);
  std::swap(buffer_, other.buffer_);
  std::swap(block_start_, other.block_start_);
  std::swap(written_, other.written_);
  std::swap(interfaces_, other.interfaces_);
  std::swap(error_, other.error_);
  return *this;
}

PcapngWriter::~PcapngWriter() {
  if (fd_ >= 0) static_cast<void>(close());
}

void PcapngWriter::u16(std::uint16_t value) {
  buffer_.push_back(static_cast<std::uint8_t>(value));
  buffer_.push_back(static_cast<std::uint8_t>(value >> 8U));
}

void PcapngWriter::u32(std::uint32_t value) {
  u16(static_cast<std::uint16_t>(value));
  u16(static_cast<std::uint16_t>(value >> 16U));
}

void PcapngWriter::bytes(const void* data, std::size_t size) {
  const auto* from = static_cast<const std::uint8_t*>(data);
  buffer_.insert(buffer_.end(), from, from + size);
  buffer_.resize(buffer_.size() + (4 - size % 4) % 4, 0);
}

void PcapngWriter::option(std::uint16_t code, std::string_view value) {
  value = value.substr(0, kMaxOption);
  u16(code);
  u16(static_cast<std::uint16_t>(value.size()));
  bytes(value.data(), value.size());
}

void PcapngWriter::option(std::uint16_t code, std::uint64_t value) {
  u16(code);
  u16(8);
  u32(static_cast<std::uint32_t>(value));
  u32(static_cast<std::uint32_t>(value >> 32U));
}

// We write little-endian files on every machine; the byte order magic says so.
void PcapngWriter::begin(std::uint32_t type) {
  block_start_ = buffer_.size();
  u32(type);
  u32(0);
}

void PcapngWriter::end() {
  const auto length = static_cast<std::uint32_t>(buffer_.size() - block_start_ + 4);
  for (std::size_t i = 0; i < 4; ++i)
    buffer_[block_start_ + 4 + i] = static_cast<std::uint8_t>(length >> (8 * i));
  u32(length);
  if (buffer_.size() >= kFlushAt) flush();
}

std::uint32_t PcapngWriter::add_interface(const InterfaceInfo& info) {
  begin(kInterface);
  u16(static_cast<std::uint16_t>(info.link));
  u16(0);
  u32(info.snaplen);
  if (!info.name.empty()) option(kInterfaceName, info.name);
  option(kInterfaceTsResolution, std::string_view("\x09", 1));  // 10^-9 s
  if (!info.filter.empty()) option(kInterfaceFilter, std::string(1, '\0') + info.filter);
  option(kOptionEnd, "");
  end();
  return interfaces_++;
}

void PcapngWriter::packet(std::uint32_t interface, const PacketView& packet,
                          std::string_view comment) {
  const auto at = static_cast<std::uint64_t>(packet.at_ns);
  const auto size = static_cast<std::uint32_t>(packet.bytes.size());
  begin(kEnhancedPacket);
  u32(interface);
  u32(static_cast<std::uint32_t>(at >> 32U));
  u32(static_cast<std::uint32_t>(at));
  u32(size);
  u32(std::max(packet.original_length, size));
  bytes(packet.bytes.data(), packet.bytes.size());
  if (!comment.empty()) {
    option(kOptionComment, comment);
    option(kOptionEnd, "");
  }
  end();
}

void PcapngWriter::tls_keys(std::string_view key_log) {
  begin(kDecryptionSecrets);
  u32(kTlsKeyLog);
  u32(static_cast<std::uint32_t>(key_log.size()));
  bytes(key_log.data(), key_log.size());
  end();
}

void PcapngWriter::statistics(std::uint32_t interface, std::int64_t at_ns,
                              const InterfaceCounters& counters) {
  const auto at = static_cast<std::uint64_t>(at_ns);
  begin(kInterfaceStatistics);
  u32(interface);
  u32(static_cast<std::uint32_t>(at >> 32U));
  u32(static_cast<std::uint32_t>(at));
  option(kStatisticsReceived, counters.received);
  option(kStatisticsDropped, counters.dropped);
  option(kOptionEnd, "");
  end();
}

void PcapngWriter::flush() {
  std::size_t done = 0;
  while (!error_ && done < buffer_.size()) {
    const ssize_t wrote = ::write(fd_, buffer_.data() + done, buffer_.size() - done);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) {
      error_ =
          Error{Errc::kIo, std::string("cannot write the capture: ") + std::strerror(errno), path_};
      break;
    }
    done += static_cast<std::size_t>(wrote);
  }
  written_ += done;
  buffer_.clear();
}

Result<void> PcapngWriter::close() {
  if (fd_ < 0) return {};
  flush();
  if (::close(fd_) != 0 && !error_)
    error_ =
        Error{Errc::kIo, std::string("cannot close the capture: ") + std::strerror(errno), path_};
  fd_ = -1;
  if (error_) return tl::unexpected<Error>(*error_);
  return {};
}

}  // namespace ktrial::capture
