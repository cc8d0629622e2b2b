// SPDX-License-Identifier: Apache-2.0
#include "capture/capture_file.h"

#include "capture/link_layer.h"
#include "capture/pcapng_format.h"

#include <algorithm>
#include <limits>

namespace ktrial::capture {

using namespace pcapng;  // NOLINT(google-build-using-namespace): the format's own numbers

namespace {

using Bytes = std::span<const std::uint8_t>;

// Larger blocks and packets are not written by any capture tool.
constexpr std::uint32_t kMaxBlock = std::uint32_t{64} << 20U;
constexpr std::size_t kMaxKeptText = std::size_t{1} << 20U;
constexpr std::size_t kMaxInterfaces = 65536;
constexpr std::size_t kClassicHeader = 24, kClassicRecord = 16;
constexpr std::uint32_t kMicroseconds = 0xa1b2c3d4, kNanoseconds = 0xa1b23c4d;
constexpr std::uint64_t kMaxNs = std::uint64_t{1} << 62U;  // sums of stamps cannot overflow

std::uint32_t little32(Bytes bytes, std::size_t at) {
  return bytes[at] | (std::uint32_t{bytes[at + 1]} << 8U) | (std::uint32_t{bytes[at + 2]} << 16U) |
         (std::uint32_t{bytes[at + 3]} << 24U);
}

std::uint32_t swapped(std::uint32_t value) { return __builtin_bswap32(value); }

std::uint64_t saturating_multiply(std::uint64_t a, std::uint64_t b) {
  std::uint64_t out = 0;
  return __builtin_mul_overflow(a, b, &out) ? kMaxNs : out;
}

// A stamp in units of `resolution` (if_tsresol) to nanoseconds.
std::int64_t to_ns(std::uint64_t stamp, std::uint8_t resolution, std::int64_t offset_s) {
  std::uint64_t ns = 0;
  const unsigned exponent = resolution & 0x7fU;
  if ((resolution & 0x80U) != 0) {
    const unsigned bits = std::min(exponent, 63U);
    const std::uint64_t seconds = stamp >> bits;
    std::uint64_t fraction = stamp & ((std::uint64_t{1} << bits) - 1);
    unsigned shift = bits;
    if (shift > 32) {
      fraction >>= shift - 32;
      shift = 32;
    }
    ns = saturating_multiply(seconds, 1'000'000'000) + ((fraction * 1'000'000'000) >> shift);
  } else if (exponent <= 9) {
    std::uint64_t factor = 1;
    for (unsigned i = exponent; i < 9; ++i) factor *= 10;
    ns = saturating_multiply(stamp, factor);
  } else {
    ns = stamp;
    for (unsigned i = 9; i < exponent && ns > 0; ++i) ns /= 10;
  }
  ns = std::min(ns, kMaxNs);
  constexpr std::int64_t kMaxOffset = std::int64_t{1} << 31U;
  const std::int64_t shifted =
      static_cast<std::int64_t>(ns) + std::clamp(offset_s, -kMaxOffset, kMaxOffset) * 1'000'000'000;
  return std::clamp<std::int64_t>(shifted, 0, static_cast<std::int64_t>(kMaxNs));
}

std::string hex(std::uint32_t value) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string out = "0x";
  for (int shift = 28; shift >= 0; shift -= 4)
    out += kDigits[(value >> static_cast<unsigned>(shift)) & 0xfU];
  return out;
}

}  // namespace

std::uint16_t CaptureFile::u16(Bytes bytes, std::size_t at) const {
  const auto low = static_cast<std::uint16_t>(bytes[at] | (bytes[at + 1] << 8));
  return big_endian_ ? __builtin_bswap16(low) : low;
}

std::uint32_t CaptureFile::u32(Bytes bytes, std::size_t at) const {
  const std::uint32_t low = little32(bytes, at);
  return big_endian_ ? swapped(low) : low;
}

std::uint64_t CaptureFile::u64(Bytes bytes, std::size_t at) const {
  const std::uint64_t first = u32(bytes, at);
  const std::uint64_t second = u32(bytes, at + 4);
  return big_endian_ ? (first << 32U) | second : (second << 32U) | first;
}

std::string CaptureFile::where() const { return "byte " + std::to_string(source_.offset()); }

