// SPDX-License-Identifier: Apache-2.0
// Reads pcapng and classic pcap, either byte order, any stamp resolution, packet by packet.
// Hostile files give an Error with the byte offset; a claimed length allocates nothing.
#pragma once

#include "capture/byte_source.h"
#include "capture/packet.h"
#include "capture/pcapng_writer.h"
#include "common/result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ktrial::capture {

// What a file says about itself, complete once its last packet was read.
struct CaptureFileInfo {
  bool pcapng = false;
  SectionInfo section;                    // of the first section
  std::vector<InterfaceInfo> interfaces;  // of all sections
  std::vector<std::string> packet_comments;
  std::string tls_keys;
  // Sums over the interfaces' last statistics; absent if the file has none.
  std::optional<std::uint64_t> received, dropped;
  std::uint64_t unknown_blocks = 0;
};

class CaptureFile {
 public:
  static Result<CaptureFile> open(const std::string& path);
  static Result<CaptureFile> of(std::vector<std::uint8_t> bytes);

  // The next packet, false at the end. The view lives until the next call.
  Result<bool> next(PacketView& packet);
  [[nodiscard]] const CaptureFileInfo& info() const { return info_; }
  // Where reading stands, in bytes from the file's start.
  [[nodiscard]] std::uint64_t offset() const { return source_.offset(); }

 private:
  struct Interface {
    LinkType link;
    std::uint8_t resolution = 6;  // as if_tsresol
    std::int64_t offset_s = 0;
    std::uint32_t snaplen = 0;
    std::optional<std::uint64_t> received, dropped;
  };
  using Bytes = std::span<const std::uint8_t>;

  explicit CaptureFile(ByteSource source) : source_(std::move(source)) {}
  Result<void> read_header();
  Result<bool> next_classic(PacketView& packet);
  Result<bool> next_block(PacketView& packet);
  Result<void> section_header(Bytes body);
  Result<void> interface(Bytes body);
  Result<bool> enhanced_packet(Bytes body, PacketView& packet);
  Result<bool> simple_packet(Bytes body, PacketView& packet);
  Result<bool> obsolete_packet(Bytes body, PacketView& packet);
  Result<bool> packet_of(std::uint32_t interface, std::uint64_t stamp, std::uint32_t original,
                         Bytes bytes, PacketView& packet);
  Result<void> statistics(Bytes body);
  void secrets(Bytes body);
  void sum_statistics();
  [[nodiscard]] std::uint16_t u16(Bytes bytes, std::size_t at) const;
  [[nodiscard]] std::uint32_t u32(Bytes bytes, std::size_t at) const;
  [[nodiscard]] std::uint64_t u64(Bytes bytes, std::size_t at) const;
  [[nodiscard]] std::string where() const;
  template <class Fn>
  void options(Bytes bytes, Fn&& fn) const;

  ByteSource source_;
  CaptureFileInfo info_;
  bool big_endian_ = false;
  std::uint32_t classic_unit_ns_ = 0;  // 1000 or 1; 0: pcapng
  LinkType classic_link_ = LinkType::kEthernet;
  std::vector<Interface> interfaces_;
  std::size_t section_first_ = 0;  // interfaces_ index of the section's interface 0
  bool section_seen_ = false;
};

}  // namespace ktrial::capture
