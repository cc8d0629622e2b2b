// SPDX-License-Identifier: Apache-2.0
// The TCP life cycle as events and connection facts.
#include "capture/test_support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ktrial::capture {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class FlowTest : public ::testing::Test {
 protected:
  synth::Capture capture;
  synth::Tcp tcp{capture, kClientAt, kBrokerAt};
};

TEST_F(FlowTest, HandshakeExchangeAndPoliteClose) {
  tcp.handshake();
  tcp.send(Side::kClient, ask(1));
  tcp.send(Side::kBroker, answer(1));
  tcp.fin(Side::kClient);
  tcp.fin(Side::kBroker);
  tcp.ack(Side::kClient);
  const EventLog log = capture.analyze();
  EXPECT_THAT(types(log), ElementsAre("conn.attempt", "conn.open", "req", "resp", "conn.fin",
                                      "conn.fin", "conn.closed"));
  ASSERT_EQ(log.connections.size(), 1U);
  const Connection& connection = log.connections[0];
  EXPECT_EQ(connection.client, "127.0.0.1:40112");
  EXPECT_EQ(connection.server, "127.1.0.1:9092");
  EXPECT_EQ(connection.closer, "client");
  EXPECT_EQ(connection.close_kind, "fin");
  EXPECT_FALSE(connection.pending_data);
  EXPECT_EQ(connection.attempt_packet, 1U);
  EXPECT_EQ(connection.open_packet, 3U);
  EXPECT_EQ(connection.last_payload_packet, 5U);
  EXPECT_EQ(connection.client_end_packet, 6U);
  EXPECT_EQ(connection.broker_end_packet, 7U);
  EXPECT_EQ(*connection.closed_ns - *connection.attempt_ns, 6'000'000);
  EXPECT_THAT(log.stats.problems, IsEmpty());
}

TEST_F(FlowTest, ResponseNamesItsRequestAndLatency) {
  tcp.handshake();
  tcp.send(Side::kClient, ask(77, "my-client"));
  capture.pass_ms(9);
  tcp.send(Side::kBroker, answer(77));
  const EventLog log = capture.analyze();
  const Event* request = find(log, "req");
  const Event* response = find(log, "resp");
  ASSERT_TRUE(request != nullptr && response != nullptr);
  EXPECT_EQ(request->data.at("api"), "ApiVersions");
  EXPECT_EQ(request->data.at("client_id"), "my-client");
  EXPECT_EQ(request->data.at("correlation_id"), 77);
  EXPECT_EQ(request->data.at("bytes"), 19);
  EXPECT_EQ(response->data.at("api"), "ApiVersions");
  EXPECT_EQ(response->data.at("request_packet"), 4U);
  EXPECT_EQ(response->data.at("latency_ms"), 10.0);
}

TEST_F(FlowTest, RepeatedSynIsOneAttempt) {
  tcp.syn();
  for (int i = 0; i < 3; ++i) {
    capture.pass_ms(1000);
    tcp.raw({Side::kClient, 1000, 0, synth::kSyn, {}});
  }
  const EventLog log = capture.analyze();
  EXPECT_EQ(count(log, "conn.attempt"), 1U);
  ASSERT_EQ(log.connections.size(), 1U);
  EXPECT_EQ(log.connections[0].syn_retransmissions, 3U);
  EXPECT_FALSE(log.connections[0].open_ns);
  EXPECT_EQ(log.connections[0].close_kind, "");
}

TEST_F(FlowTest, SynAnsweredByRstIsRefused) {
  tcp.syn();
  tcp.rst(Side::kBroker);
  const EventLog log = capture.analyze();
  EXPECT_THAT(types(log), ElementsAre("conn.attempt", "conn.refused"));
  EXPECT_EQ(log.connections[0].close_kind, "refused");
  EXPECT_EQ(log.connections[0].closer, "broker");
  EXPECT_FALSE(log.connections[0].closed_ns);
}

TEST_F(FlowTest, SameAddressesWithANewSequenceNumberAreANewConnection) {
  tcp.syn();
  tcp.rst(Side::kBroker);
  synth::Tcp again(capture, kClientAt, kBrokerAt, 70000, 80000);
  again.handshake();
  again.send(Side::kClient, ask(1));
  const EventLog log = capture.analyze();
  ASSERT_EQ(log.connections.size(), 2U);
  EXPECT_EQ(count(log, "conn.attempt"), 2U);
  EXPECT_EQ(log.connections[0].close_kind, "refused");
  EXPECT_EQ(log.connections[1].requests, 1U);
}

TEST_F(FlowTest, ReusedAddressesAfterAnUnseenEnd) {
  tcp.handshake();
  tcp.send(Side::kClient, ask(1));
  synth::Tcp again(capture, kClientAt, kBrokerAt, 70000, 80000);
  again.handshake();
  again.send(Side::kClient, ask(2));
  again.send(Side::kBroker, answer(2));
  const EventLog log = capture.analyze();
  ASSERT_EQ(log.connections.size(), 2U);
  EXPECT_EQ(log.connections[0].unanswered, 1U);
  EXPECT_EQ(log.connections[1].responses, 1U);
  EXPECT_EQ(log.connections[1].unanswered, 0U);
}