template <class Fn>
void CaptureFile::options(Bytes bytes, Fn&& fn) const {
  std::size_t at = 0;
  while (at + 4 <= bytes.size()) {
    const std::uint16_t code = u16(bytes, at);
    const std::uint16_t length = u16(bytes, at + 2);
    at += 4;
    if (code == kOptionEnd || bytes.size() - at < length) return;
    fn(code, bytes.subspan(at, length));
    at += std::min<std::size_t>((std::size_t{length} + 3) & ~std::size_t{3}, bytes.size() - at);
  }
}

Result<CaptureFile> CaptureFile::open(const std::string& path) {
  auto source = ByteSource::open(path);
  if (!source) return tl::unexpected<Error>(source.error());
  CaptureFile file(std::move(*source));
  KTRIAL_TRY(file.read_header());
  return file;
}

Result<CaptureFile> CaptureFile::of(std::vector<std::uint8_t> bytes) {
  CaptureFile file(ByteSource::of(std::move(bytes)));
  KTRIAL_TRY(file.read_header());
  return file;
}

Result<void> CaptureFile::read_header() {
  const auto head = source_.peek(kClassicHeader);
  if (!head) return tl::unexpected<Error>(head.error());
  if (head->size() < 4)
    return fail(Errc::kTruncated, "the file ends before a capture header", where());
  const std::uint32_t magic = little32(*head, 0);
  if (magic == kSectionHeader) {
    info_.pcapng = true;
    return {};
  }
  big_endian_ = swapped(magic) == kMicroseconds || swapped(magic) == kNanoseconds;
  const std::uint32_t kind = big_endian_ ? swapped(magic) : magic;
  if (kind != kMicroseconds && kind != kNanoseconds)
    return fail(Errc::kUnsupported,
                "neither pcapng nor pcap: the file starts with " + hex(swapped(magic)), where());
  if (head->size() < kClassicHeader)
    return fail(Errc::kTruncated, "the pcap header is cut", where());
  classic_unit_ns_ = kind == kNanoseconds ? 1 : 1000;
  const std::uint32_t link = u32(*head, 20) & 0xffffU;
  if (!known_link_type(link))
    return fail(Errc::kUnsupported, "link type " + std::to_string(link) + " is not known", where());
  classic_link_ = static_cast<LinkType>(link);
  InterfaceInfo interface;
  interface.link = classic_link_;
  interface.snaplen = u32(*head, 16);
  info_.interfaces.push_back(interface);
  source_.consume(kClassicHeader);
  return {};
}

Result<bool> CaptureFile::next(PacketView& packet) {
  return classic_unit_ns_ != 0 ? next_classic(packet) : next_block(packet);
}

Result<bool> CaptureFile::next_classic(PacketView& packet) {
  auto head = source_.peek(kClassicRecord);
  if (!head) return tl::unexpected<Error>(head.error());
  if (head->empty()) return false;
  if (head->size() < kClassicRecord)
    return fail(Errc::kTruncated, "the file ends inside a packet header", where());
  const std::uint32_t captured = u32(*head, 8);
  if (captured > kMaxBlock)
    return fail(Errc::kTooLarge, "a packet claims " + std::to_string(captured) + " bytes", where());
  const auto whole = source_.peek(kClassicRecord + captured);
  if (!whole) return tl::unexpected<Error>(whole.error());
  if (whole->size() < kClassicRecord + captured)
    return fail(Errc::kTruncated,
                "the file ends inside a packet of " + std::to_string(captured) + " bytes", where());
  packet.at_ns = static_cast<std::int64_t>(std::uint64_t{u32(*whole, 0)} * 1'000'000'000U +
                                           std::uint64_t{u32(*whole, 4)} * classic_unit_ns_);
  packet.link = classic_link_;
  packet.bytes = whole->subspan(kClassicRecord, captured);
  packet.original_length = u32(*whole, 12);
  source_.consume(kClassicRecord + captured);
  return true;
}

