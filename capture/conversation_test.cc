// SPDX-License-Identifier: Apache-2.0
// Kafka framing and pairing, through the whole analyser.
#include "capture/test_support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ktrial::capture {
namespace {

using synth::Bytes;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using synth::operator+;

class ConversationTest : public ::testing::Test {
 protected:
  ConversationTest() { tcp.handshake(); }
  void cut_in(Side side, const Bytes& bytes, std::size_t first) {
    tcp.send(side, Bytes(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(first)));
    tcp.send(side, Bytes(bytes.begin() + static_cast<std::ptrdiff_t>(first), bytes.end()));
  }
  synth::Capture capture;
  synth::Tcp tcp{capture, kClientAt, kBrokerAt};
};

TEST_F(ConversationTest, SeveralFramesInOneSegment) {
  tcp.send(Side::kClient, ask(1) + ask(2) + ask(3));
  tcp.send(Side::kBroker, answer(1) + answer(2));
  tcp.send(Side::kBroker, answer(3));
  const EventLog log = capture.analyze();
  EXPECT_EQ(count(log, "req"), 3U);
  EXPECT_EQ(count(log, "resp"), 3U);
  EXPECT_EQ(log.connections[0].unanswered, 0U);
}

TEST(Conversation, FramesSplitAtEveryByte) {
  const Bytes up = ask(1) + ask(2);
  const Bytes down = answer(1) + answer(2);
  for (std::size_t first = 1; first < up.size(); ++first) {
    synth::Capture capture;
    synth::Tcp tcp(capture, kClientAt, kBrokerAt);
    tcp.handshake();
    const auto half = static_cast<std::ptrdiff_t>(first);
    tcp.send(Side::kClient, Bytes(up.begin(), up.begin() + half));
    tcp.send(Side::kClient, Bytes(up.begin() + half, up.end()));
    const auto other = static_cast<std::ptrdiff_t>(first % (down.size() - 1) + 1);
    tcp.send(Side::kBroker, Bytes(down.begin(), down.begin() + other));
    tcp.send(Side::kBroker, Bytes(down.begin() + other, down.end()));
    const EventLog log = capture.analyze();
    ASSERT_EQ(count(log, "req"), 2U) << first;
    ASSERT_EQ(count(log, "resp"), 2U) << first;
    ASSERT_THAT(log.stats.problems, IsEmpty());
  }
}

TEST_F(ConversationTest, OneByteAtATime) {
  for (const std::uint8_t byte : ask(1)) tcp.send(Side::kClient, {byte});
  for (const std::uint8_t byte : answer(1)) tcp.send(Side::kBroker, {byte});
  const EventLog log = capture.analyze();
  EXPECT_EQ(count(log, "req"), 1U);
  EXPECT_EQ(count(log, "resp"), 1U);
  EXPECT_EQ(log.connections[0].keepalive_probes, 0U);
}

TEST_F(ConversationTest, NegativeLengthStopsThatDirection) {
  tcp.send(Side::kClient, ask(1));
  tcp.send(Side::kBroker, {0xff, 0xff, 0xff, 0xfe, 1, 2, 3, 4});
  tcp.send(Side::kBroker, answer(1));
  tcp.send(Side::kClient, ask(2));
  const EventLog log = capture.analyze();
  EXPECT_EQ(count(log, "resp"), 0U);
  EXPECT_EQ(count(log, "req"), 2U);
  EXPECT_THAT(log.stats.problems, ElementsAre(HasSubstr("frame length of -2")));
}

TEST_F(ConversationTest, HugeLengthStopsThatDirection) {
  tcp.send(Side::kClient, {0x7f, 0xff, 0xff, 0xff, 0, 0, 0, 0});
  const EventLog log = capture.analyze();
  EXPECT_EQ(count(log, "req"), 0U);
  EXPECT_THAT(log.stats.problems, ElementsAre(HasSubstr("conn#0: client sent a frame length")));
}

TEST_F(ConversationTest, OtherProtocolsAreReportedOnce) {
  const std::string http = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
  tcp.send(Side::kClient, Bytes(http.begin(), http.end()));
  tcp.send(Side::kClient, Bytes(http.begin(), http.end()));
  EXPECT_THAT(capture.analyze().stats.problems, SizeIs(1));
}

TEST_F(ConversationTest, ProduceWithoutAcksWantsNoResponse) {
  // Produce v3: transactional id null, acks 0, timeout, no topics.
  const Bytes body{0xff, 0xff, 0, 0, 0, 0, 0x75, 0x30, 0, 0, 0, 0};
  tcp.send(Side::kClient, synth::request(0, 3, 1, "c", body));
  tcp.send(Side::kClient, ask(2));
  tcp.send(Side::kBroker, answer(2));
  const EventLog log = capture.analyze();
  EXPECT_EQ(find(log, "req")->data.at("no_response"), true);
  EXPECT_EQ(find(log, "resp")->data.at("correlation_id"), 2);
  EXPECT_EQ(log.connections[0].unanswered, 0U);
  EXPECT_THAT(log.stats.problems, IsEmpty());
}

TEST_F(ConversationTest, SkippedRequestIsReported) {
  tcp.send(Side::kClient, ask(1) + ask(2));
  tcp.send(Side::kBroker, answer(2));
  const EventLog log = capture.analyze();
  EXPECT_EQ(count(log, "resp"), 1U);
  EXPECT_EQ(log.connections[0].unanswered, 1U);
  EXPECT_THAT(log.stats.problems, ElementsAre(HasSubstr("correlation id 1")));
}

TEST_F(ConversationTest, ResponseToNothingIsUnmatched) {
  tcp.send(Side::kClient, ask(1));
  tcp.send(Side::kBroker, answer(99) + answer(1));
  const EventLog log = capture.analyze();
  EXPECT_EQ(find(log, "resp", 0)->data.at("unmatched"), true);
  EXPECT_EQ(find(log, "resp", 1)->data.at("api"), "ApiVersions");
  EXPECT_THAT(log.stats.problems, SizeIs(1));
}

TEST_F(ConversationTest, UnknownApiAfterKnownOnesIsStillPaired) {
  tcp.send(Side::kClient, ask(1) + synth::request(999, 0, 2, "c", {1, 2, 3}));
  tcp.send(Side::kBroker, answer(1) + answer(2));
  const EventLog log = capture.analyze();
  EXPECT_EQ(find(log, "req", 1)->data.at("api"), "Unknown(999)");
  EXPECT_EQ(find(log, "resp", 1)->data.at("api"), "Unknown(999)");
}

TEST_F(ConversationTest, TlsIsNoticedAndLeftAlone) {
  tcp.send(Side::kClient, {0x16, 0x03, 0x01, 0x02, 0x00, 0x01});
  tcp.send(Side::kBroker, {0x16, 0x03, 0x03, 0x00, 0x7a, 0x02});
  tcp.fin(Side::kClient);
  const EventLog log = capture.analyze();
  EXPECT_THAT(types(log), ElementsAre("conn.attempt", "conn.open", "tls.hello", "conn.fin"));
  EXPECT_TRUE(log.connections[0].tls);
  EXPECT_THAT(log.stats.problems, IsEmpty());
}

TEST_F(ConversationTest, RawSaslTokensAfterTheOldHandshake) {
  tcp.send(Side::kClient, synth::request(17, 0, 1, "c", {0, 5, 'P', 'L', 'A', 'I', 'N'}));
  tcp.send(Side::kBroker, synth::response(1, {0, 0, 0, 0, 0, 0}));
  tcp.send(Side::kClient, {0, 0, 0, 4, 0, 'u', 0, 'p'});
  tcp.send(Side::kBroker, {0, 0, 0, 0});
  tcp.send(Side::kClient, ask(2));
  tcp.send(Side::kBroker, answer(2));
  const EventLog log = capture.analyze();
  EXPECT_EQ(count(log, "sasl.token"), 2U);
  EXPECT_EQ(count(log, "req"), 2U);
  EXPECT_EQ(count(log, "resp"), 2U);
  EXPECT_THAT(log.stats.problems, IsEmpty());
}

TEST_F(ConversationTest, HeaderOnlyCaptureStillPairs) {
  tcp.send(Side::kClient, synth::request(18, 0, 1, "c1", Bytes(3000, 7)) + ask(2));
  tcp.send(Side::kBroker, synth::response(1, Bytes(4000, 0)));
  tcp.send(Side::kClient, ask(3));
  tcp.send(Side::kBroker, answer(3));
  for (auto& packet : capture.packets())
    packet.bytes.resize(std::min<std::size_t>(packet.bytes.size(), 128));
  const EventLog log = capture.analyze();
  EXPECT_EQ(find(log, "req")->data.at("bytes"), 3012);
  EXPECT_THAT(std::string(std::string_view(find(log, "req")->data.at("undecoded").get_string())),
              HasSubstr("captured"));
  EXPECT_EQ(count(log, "resp"), 2U);
  EXPECT_EQ(count(log, "tcp.gap"), 0U);
}

TEST_F(ConversationTest, FrameOverManySegmentsIsCompleteAtItsLast) {
  const Bytes frame = synth::request(18, 0, 1, "c1", Bytes(5000, 7));
  for (std::size_t at = 0; at < frame.size(); at += 1000) {
    const auto end = std::min(frame.size(), at + 1000);
    tcp.send(Side::kClient, Bytes(frame.begin() + static_cast<std::ptrdiff_t>(at),
                                  frame.begin() + static_cast<std::ptrdiff_t>(end)));
  }
  const EventLog log = capture.analyze();
  ASSERT_EQ(count(log, "req"), 1U);
  EXPECT_EQ(find(log, "req")->packet, 9U);
}

}  // namespace
}  // namespace ktrial::capture
