// SPDX-License-Identifier: Apache-2.0
// From a captured frame to a TCP segment or a UDP datagram: Ethernet (with VLAN tags), Linux
// cooked v1 and v2, raw IP and BSD null; IPv4 and IPv6. Checksums are not looked at: on loopback
// they are never filled in. Views point into the packet.
#pragma once

#include "capture/packet.h"

#include <cstdint>
#include <span>
#include <variant>

namespace ktrial::capture {

struct TcpView {
  Endpoint source, destination;
  std::uint32_t seq = 0, ack = 0;
  bool fin = false, syn = false, rst = false, has_ack = false;
  std::span<const std::uint8_t> payload;  // what was captured of it
  std::uint32_t payload_length = 0;       // what was sent; more than payload.size() when snapped
  // Equal for two copies of one transmission (one packet seen at two taps), not for a
  // retransmission: over the IP identification, the whole TCP header and the length.
  std::uint64_t copy_tag = 0;
};

struct UdpView {
  Endpoint source, destination;
  std::span<const std::uint8_t> payload;
  bool complete = true;  // false: the snap length cut it
};

// monostate: neither TCP nor UDP, a later fragment, or too short to say.
using TransportView = std::variant<std::monostate, TcpView, UdpView>;

TransportView dissect(const PacketView& packet);

// Whether dissect() knows the link type.
bool known_link_type(std::uint32_t value);

}  // namespace ktrial::capture
