// SPDX-License-Identifier: Apache-2.0
// Notes, roles, brokers and the order of the log.
#include "capture/analyzer.h"

#include "capture/note_codec.h"
#include "capture/test_support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace ktrial::capture {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::string_view kLayout =
    R"({"e":"layout","brokers":[{"id":1,"host":"127.1.0.1","port":9092},)"
    R"({"id":2,"host":"127.1.0.2","port":9092}],"bootstrap":["127.1.0.1:9092"],)"
    R"("topics":{"t":{"leaders":[1,2]}},"coordinator":2})";
const Endpoint kBroker2At = Endpoint::v4(0x7f010002, 9092);

synth::Bytes metadata_request(std::int32_t correlation_id, std::string_view client_id) {
  return synth::request(3, 1, correlation_id, client_id, {0, 0, 0, 0});
}
// v1 with one broker, id 7 at `host`.
synth::Bytes metadata_response(std::int32_t correlation_id, std::string_view host) {
  synth::Bytes body{0, 0, 0, 1, 0, 0, 0, 7, 0, static_cast<std::uint8_t>(host.size())};
  body.insert(body.end(), host.begin(), host.end());
  const synth::Bytes tail{0, 0, 0x23, 0x84, 0xff, 0xff, 0, 0, 0, 7, 0, 0, 0, 0};
  body.insert(body.end(), tail.begin(), tail.end());
  return synth::response(correlation_id, body);
}

TEST(Analyzer, NotesBecomeEvents) {
  synth::Capture capture;
  capture.note(kLayout);
  capture.note(R"({"e":"mark","name":"quiet"})");
  capture.note(R"({"e":"broker.act","broker":2,"do":"refuse"})");
  const EventLog log = capture.analyze();
  EXPECT_THAT(types(log), ElementsAre("layout", "mark", "broker.act"));
  EXPECT_EQ(log.events[1].data.at("name"), "quiet");
  EXPECT_EQ(log.events[1].packet, 2U);
  EXPECT_EQ(log.events[2].broker, 2);
  EXPECT_FALSE(log.events[2].data.contains("e"));
}

TEST(Analyzer, BadNotesAreProblemsNotEvents) {
  synth::Capture capture;
  capture.note("{");
  capture.note("[1]");
  capture.note(R"({"name":"no type"})");
  const EventLog log = capture.analyze();
  EXPECT_THAT(log.events, IsEmpty());
  EXPECT_THAT(log.stats.problems,
              ElementsAre(HasSubstr("no JSON"), HasSubstr("no JSON object"), HasSubstr("\"e\"")));
}

TEST(Analyzer, SplitNoteIsJoined) {
  boost::json::object note{{"e", "call.end"}, {"text", std::string(5000, 'x') + "\"\\\u00e9"}};
  const auto parts = encode_note(note, 3, 1000);
  EXPECT_GT(parts.size(), 5U);
  synth::Capture capture;
  for (const auto& part : parts) {
    EXPECT_LE(part.size(), 1000U);
    capture.note(part);
  }
  const EventLog log = capture.analyze();
  ASSERT_EQ(log.events.size(), 1U);
  EXPECT_EQ(log.events[0].type, "call.end");
  EXPECT_EQ(log.events[0].data.at("text"), note.at("text"));
  EXPECT_THAT(log.stats.problems, IsEmpty());
}

TEST(Analyzer, LayoutNamesBrokersAlsoOfRefusedConnections) {
  synth::Capture capture;
  capture.note(kLayout);
  synth::Tcp tcp(capture, kClientAt, kBroker2At);
  tcp.syn();
  tcp.rst(Side::kBroker);
  const EventLog log = capture.analyze();
  EXPECT_EQ(log.connections[0].broker, 2);
  EXPECT_EQ(find(log, "conn.refused")->broker, 2);
}

TEST(Analyzer, BootstrapIsWhatIsDialledBeforeTheFirstMetadata) {
  synth::Capture capture;
  capture.note(kLayout);
  synth::Tcp first(capture, kClientAt, kBrokerAt);
  first.handshake();
  first.send(Side::kClient, metadata_request(1, "c1"));
  first.send(Side::kBroker, metadata_response(1, "127.1.0.1"));
  synth::Tcp second(capture, Endpoint::v4(0x7f000001, 40113), kBrokerAt);
  second.handshake();
  second.send(Side::kClient, ask(1, "c1"));
  synth::Tcp other(capture, Endpoint::v4(0x7f000001, 40114), kBrokerAt);
  other.handshake();
  other.send(Side::kClient, ask(1, "c2"));
  synth::Tcp elsewhere(capture, Endpoint::v4(0x7f000001, 40115), kBroker2At);
  elsewhere.handshake();
  elsewhere.send(Side::kClient, ask(1, "c3"));
  const EventLog log = capture.analyze();
  EXPECT_TRUE(log.connections[0].has_role("bootstrap"));
  EXPECT_FALSE(log.connections[1].has_role("bootstrap"));
  EXPECT_TRUE(log.connections[2].has_role("bootstrap"));
  EXPECT_FALSE(log.connections[3].has_role("bootstrap"));
}

TEST(Analyzer, ClientCreatedAgainBootstrapsAgain) {
  synth::Capture capture;
  capture.note(kLayout);
  synth::Tcp first(capture, kClientAt, kBrokerAt);
  first.handshake();
  first.send(Side::kClient, metadata_request(1, "c1"));
  first.send(Side::kBroker, metadata_response(1, "127.1.0.1"));
  capture.note(R"({"e":"call.begin","call":"create","n":2,"args":{"config":{"client.id":"c1"}}})");
  synth::Tcp again(capture, Endpoint::v4(0x7f000001, 40113), kBrokerAt);
  again.handshake();
  again.send(Side::kClient, ask(1, "c1"));
  EXPECT_TRUE(capture.analyze().connections[1].has_role("bootstrap"));
}