TEST_F(FlowTest, BrokerResetWithAnOpenRequest) {
  tcp.handshake();
  tcp.send(Side::kClient, ask(1));
  tcp.rst(Side::kBroker);
  tcp.rst(Side::kBroker);
  const EventLog log = capture.analyze();
  EXPECT_THAT(types(log),
              ElementsAre("conn.attempt", "conn.open", "req", "conn.rst", "conn.closed"));
  const Connection& connection = log.connections[0];
  EXPECT_EQ(connection.closer, "broker");
  EXPECT_EQ(connection.close_kind, "rst");
  EXPECT_TRUE(connection.pending_data);
  EXPECT_EQ(connection.unanswered, 1U);
  EXPECT_EQ(find(log, "conn.rst")->data.at("by"), "broker");
}

TEST_F(FlowTest, OneSidedFinIsHalfClosed) {
  tcp.handshake();
  tcp.send(Side::kClient, ask(1));
  tcp.fin(Side::kBroker);
  tcp.ack(Side::kClient);
  const EventLog log = capture.analyze();
  EXPECT_EQ(log.connections[0].close_kind, "half");
  EXPECT_EQ(log.connections[0].closer, "broker");
  EXPECT_FALSE(log.connections[0].closed_ns);
  EXPECT_EQ(count(log, "conn.closed"), 0U);
}

TEST_F(FlowTest, AnswersStillCountAfterTheClientsFin) {
  tcp.handshake();
  tcp.send(Side::kClient, ask(1));
  tcp.fin(Side::kClient);
  tcp.send(Side::kBroker, answer(1));
  tcp.fin(Side::kBroker);
  const EventLog log = capture.analyze();
  EXPECT_THAT(types(log), ElementsAre("conn.attempt", "conn.open", "req", "conn.fin", "resp",
                                      "conn.fin", "conn.closed"));
  EXPECT_TRUE(log.connections[0].pending_data);
  EXPECT_EQ(log.connections[0].unanswered, 0U);
}

TEST_F(FlowTest, FinThenRstKeepsTheFirstCloser) {
  tcp.handshake();
  tcp.fin(Side::kClient);
  tcp.rst(Side::kBroker);
  const EventLog log = capture.analyze();
  EXPECT_EQ(log.connections[0].closer, "client");
  EXPECT_EQ(log.connections[0].close_kind, "fin");
  EXPECT_TRUE(log.connections[0].closed_ns);
}

TEST_F(FlowTest, RepeatedFinIsOneEvent) {
  tcp.handshake();
  tcp.fin(Side::kClient);
  tcp.raw({Side::kClient, 1001, 5001, synth::kFin | synth::kAck, {}});
  const EventLog log = capture.analyze();
  EXPECT_EQ(count(log, "conn.fin"), 1U);
}

TEST_F(FlowTest, KeepalivesOfBothFormsAreCounted) {
  tcp.handshake();
  tcp.send(Side::kClient, ask(1));
  tcp.send(Side::kBroker, answer(1));
  tcp.keepalive(Side::kClient);
  tcp.ack(Side::kBroker);
  tcp.keepalive(Side::kBroker, 1);
  tcp.ack(Side::kClient);
  const EventLog log = capture.analyze();
  EXPECT_EQ(log.connections[0].keepalive_probes, 2U);
  EXPECT_EQ(find(log, "tcp.keepalive", 0)->data.at("by"), "client");
  EXPECT_EQ(find(log, "tcp.keepalive", 1)->data.at("by"), "broker");
  EXPECT_EQ(log.connections[0].last_payload_packet, 5U);
  EXPECT_EQ(log.connections[0].retransmissions, 0U);
}

TEST_F(FlowTest, KeepaliveOfASilentConnection) {
  tcp.handshake();
  tcp.keepalive(Side::kClient);
  EXPECT_EQ(capture.analyze().connections[0].keepalive_probes, 1U);
}

TEST_F(FlowTest, RetransmissionChangesNothingButItsCounter) {
  tcp.handshake();
  const auto frame = ask(1);
  tcp.send(Side::kClient, frame);
  capture.pass_ms(200);
  tcp.raw({Side::kClient, 1001, 5001, synth::kAck, frame});
  tcp.send(Side::kBroker, answer(1));
  const EventLog log = capture.analyze();
  EXPECT_EQ(count(log, "req"), 1U);
  EXPECT_EQ(log.connections[0].retransmissions, 1U);
  EXPECT_EQ(log.connections[0].client_bytes, frame.size());
}