Result<bool> CaptureFile::next_block(PacketView& packet) {
  for (;;) {
    auto head = source_.peek(12);
    if (!head) return tl::unexpected<Error>(head.error());
    if (head->empty()) {
      if (!section_seen_) return fail(Errc::kTruncated, "no section header", where());
      sum_statistics();
      return false;
    }
    if (head->size() < 12)
      return fail(Errc::kTruncated, "the file ends inside a block header", where());
    std::uint32_t type = u32(*head, 0);
    if (little32(*head, 0) == kSectionHeader) {
      type = kSectionHeader;  // a palindrome: the byte order comes with the next word but one
      const std::uint32_t order = little32(*head, 8);
      if (order != kByteOrderMagic && swapped(order) != kByteOrderMagic)
        return fail(Errc::kMalformed, "byte order mark is " + hex(order), where());
      big_endian_ = order != kByteOrderMagic;
    } else if (!section_seen_) {
      return fail(Errc::kMalformed, "no section header", where());
    }
    const std::uint32_t length = u32(*head, 4);
    if (length < 12 || length % 4 != 0)
      return fail(Errc::kMalformed, "a block claims " + std::to_string(length) + " bytes", where());
    if (length > kMaxBlock)
      return fail(Errc::kTooLarge, "a block claims " + std::to_string(length) + " bytes", where());
    const auto block = source_.peek(length);
    if (!block) return tl::unexpected<Error>(block.error());
    if (block->size() < length)
      return fail(Errc::kTruncated,
                  "the file ends inside a block of " + std::to_string(length) + " bytes", where());
    if (u32(*block, length - 4) != length)
      return fail(Errc::kMalformed, "a block's two lengths differ", where());
    const Bytes body = block->subspan(8, length - 12);
    Result<bool> got = false;
    switch (type) {
      case kSectionHeader:
        KTRIAL_TRY(section_header(body));
        break;
      case kInterface:
        KTRIAL_TRY(interface(body));
        break;
      case kEnhancedPacket:
        got = enhanced_packet(body, packet);
        break;
      case kSimplePacket:
        got = simple_packet(body, packet);
        break;
      case kPacketObsolete:
        got = obsolete_packet(body, packet);
        break;
      case kInterfaceStatistics:
        KTRIAL_TRY(statistics(body));
        break;
      case kDecryptionSecrets:
        secrets(body);
        break;
      default:
        ++info_.unknown_blocks;
        break;
    }
    if (!got) return got;
    source_.consume(length);
    if (*got) return true;
  }
}

Result<void> CaptureFile::section_header(Bytes body) {
  if (body.size() < 16) return fail(Errc::kMalformed, "a section header is too short", where());
  const std::uint16_t major = u16(body, 4);
  if (major != 1)
    return fail(Errc::kUnsupported, "pcapng version " + std::to_string(major), where());
  const bool first = !section_seen_;
  section_seen_ = true;
  section_first_ = interfaces_.size();
  if (!first) return {};
  options(body.subspan(16), [&](std::uint16_t code, Bytes value) {
    std::string text(value.begin(), value.end());
    if (code == kOptionComment)
      info_.section.comments.push_back(std::move(text));
    else if (code == kSectionHardware)
      info_.section.hardware = std::move(text);
    else if (code == kSectionOs)
      info_.section.os = std::move(text);
    else if (code == kSectionApplication)
      info_.section.application = std::move(text);
  });
  return {};
}

Result<void> CaptureFile::interface(Bytes body) {
  if (body.size() < 8) return fail(Errc::kMalformed, "an interface block is too short", where());
  if (interfaces_.size() >= kMaxInterfaces)
    return fail(Errc::kTooLarge, "more than 65536 interfaces", where());
  Interface added{};
  InterfaceInfo info;
  // Packets of an unknown link type are passed on; dissect() finds nothing in them.
  added.link = info.link = static_cast<LinkType>(u16(body, 0));
  added.snaplen = info.snaplen = u32(body, 4);
  added.resolution = 6;
  options(body.subspan(8), [&](std::uint16_t code, Bytes value) {
    if (code == kInterfaceTsResolution && !value.empty()) added.resolution = value[0];
    if (code == kInterfaceTsOffset && value.size() == 8)
      added.offset_s = static_cast<std::int64_t>(u64(value, 0));
    if (code == kInterfaceName) info.name.assign(value.begin(), value.end());
    if (code == kInterfaceFilter && value.size() > 1)
      info.filter.assign(value.begin() + 1, value.end());
  });
  interfaces_.push_back(added);
  info_.interfaces.push_back(std::move(info));
  return {};
}

