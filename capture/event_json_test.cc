// SPDX-License-Identifier: Apache-2.0
#include "capture/event_json.h"

#include "capture/test_support.h"

#include <gtest/gtest.h>

namespace ktrial::capture {
namespace {

EventLog sample() {
  synth::Capture capture;
  synth::Tcp tcp(capture, kClientAt, kBrokerAt);
  tcp.handshake();
  tcp.send(Side::kClient, ask(1));
  capture.note(R"({"e":"mark","name":"quiet"})");
  tcp.send(Side::kBroker, answer(1));
  tcp.fin(Side::kClient);
  tcp.fin(Side::kBroker);
  return capture.analyze();
}

TEST(EventJson, EventsComeBackAsTheyWere) {
  const EventLog log = sample();
  for (const Event& event : log.events) {
    const auto text = boost::json::serialize(to_json(event, log.stats.first_ns));
    const auto back = event_from_json(boost::json::parse(text).get_object(), log.stats.first_ns);
    ASSERT_TRUE(back.has_value()) << back.error().to_string();
    EXPECT_EQ(back->at_ns, event.at_ns);
    EXPECT_EQ(back->packet, event.packet);
    EXPECT_EQ(back->type, event.type);
    EXPECT_EQ(back->conn, event.conn);
    EXPECT_EQ(back->broker, event.broker);
    EXPECT_EQ(boost::json::serialize(back->data), boost::json::serialize(event.data));
  }
}

TEST(EventJson, ConnectionsComeBackAsTheyWere) {
  const EventLog log = sample();
  const Connection& one = log.connections[0];
  const auto line = to_json(one, log.stats.first_ns);
  const auto back = connection_from_json(
      boost::json::parse(boost::json::serialize(line)).get_object(), log.stats.first_ns);
  ASSERT_TRUE(back.has_value()) << back.error().to_string();
  EXPECT_EQ(to_json(*back, log.stats.first_ns), line);
  EXPECT_EQ(back->closed_ns, one.closed_ns);
  EXPECT_EQ(back->client_rst_ns, std::nullopt);
  EXPECT_EQ(back->close_kind, "fin");
}

TEST(EventJson, StatisticsComeBackAsTheyWere) {
  CaptureStats stats = sample().stats;
  stats.problems = {"one"};
  const auto back = stats_from_json(to_json(stats));
  ASSERT_TRUE(back.has_value());
  EXPECT_EQ(back->packets, stats.packets);
  EXPECT_FALSE(back->dropped);
  EXPECT_EQ(back->problems, stats.problems);
  stats.dropped = 0;
  EXPECT_EQ(stats_from_json(to_json(stats))->dropped, 0U);
}

TEST(EventJson, WrongTypesAreNamed) {
  auto line = to_json(sample().connections[0], 0);
  line["closer"] = 7;
  const auto back = connection_from_json(line, 0);
  ASSERT_FALSE(back.has_value());
  EXPECT_EQ(back.error().message, "member 'closer' is missing or of the wrong type");
}

}  // namespace
}  // namespace ktrial::capture
