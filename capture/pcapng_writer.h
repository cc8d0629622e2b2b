// SPDX-License-Identifier: Apache-2.0
// Writes a pcapng file: nanosecond stamps, interface statistics (drops), TLS key logs, comments.
// One section; blocks go out through a buffer of its own. Errors are sticky: close() tells.
#pragma once

#include "capture/packet.h"
#include "common/result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ktrial::capture {

struct SectionInfo {
  std::string hardware;  // empty members are left out
  std::string os;
  std::string application;
  std::vector<std::string> comments;
};

struct InterfaceInfo {
  std::string name;
  std::string filter;
  LinkType link = LinkType::kEthernet;
  std::uint32_t snaplen = 0;  // 0: no limit
};

struct InterfaceCounters {
  std::uint64_t received = 0;
  std::uint64_t dropped = 0;
};

class PcapngWriter {
 public:
  static Result<PcapngWriter> create(const std::string& path, const SectionInfo& section);
  PcapngWriter(PcapngWriter&& other) noexcept;
  PcapngWriter& operator=(PcapngWriter&& other) noexcept;
  PcapngWriter(const PcapngWriter&) = delete;
  PcapngWriter& operator=(const PcapngWriter&) = delete;
  ~PcapngWriter();

  // Interfaces are numbered from 0 in the order of these calls.
  std::uint32_t add_interface(const InterfaceInfo& info);
  void packet(std::uint32_t interface, const PacketView& packet, std::string_view comment = {});
  // Lines in the format of SSLKEYLOGFILE. Wireshark wants them before the packets they open.
  void tls_keys(std::string_view key_log);
  void statistics(std::uint32_t interface, std::int64_t at_ns, const InterfaceCounters& counters);
  // To the operating system, so that a killed process leaves what it saw.
  void flush();
  Result<void> close();

  [[nodiscard]] std::uint64_t bytes_written() const { return written_ + buffer_.size(); }

 private:
  PcapngWriter() = default;
  void begin(std::uint32_t type);
  void end();
  void u16(std::uint16_t value);
  void u32(std::uint32_t value);
  void bytes(const void* data, std::size_t size);  // padded to 4
  void option(std::uint16_t code, std::string_view value);
  void option(std::uint16_t code, std::uint64_t value);

  int fd_ = -1;
  std::string path_;
  std::vector<std::uint8_t> buffer_;
  std::size_t block_start_ = 0;
  std::uint64_t written_ = 0;
  std::uint32_t interfaces_ = 0;
  std::optional<Error> error_;
};

}  // namespace ktrial::capture
