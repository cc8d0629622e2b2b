// SPDX-License-Identifier: Apache-2.0
#include "capture/link_layer.h"

#include <algorithm>
#include <cstring>
#include <optional>

namespace ktrial::capture {

namespace {

using Bytes = std::span<const std::uint8_t>;

constexpr std::uint16_t kEtherIpv4 = 0x0800, kEtherIpv6 = 0x86dd;
constexpr std::uint16_t kEtherVlan = 0x8100, kEtherQinQ = 0x88a8;
constexpr std::uint8_t kProtocolTcp = 6, kProtocolUdp = 17;

std::uint16_t be16(Bytes bytes, std::size_t at) {
  return static_cast<std::uint16_t>((bytes[at] << 8) | bytes[at + 1]);
}
std::uint32_t be32(Bytes bytes, std::size_t at) {
  return (std::uint32_t{be16(bytes, at)} << 16) | be16(bytes, at + 2);
}

struct Network {
  Bytes bytes;                // from the IP header on
  std::size_t wire_size = 0;  // the same on the wire
};

// The IP header's place, 0 or the version nibble decides between the families later.
std::optional<Network> strip_link(const PacketView& packet) {
  const Bytes all = packet.bytes;
  const std::size_t wire = std::max<std::size_t>(packet.original_length, all.size());
  const auto from = [&](std::size_t offset) -> std::optional<Network> {
    if (all.size() <= offset) return std::nullopt;
    return Network{all.subspan(offset), wire - offset};
  };
  const auto is_ip = [](std::uint16_t type) { return type == kEtherIpv4 || type == kEtherIpv6; };
  switch (packet.link) {
    case LinkType::kEthernet: {
      std::size_t at = 12;
      for (int tags = 0; tags < 3; ++tags, at += 4) {
        if (all.size() < at + 2) return std::nullopt;
        const std::uint16_t type = be16(all, at);
        if (is_ip(type)) return from(at + 2);
        if (type != kEtherVlan && type != kEtherQinQ) return std::nullopt;
      }
      return std::nullopt;
    }
    case LinkType::kLinuxSll:
      if (all.size() < 16 || !is_ip(be16(all, 14))) return std::nullopt;
      return from(16);
    case LinkType::kLinuxSll2:
      if (all.size() < 20 || !is_ip(be16(all, 0))) return std::nullopt;
      return from(20);
    case LinkType::kNull:
    case LinkType::kLoop:
      return from(4);  // the address family's byte order is the writer's; the version nibble is not
    case LinkType::kRaw:
    case LinkType::kRawBsd:
    case LinkType::kRawIpv4:
    case LinkType::kRawIpv6:
      return from(0);
  }
  return std::nullopt;
}

struct Transport {
  std::uint8_t protocol = 0;
  Endpoint source, destination;
  Bytes bytes;
  std::size_t wire_size = 0;
  std::uint32_t identification = 0;
};

std::optional<Transport> strip_ipv4(const Network& net) {
  if (net.bytes.size() < 20) return std::nullopt;
  const std::size_t header = (net.bytes[0] & 0x0fU) * 4U;
  if (header < 20 || net.bytes.size() < header) return std::nullopt;
  if ((be16(net.bytes, 6) & 0x1fffU) != 0) return std::nullopt;  // a later fragment
  std::size_t total = be16(net.bytes, 2);
  if (total == 0) total = net.wire_size;  // segmentation offload beyond 64 KiB
  if (total < header) return std::nullopt;
  total = std::min(total, net.wire_size);
  Transport out;
  out.protocol = net.bytes[9];
  out.identification = be16(net.bytes, 4);
  out.source = Endpoint::v4(be32(net.bytes, 12), 0);
  out.destination = Endpoint::v4(be32(net.bytes, 16), 0);
  out.bytes =
      net.bytes.subspan(header, std::min(net.bytes.size(), std::max(total, header)) - header);
  out.wire_size = total - header;
  return out;
}

std::optional<Transport> strip_ipv6(const Network& net) {
  if (net.bytes.size() < 40) return std::nullopt;
  std::size_t total = std::size_t{be16(net.bytes, 4)} + 40;
  if (total == 40) total = net.wire_size;
  total = std::min(total, net.wire_size);
  const Bytes bytes = net.bytes.first(std::min(net.bytes.size(), total));
  Transport out;
  std::copy_n(bytes.begin() + 8, 16, out.source.address.begin());
  std::copy_n(bytes.begin() + 24, 16, out.destination.address.begin());
  std::uint8_t next = bytes[6];
  std::size_t at = 40;
  for (int headers = 0; headers < 8; ++headers) {
    const bool options = next == 0 || next == 43 || next == 60;
    const bool fragment = next == 44;
    if (!options && !fragment) break;
    if (bytes.size() < at + 8) return std::nullopt;
    if (fragment && (be16(bytes, at + 2) & 0xfff8U) != 0) return std::nullopt;
    next = bytes[at];
    at += fragment ? 8U : (std::size_t{bytes[at + 1]} + 1) * 8U;
  }
  if (at > bytes.size() || at > total) return std::nullopt;
  out.protocol = next;
  out.bytes = bytes.subspan(at);
  out.wire_size = total - at;
  return out;
}

std::uint64_t copy_tag_of(Bytes header, std::uint32_t identification, std::uint32_t length) {
  std::uint64_t tag = 0x9e3779b97f4a7c15ULL ^ identification ^ (std::uint64_t{length} << 32U);
  for (std::size_t at = 0; at < header.size(); at += 4)  // a TCP header is a multiple of 4 bytes
    tag = (tag ^ be32(header, at)) * 0xff51afd7ed558ccdULL;
  return tag ^ (tag >> 32);
}

}  // namespace

bool known_link_type(std::uint32_t value) {
  switch (static_cast<LinkType>(value)) {
    case LinkType::kNull:
    case LinkType::kEthernet:
    case LinkType::kRawBsd:
    case LinkType::kRaw:
    case LinkType::kLoop:
    case LinkType::kLinuxSll:
    case LinkType::kRawIpv4:
    case LinkType::kRawIpv6:
    case LinkType::kLinuxSll2:
      return value <= 0xffff;
  }
  return false;
}

TransportView dissect(const PacketView& packet) {
  const auto net = strip_link(packet);
  if (!net) return {};
  const unsigned version = net->bytes[0] >> 4U;
  std::optional<Transport> ip;
  if (version == 4) ip = strip_ipv4(*net);
  if (version == 6) ip = strip_ipv6(*net);
  if (!ip) return {};
  const Bytes bytes = ip->bytes;
  if (ip->protocol == kProtocolTcp) {
    if (bytes.size() < 20) return {};
    const std::size_t header = (bytes[12] >> 4U) * 4U;
    if (header < 20 || ip->wire_size < header) return {};
    TcpView tcp;
    tcp.source = ip->source;
    tcp.destination = ip->destination;
    tcp.source.port = be16(bytes, 0);
    tcp.destination.port = be16(bytes, 2);
    tcp.seq = be32(bytes, 4);
    tcp.ack = be32(bytes, 8);
    const std::uint8_t flags = bytes[13];
    tcp.fin = (flags & 0x01U) != 0;
    tcp.syn = (flags & 0x02U) != 0;
    tcp.rst = (flags & 0x04U) != 0;
    tcp.has_ack = (flags & 0x10U) != 0;
    if (bytes.size() > header) tcp.payload = bytes.subspan(header);
    tcp.payload_length = static_cast<std::uint32_t>(ip->wire_size - header);
    const std::size_t seen = std::min(header, bytes.size());
    tcp.copy_tag =
        copy_tag_of(bytes.first(seen - seen % 4), ip->identification, tcp.payload_length);
    return tcp;
  }
  if (ip->protocol == kProtocolUdp) {
    if (bytes.size() < 8) return {};
    UdpView udp;
    udp.source = ip->source;
    udp.destination = ip->destination;
    udp.source.port = be16(bytes, 0);
    udp.destination.port = be16(bytes, 2);
    const std::size_t length = std::max<std::size_t>(be16(bytes, 4), 8);
    udp.complete = bytes.size() >= length;
    udp.payload = bytes.subspan(8, std::min(length, bytes.size()) - 8);
    return udp;
  }
  return {};
}

}  // namespace ktrial::capture