Result<bool> CaptureFile::packet_of(std::uint32_t interface, std::uint64_t stamp,
                                    std::uint32_t original, Bytes bytes, PacketView& packet) {
  if (interface >= interfaces_.size() - section_first_)
    return fail(Errc::kMalformed,
                "a packet of interface " + std::to_string(interface) + ", which is not described",
                where());
  const Interface& from = interfaces_[section_first_ + interface];
  packet.at_ns = to_ns(stamp, from.resolution, from.offset_s);
  packet.link = from.link;
  packet.bytes = bytes;
  packet.original_length = original;
  return true;
}

Result<bool> CaptureFile::enhanced_packet(Bytes body, PacketView& packet) {
  if (body.size() < 20) return fail(Errc::kMalformed, "a packet block is too short", where());
  const std::uint32_t captured = u32(body, 12);
  if (captured > body.size() - 20)
    return fail(Errc::kMalformed,
                "a packet claims " + std::to_string(captured) + " bytes, its block has fewer",
                where());
  const std::uint64_t stamp = (std::uint64_t{u32(body, 4)} << 32U) | u32(body, 8);
  const std::size_t padded =
      std::min<std::size_t>((std::size_t{captured} + 3) & ~std::size_t{3}, body.size() - 20);
  if (body.size() > 20 + padded) {
    options(body.subspan(20 + padded), [&](std::uint16_t code, Bytes value) {
      if (code == kOptionComment && info_.packet_comments.size() < 1000)
        info_.packet_comments.emplace_back(value.begin(), value.end());
    });
  }
  return packet_of(u32(body, 0), stamp, u32(body, 16), body.subspan(20, captured), packet);
}

Result<bool> CaptureFile::obsolete_packet(Bytes body, PacketView& packet) {
  if (body.size() < 20) return fail(Errc::kMalformed, "a packet block is too short", where());
  const std::uint32_t captured = u32(body, 12);
  if (captured > body.size() - 20)
    return fail(Errc::kMalformed, "a packet claims more bytes than its block has", where());
  const std::uint64_t stamp = (std::uint64_t{u32(body, 4)} << 32U) | u32(body, 8);
  return packet_of(u16(body, 0), stamp, u32(body, 16), body.subspan(20, captured), packet);
}

// Has no stamp: 1970.
Result<bool> CaptureFile::simple_packet(Bytes body, PacketView& packet) {
  if (body.size() < 4) return fail(Errc::kMalformed, "a packet block is too short", where());
  const std::uint32_t original = u32(body, 0);
  std::size_t captured = std::min<std::size_t>(original, body.size() - 4);
  if (interfaces_.size() > section_first_ && interfaces_[section_first_].snaplen != 0)
    captured = std::min<std::size_t>(captured, interfaces_[section_first_].snaplen);
  return packet_of(0, 0, original, body.subspan(4, captured), packet);
}

Result<void> CaptureFile::statistics(Bytes body) {
  if (body.size() < 12) return fail(Errc::kMalformed, "a statistics block is too short", where());
  const std::uint32_t index = u32(body, 0);
  if (index >= interfaces_.size() - section_first_)
    return fail(Errc::kMalformed, "statistics of an interface that is not described", where());
  Interface& interface = interfaces_[section_first_ + index];
  options(body.subspan(12), [&](std::uint16_t code, Bytes value) {
    if (value.size() != 8) return;
    if (code == kStatisticsReceived) interface.received = u64(value, 0);
    if (code == kStatisticsDropped) interface.dropped = u64(value, 0);
  });
  return {};
}

void CaptureFile::secrets(Bytes body) {
  if (body.size() < 8 || u32(body, 0) != kTlsKeyLog) return;
  const std::size_t length = std::min<std::size_t>(u32(body, 4), body.size() - 8);
  if (info_.tls_keys.size() + length > kMaxKeptText) return;
  const Bytes text = body.subspan(8, length);
  info_.tls_keys.append(text.begin(), text.end());
}

void CaptureFile::sum_statistics() {
  info_.received.reset();
  info_.dropped.reset();
  for (const Interface& interface : interfaces_) {
    if (interface.received) info_.received = info_.received.value_or(0) + *interface.received;
    if (interface.dropped) info_.dropped = info_.dropped.value_or(0) + *interface.dropped;
  }
}

}  // namespace ktrial::capture