TEST(Analyzer, RolesFollowTheApis) {
  synth::Capture capture;
  synth::Tcp tcp(capture, kClientAt, kBrokerAt);
  tcp.handshake();
  tcp.send(Side::kClient, synth::request(11, 0, 1, "c", {}));
  tcp.send(Side::kClient, synth::request(1, 4, 2, "c", {}));
  tcp.send(Side::kClient, synth::request(1, 4, 3, "c", {}));
  const EventLog log = capture.analyze();
  EXPECT_THAT(log.connections[0].apis, ElementsAre("JoinGroup", "Fetch"));
  EXPECT_THAT(log.connections[0].roles, ElementsAre("bootstrap", "coordinator", "leader"));
}

TEST(Analyzer, WithoutALayoutMetadataNamesTheBrokers) {
  synth::Capture capture;
  synth::Tcp tcp(capture, kClientAt, Endpoint::v4(0x7f010001, 9092));
  tcp.handshake();
  tcp.send(Side::kClient, metadata_request(1, "c"));
  tcp.send(Side::kBroker, metadata_response(1, "127.1.0.1"));
  const EventLog log = capture.analyze();
  EXPECT_EQ(log.connections[0].broker, 7);
  EXPECT_EQ(find(log, "conn.attempt")->broker, 7);
}

TEST(Analyzer, HeaderOnlyModeDecodesMetadataAlone) {
  synth::Capture capture;
  synth::Tcp tcp(capture, kClientAt, Endpoint::v4(0x7f010001, 9092));
  tcp.handshake();
  tcp.send(Side::kClient, metadata_request(1, "c"));
  tcp.send(Side::kBroker, metadata_response(1, "127.1.0.1"));
  AnalyzerOptions options;
  options.decode_bodies = false;
  const EventLog log = capture.analyze(std::move(options));
  EXPECT_EQ(log.connections[0].broker, 7);
  EXPECT_FALSE(find(log, "resp")->data.contains("fields"));
}

TEST(Analyzer, StampsThatRunBackwardsAreSorted) {
  synth::Capture capture;
  for (int i = 0; i < 300; ++i) capture.note(R"({"e":"mark","name":"m"})");
  std::mt19937 random(3);
  for (auto& packet : capture.packets())
    packet.at_ns = synth::Capture::kStart + static_cast<std::int64_t>(random() % 1000) * 1'000'000;
  const EventLog log = capture.analyze();
  ASSERT_EQ(log.events.size(), 300U);
  for (std::size_t i = 1; i < log.events.size(); ++i)
    EXPECT_LE(log.events[i - 1].at_ns, log.events[i].at_ns);
  EXPECT_FALSE(log.stats.problems.empty());
}

TEST(Analyzer, LogGrowsAtItsEndOnly) {
  synth::Capture capture;
  synth::Tcp tcp(capture, kClientAt, kBrokerAt);
  tcp.handshake();
  for (int i = 0; i < 20; ++i) {
    tcp.send(Side::kClient, ask(i));
    tcp.send(Side::kBroker, answer(i));
  }
  Analyzer analyzer;
  std::vector<std::string> seen;
  std::uint64_t number = 0;
  for (const auto& packet : capture.packets()) {
    analyzer.packet(packet.view(), ++number);
    const auto now = types(analyzer.log());
    ASSERT_GE(now.size(), seen.size());
    ASSERT_TRUE(std::equal(seen.begin(), seen.end(), now.begin()));
    seen = now;
  }
  EXPECT_EQ(analyzer.event_count(), seen.size());
}

TEST(Analyzer, CallbackWithoutKeepingEvents) {
  synth::Capture capture;
  for (int i = 0; i < 10; ++i) capture.note(R"({"e":"mark","name":"m"})");
  int seen = 0;
  AnalyzerOptions options;
  options.keep_events = false;
  options.on_event = [&](const Event&) { ++seen; };
  EXPECT_THAT(capture.analyze(std::move(options)).events, IsEmpty());
  EXPECT_EQ(seen, 10);
}

TEST(Analyzer, RandomMutationsNeverCrash) {
  synth::Capture capture;
  capture.note(kLayout);
  synth::Tcp tcp(capture, kClientAt, kBrokerAt);
  tcp.handshake();
  for (int i = 0; i < 6; ++i) {
    tcp.send(Side::kClient, metadata_request(i, "c1"));
    tcp.send(Side::kBroker, metadata_response(i, "127.1.0.1"));
  }
  tcp.fin(Side::kClient);
  tcp.fin(Side::kBroker);
  std::mt19937 random(11);
  for (int round = 0; round < 3000; ++round) {
    synth::Capture mutated = capture;
    auto& packets = mutated.packets();
    for (int change = 0; change < 4; ++change) {
      auto& packet = packets[random() % packets.size()];
      switch (random() % 4) {
        case 0:
          packet.bytes[random() % packet.bytes.size()] = static_cast<std::uint8_t>(random());
          break;
        case 1:
          packet.bytes.resize(1 + random() % packet.bytes.size());
          break;
        case 2:
          std::swap(packet.bytes, packets[random() % packets.size()].bytes);
          break;
        default:
          packet.at_ns += static_cast<std::int64_t>(random() % 2000) * 1'000'000;
          break;
      }
    }
    const EventLog log = mutated.analyze();
    ASSERT_EQ(log.stats.packets, packets.size());
  }
}

}  // namespace
}  // namespace ktrial::capture
