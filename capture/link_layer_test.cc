// SPDX-License-Identifier: Apache-2.0
#include "capture/link_layer.h"

#include "capture/test_support.h"

#include <gtest/gtest.h>

#include <random>

namespace ktrial::capture {
namespace {

using synth::Bytes;

Bytes tcp_frame(const Bytes& payload, LinkType link = LinkType::kEthernet) {
  return synth::tcp_frame(link, kClientAt, kBrokerAt,
                          {Side::kClient, 7, 8, synth::kAck | synth::kFin, payload}, 77);
}

TransportView view_of(const Bytes& bytes, LinkType link = LinkType::kEthernet,
                      std::uint32_t original = 0) {
  PacketView packet;
  packet.link = link;
  packet.bytes = bytes;
  packet.original_length = original == 0 ? static_cast<std::uint32_t>(bytes.size()) : original;
  return dissect(packet);
}

TEST(LinkLayer, TcpFieldsAreRead) {
  const Bytes frame = tcp_frame({1, 2, 3});
  const auto view = view_of(frame);
  const auto* tcp = std::get_if<TcpView>(&view);
  ASSERT_NE(tcp, nullptr);
  EXPECT_EQ(tcp->source, kClientAt);
  EXPECT_EQ(tcp->destination, kBrokerAt);
  EXPECT_EQ(tcp->seq, 7U);
  EXPECT_EQ(tcp->ack, 8U);
  EXPECT_TRUE(tcp->fin && tcp->has_ack && !tcp->syn && !tcp->rst);
  EXPECT_EQ(Bytes(tcp->payload.begin(), tcp->payload.end()), (Bytes{1, 2, 3}));
}

TEST(LinkLayer, EthernetPaddingIsNoPayload) {
  Bytes frame = tcp_frame({});
  frame.resize(60, 0);
  const auto view = view_of(frame);
  EXPECT_EQ(std::get<TcpView>(view).payload_length, 0U);
  EXPECT_TRUE(std::get<TcpView>(view).payload.empty());
}

TEST(LinkLayer, VlanTagsAreStepped) {
  const Bytes plain = tcp_frame({9});
  Bytes frame(plain.begin(), plain.begin() + 12);
  const Bytes tags{0x88, 0xa8, 0, 5, 0x81, 0, 0, 6};
  frame.insert(frame.end(), tags.begin(), tags.end());
  frame.insert(frame.end(), plain.begin() + 12, plain.end());
  const auto view = view_of(frame);
  EXPECT_EQ(std::get<TcpView>(view).payload_length, 1U);
}

TEST(LinkLayer, SnappedPayloadKeepsItsLength) {
  Bytes frame = tcp_frame(Bytes(100, 1));
  const auto original = static_cast<std::uint32_t>(frame.size());
  frame.resize(60);
  const auto view = view_of(frame, LinkType::kEthernet, original);
  EXPECT_EQ(std::get<TcpView>(view).payload.size(), 6U);
  EXPECT_EQ(std::get<TcpView>(view).payload_length, 100U);
}

TEST(LinkLayer, LaterFragmentsAreNotTransport) {
  Bytes frame = tcp_frame({1});
  frame[14 + 6] = 0x20;
  EXPECT_EQ(view_of(frame).index(), 1U);  // the first fragment still has the header
  frame[14 + 7] = 0x10;
  EXPECT_EQ(view_of(frame).index(), 0U);
}

TEST(LinkLayer, ZeroTotalLengthIsOffload) {
  Bytes frame = tcp_frame(Bytes(50, 1));
  frame[14 + 2] = frame[14 + 3] = 0;
  EXPECT_EQ(std::get<TcpView>(view_of(frame)).payload_length, 50U);
}

TEST(LinkLayer, RetransmissionHasAnotherCopyTag) {
  const synth::Segment segment{Side::kClient, 7, 8, synth::kAck, {1}};
  const auto tag = [&](std::uint16_t id) {
    const Bytes frame = synth::tcp_frame(LinkType::kEthernet, kClientAt, kBrokerAt, segment, id);
    return std::get<TcpView>(view_of(frame)).copy_tag;
  };
  EXPECT_EQ(tag(5), tag(5));
  EXPECT_NE(tag(5), tag(6));
}

TEST(LinkLayer, CutPacketsAreNothingOrLess) {
  const Bytes frame = tcp_frame({1, 2, 3});
  for (std::size_t size = 0; size < frame.size(); ++size) {
    const Bytes cut(frame.begin(), frame.begin() + static_cast<std::ptrdiff_t>(size));
    const auto view = view_of(cut, LinkType::kEthernet, static_cast<std::uint32_t>(frame.size()));
    EXPECT_EQ(std::holds_alternative<TcpView>(view), size >= 14 + 20 + 20) << size;
  }
}

TEST(LinkLayer, AnyBytesAreSafe) {
  std::mt19937 random(2);
  for (int round = 0; round < 50000; ++round) {
    Bytes bytes(random() % 120);
    for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random());
    if (!bytes.empty() && round % 2 == 0) bytes[0] = round % 4 == 0 ? 0x45 : 0x60;
    view_of(bytes, LinkType::kRaw);
    view_of(bytes, LinkType::kEthernet);
    view_of(bytes, static_cast<LinkType>(random() & 0xffffU));
  }
}

TEST(Endpoint, TextForms) {
  EXPECT_EQ(Endpoint::parse("127.0.0.1:9092")->to_string(), "127.0.0.1:9092");
  EXPECT_EQ(Endpoint::parse("[::1]:9092")->to_string(), "[::1]:9092");
  EXPECT_EQ(Endpoint::parse("localhost:1")->to_string(), "127.0.0.1:1");
  for (const char* bad : {"", "127.0.0.1", "127.0.0.1:", "127.0.0.1:70000", "host:9", "1.2.3.4:5x"})
    EXPECT_FALSE(Endpoint::parse(bad)) << bad;
}

}  // namespace
}  // namespace ktrial::capture