TEST_F(FlowTest, CopyOfAPacketIsNotARetransmission) {
  tcp.handshake();
  tcp.send(Side::kClient, ask(1));
  auto& packets = capture.packets();
  const std::vector<synth::Packet> once = packets;
  packets.clear();
  for (const auto& packet : once) {
    packets.push_back(packet);
    packets.push_back(packet);
    packets.back().at_ns += 1500;
  }
  const EventLog log = capture.analyze();
  EXPECT_THAT(types(log), ElementsAre("conn.attempt", "conn.open", "req"));
  EXPECT_EQ(log.connections[0].retransmissions, 0U);
  EXPECT_EQ(log.connections[0].syn_retransmissions, 0U);
}

TEST_F(FlowTest, LostPacketIsAGapAndTheNextFrameIsFound) {
  tcp.handshake();
  tcp.send(Side::kClient, ask(1));
  tcp.seq(Side::kClient) += 500;
  for (int i = 2; i < 6; ++i) {
    tcp.send(Side::kClient, ask(i));
    tcp.ack(Side::kBroker);
  }
  const EventLog log = capture.analyze();
  ASSERT_EQ(count(log, "tcp.gap"), 1U);
  EXPECT_EQ(find(log, "tcp.gap")->data.at("bytes"), 500);
  EXPECT_EQ(log.connections[0].gaps, 1U);
  EXPECT_EQ(count(log, "req"), 5U);
}

TEST_F(FlowTest, CaptureThatBeginsInTheMiddle) {
  const auto frame = ask(9);
  tcp.send(Side::kClient, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13});
  tcp.send(Side::kBroker, answer(8));
  tcp.send(Side::kClient, frame);
  tcp.send(Side::kBroker, answer(9));
  tcp.fin(Side::kBroker);
  const EventLog log = capture.analyze();
  EXPECT_THAT(types(log), ElementsAre("req", "resp", "conn.fin"));
  const Connection& connection = log.connections[0];
  EXPECT_EQ(connection.server, "127.1.0.1:9092");
  EXPECT_FALSE(connection.from_start);
  EXPECT_FALSE(connection.attempt_ns);
  EXPECT_THAT(log.stats.problems, IsEmpty());
}

TEST_F(FlowTest, ServerInTheMiddleIsFoundByTheRequestNotThePort) {
  synth::Tcp odd(capture, Endpoint::v4(0x7f000001, 3000), Endpoint::v4(0x7f010001, 49092));
  odd.send(Side::kClient, ask(1));
  odd.send(Side::kBroker, answer(1));
  const EventLog log = capture.analyze();
  EXPECT_EQ(log.connections[0].server, "127.1.0.1:49092");
  EXPECT_EQ(count(log, "resp"), 1U);
}

TEST_F(FlowTest, MissingSynAckDoesNotLoseTheAnswers) {
  tcp.syn();
  ++tcp.seq(Side::kBroker);
  tcp.ack(Side::kClient);
  tcp.send(Side::kClient, ask(1));
  tcp.send(Side::kBroker, answer(1));
  const EventLog log = capture.analyze();
  EXPECT_EQ(count(log, "resp"), 1U);
  EXPECT_TRUE(log.connections[0].open_ns);
}

TEST_F(FlowTest, SequenceWrapInTheMiddleOfAFrame) {
  synth::Tcp near(capture, kClientAt, kBrokerAt, 0xfffffff0U, 0xfffffffaU);
  near.handshake();
  near.send(Side::kClient, ask(1));
  near.send(Side::kBroker, answer(1));
  near.send(Side::kClient, ask(2));
  near.send(Side::kBroker, answer(2));
  const EventLog log = capture.analyze();
  EXPECT_EQ(count(log, "req"), 2U);
  EXPECT_EQ(count(log, "resp"), 2U);
  EXPECT_EQ(log.connections[0].gaps, 0U);
}

class LinkTypes : public ::testing::TestWithParam<LinkType> {};

TEST_P(LinkTypes, CarryTheSameConnection) {
  for (const bool v6 : {false, true}) {
    synth::Capture capture;
    capture.set_link(GetParam());
    const auto client = v6 ? *Endpoint::parse("[::1]:40000") : kClientAt;
    const auto broker = v6 ? *Endpoint::parse("[fd00::2]:9092") : kBrokerAt;
    synth::Tcp tcp(capture, client, broker);
    tcp.handshake();
    tcp.send(Side::kClient, ask(1));
    tcp.send(Side::kBroker, answer(1));
    capture.note(R"({"e":"mark","name":"quiet"})");
    const EventLog log = capture.analyze();
    EXPECT_THAT(types(log), ElementsAre("conn.attempt", "conn.open", "req", "resp", "mark"));
    EXPECT_EQ(log.connections[0].server, broker.to_string());
  }
}

INSTANTIATE_TEST_SUITE_P(All, LinkTypes,
                         ::testing::Values(LinkType::kEthernet, LinkType::kLinuxSll,
                                           LinkType::kLinuxSll2, LinkType::kRaw, LinkType::kNull));

}  // namespace
}  // namespace ktrial::capture
