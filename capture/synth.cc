// SPDX-License-Identifier: Apache-2.0
#include "capture/synth.h"

#include <algorithm>
#include <utility>

namespace ktrial::capture::synth {

namespace {

void put16(Bytes& out, std::uint32_t value) {
  out.push_back(static_cast<std::uint8_t>(value >> 8U));
  out.push_back(static_cast<std::uint8_t>(value));
}
void put32(Bytes& out, std::uint32_t value) {
  put16(out, value >> 16U);
  put16(out, value & 0xffffU);
}
void append(Bytes& out, const Bytes& more) { out.insert(out.end(), more.begin(), more.end()); }

Bytes ip_packet(const Endpoint& from, const Endpoint& to, std::uint8_t protocol,
                const Bytes& transport, std::uint16_t ip_id) {
  Bytes out;
  if (from.is_v4()) {
    out = {0x45, 0};
    put16(out, static_cast<std::uint32_t>(20 + transport.size()));
    put16(out, ip_id);
    put16(out, 0x4000);
    out.push_back(64);
    out.push_back(protocol);
    put16(out, 0);
    out.insert(out.end(), from.address.begin() + 12, from.address.end());
    out.insert(out.end(), to.address.begin() + 12, to.address.end());
  } else {
    out = {0x60, 0, 0, 0};
    put16(out, static_cast<std::uint32_t>(transport.size()));
    out.push_back(protocol);
    out.push_back(64);
    out.insert(out.end(), from.address.begin(), from.address.end());
    out.insert(out.end(), to.address.begin(), to.address.end());
  }
  append(out, transport);
  return out;
}

Bytes framed(LinkType link, const Bytes& ip) {
  Bytes out;
  const std::uint32_t type = (ip[0] >> 4U) == 4 ? 0x0800 : 0x86dd;
  switch (link) {
    case LinkType::kEthernet:
      out.assign(12, 0);
      put16(out, type);
      break;
    case LinkType::kLinuxSll:
      out.assign(14, 0);
      put16(out, type);
      break;
    case LinkType::kLinuxSll2:
      put16(out, type);
      out.resize(20, 0);
      break;
    case LinkType::kNull:
    case LinkType::kLoop:
      out = {2, 0, 0, 0};
      break;
    case LinkType::kRaw:
    case LinkType::kRawBsd:
    case LinkType::kRawIpv4:
    case LinkType::kRawIpv6:
      break;
  }
  append(out, ip);
  return out;
}

}  // namespace

Bytes tcp_frame(LinkType link, const Endpoint& from, const Endpoint& to, const Segment& segment,
                std::uint16_t ip_id) {
  Bytes tcp;
  put16(tcp, from.port);
  put16(tcp, to.port);
  put32(tcp, segment.seq);
  put32(tcp, segment.ack);
  tcp.push_back(0x50);
  tcp.push_back(segment.flags);
  put16(tcp, 512);
  put32(tcp, 0);
  append(tcp, segment.payload);
  return framed(link, ip_packet(from, to, 6, tcp, ip_id));
}

Bytes udp_frame(LinkType link, const Endpoint& from, const Endpoint& to, const Bytes& payload) {
  Bytes udp;
  put16(udp, from.port);
  put16(udp, to.port);
  put16(udp, static_cast<std::uint32_t>(8 + payload.size()));
  put16(udp, 0);
  append(udp, payload);
  return framed(link, ip_packet(from, to, 17, udp, 7));
}

void Capture::add(Bytes frame) {
  Packet packet;
  packet.at_ns = now_ns_;
  packet.link = link_;
  packet.original_length = static_cast<std::uint32_t>(frame.size());
  packet.bytes = std::move(frame);
  packets_.push_back(std::move(packet));
  pass_ms(1);
}

void Capture::note(std::string_view json) {
  add(udp_frame(link_, Endpoint::v4(0x7f000001, 40000), Endpoint::v4(0x7f000001, 9),
                Bytes(json.begin(), json.end())));
}

EventLog Capture::analyze(AnalyzerOptions options) const {
  Analyzer analyzer(std::move(options));
  std::uint64_t number = 0;
  for (const Packet& packet : packets_) analyzer.packet(packet.view(), ++number);
  analyzer.finish();
  return analyzer.take_log();
}

Tcp::Tcp(Capture& capture, const Endpoint& client, const Endpoint& broker, std::uint32_t client_isn,
         std::uint32_t broker_isn)
    : capture_(capture),
      client_(client),
      broker_(broker),
      client_seq_(client_isn),
      broker_seq_(broker_isn) {}

void Tcp::raw(const Segment& segment) {
  const bool up = segment.from == Side::kClient;
  capture_.add(tcp_frame(capture_.link(), up ? client_ : broker_, up ? broker_ : client_, segment,
                         capture_.ip_id_++));
}

void Tcp::syn() {
  raw({Side::kClient, client_seq_, 0, kSyn, {}});
  ++client_seq_;
}

void Tcp::syn_ack() {
  raw({Side::kBroker, broker_seq_, client_seq_, kSyn | kAck, {}});
  ++broker_seq_;
}

void Tcp::handshake() {
  syn();
  syn_ack();
  ack(Side::kClient);
}

void Tcp::send(Side from, const Bytes& payload) {
  raw({from, seq(from), seq(from == Side::kClient ? Side::kBroker : Side::kClient), kAck, payload});
  seq(from) += static_cast<std::uint32_t>(payload.size());
}

void Tcp::ack(Side from) { send(from, {}); }

void Tcp::fin(Side from) {
  raw({from,
       seq(from),
       seq(from == Side::kClient ? Side::kBroker : Side::kClient),
       kFin | kAck,
       {}});
  ++seq(from);
}

void Tcp::rst(Side from) {
  raw({from,
       seq(from),
       seq(from == Side::kClient ? Side::kBroker : Side::kClient),
       kRst | kAck,
       {}});
}

void Tcp::keepalive(Side from, std::size_t length) {
  raw({from, seq(from) - 1, seq(from == Side::kClient ? Side::kBroker : Side::kClient), kAck,
       Bytes(length, 0)});
}

Bytes operator+(Bytes a, const Bytes& b) {
  append(a, b);
  return a;
}

Bytes request(std::int16_t key, std::int16_t version, std::int32_t correlation_id,
              std::string_view client_id, const Bytes& body, bool flexible) {
  Bytes frame;
  put16(frame, static_cast<std::uint16_t>(key));
  put16(frame, static_cast<std::uint16_t>(version));
  put32(frame, static_cast<std::uint32_t>(correlation_id));
  put16(frame, static_cast<std::uint32_t>(client_id.size()));
  frame.insert(frame.end(), client_id.begin(), client_id.end());
  if (flexible) frame.push_back(0);
  append(frame, body);
  Bytes out;
  put32(out, static_cast<std::uint32_t>(frame.size()));
  append(out, frame);
  return out;
}

Bytes response(std::int32_t correlation_id, const Bytes& body, bool flexible) {
  Bytes out;
  put32(out, static_cast<std::uint32_t>(4 + (flexible ? 1 : 0) + body.size()));
  put32(out, static_cast<std::uint32_t>(correlation_id));
  if (flexible) out.push_back(0);
  append(out, body);
  return out;
}

Bytes pcap_file(const std::vector<Packet>& packets, bool big_endian, bool nanoseconds) {
  Bytes out;
  const auto word = [&](std::uint32_t value) {
    put32(out, big_endian ? value : __builtin_bswap32(value));
  };
  word(nanoseconds ? 0xa1b23c4d : 0xa1b2c3d4);
  word(big_endian ? 0x00020004 : 0x00040002);
  word(0);
  word(0);
  word(262144);
  word(packets.empty() ? 1 : static_cast<std::uint32_t>(packets[0].link));
  for (const Packet& packet : packets) {
    word(static_cast<std::uint32_t>(packet.at_ns / 1'000'000'000));
    word(static_cast<std::uint32_t>(packet.at_ns % 1'000'000'000 / (nanoseconds ? 1 : 1000)));
    word(static_cast<std::uint32_t>(packet.bytes.size()));
    word(packet.original_length);
    append(out, packet.bytes);
  }
  return out;
}

}  // namespace ktrial::capture::synth
