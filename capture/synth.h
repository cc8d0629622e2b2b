// SPDX-License-Identifier: Apache-2.0
// Builds captures for tests and benchmarks: frames of TCP connections, byte by byte as asked,
// also in ways no kernel would send them.
#pragma once

#include "capture/analyzer.h"
#include "capture/conversation.h"
#include "capture/packet.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ktrial::capture::synth {

using Bytes = std::vector<std::uint8_t>;

struct Packet {
  std::int64_t at_ns = 0;
  LinkType link = LinkType::kEthernet;
  Bytes bytes;
  std::uint32_t original_length = 0;

  [[nodiscard]] PacketView view() const { return {at_ns, link, bytes, original_length}; }
};

inline constexpr std::uint8_t kFin = 1, kSyn = 2, kRst = 4, kAck = 16;

struct Segment {
  Side from = Side::kClient;
  std::uint32_t seq = 0, ack = 0;
  std::uint8_t flags = kAck;
  Bytes payload;
};

// An IPv4 or IPv6 frame of the given link type around a TCP segment or a UDP payload.
Bytes tcp_frame(LinkType link, const Endpoint& from, const Endpoint& to, const Segment& segment,
                std::uint16_t ip_id);
Bytes udp_frame(LinkType link, const Endpoint& from, const Endpoint& to, const Bytes& payload);

// Several connections' packets in the order of the calls, 1 ms apart unless told otherwise.
class Capture {
 public:
  static constexpr std::int64_t kStart = 1'700'000'000'000'000'000;

  void add(Bytes frame);
  void pass_ms(std::int64_t ms) { now_ns_ += ms * 1'000'000; }
  void set_link(LinkType link) { link_ = link; }
  [[nodiscard]] LinkType link() const { return link_; }
  void note(std::string_view json);

  std::vector<Packet>& packets() { return packets_; }
  [[nodiscard]] const std::vector<Packet>& packets() const { return packets_; }
  [[nodiscard]] EventLog analyze(AnalyzerOptions options = {}) const;

 private:
  friend class Tcp;
  LinkType link_ = LinkType::kEthernet;
  std::int64_t now_ns_ = kStart;
  std::uint16_t ip_id_ = 1;
  std::vector<Packet> packets_;
};

// A connection with its sequence numbers kept. raw() sends anything at all.
class Tcp {
 public:
  Tcp(Capture& capture, const Endpoint& client, const Endpoint& broker,
      std::uint32_t client_isn = 1000, std::uint32_t broker_isn = 5000);

  void syn();
  void syn_ack();
  void handshake();
  void send(Side from, const Bytes& payload);
  void ack(Side from);
  void fin(Side from);
  void rst(Side from);
  void keepalive(Side from, std::size_t length = 0);
  void raw(const Segment& segment);
  // The next sequence number of a side.
  std::uint32_t& seq(Side side) { return side == Side::kClient ? client_seq_ : broker_seq_; }

 private:
  Capture& capture_;
  Endpoint client_, broker_;
  std::uint32_t client_seq_, broker_seq_;
};

// Kafka frames with their length prefix.
Bytes request(std::int16_t key, std::int16_t version, std::int32_t correlation_id,
              std::string_view client_id, const Bytes& body, bool flexible = false);
Bytes response(std::int32_t correlation_id, const Bytes& body, bool flexible = false);
Bytes operator+(Bytes a, const Bytes& b);

// The classic pcap form of packets, in either byte order, with micro- or nanosecond stamps.
Bytes pcap_file(const std::vector<Packet>& packets, bool big_endian, bool nanoseconds);

}  // namespace ktrial::capture::synth
