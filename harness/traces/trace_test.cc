// SPDX-License-Identifier: Apache-2.0
#include "harness/traces/trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ktrial::harness::traces {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

Rules rules() {
  return parse_rules(boost::json::parse(R"json({
    "brokers": ["broker-"], "clocked": ["Heartbeat"], "racing": ["CONCURRENT_TRANSACTIONS"], "repeated": ["Fetch", "Metadata"], "roving": {"rover": ["Metadata"]},
    "allowed": [{"program": "odd", "real": "Produce", "fake": "(none)", "why": "reviewed"}]
})json"))
      .value();
}

ConnectionTrace trace(const std::string& client, const std::vector<std::string>& apis) {
  ConnectionTrace made{client, {}};
  for (const std::string& api : apis) made.steps.push_back({api, 1, ""});
  return made;
}

capture::Event event(const char* type, int conn, const char* data) {
  return {0, 0, type, conn, -1, boost::json::parse(data).as_object()};
}

TEST(Traces, AreTheRequestsOfEachConnectionWithTheErrorsOfTheirAnswers) {
  capture::EventLog log;
  log.connections.resize(3);
  log.connections[1].id = 1;
  log.connections[2].id = 2;
  log.connections[0].from_start = log.connections[1].from_start = true;
  log.connections[1].client_ids = {"c"};
  log.events = {event("conn.open", 1, "{}"),
                event("req", 1, R"({"api":"JoinGroup","version":9,"correlation_id":4})"),
                event("req", 1, R"({"api":"ConsumerGroupHeartbeat","version":1,"correlation_id":5,
                          "fields":{"memberEpoch":-1}})"),
                event("resp", 1, R"({"correlation_id":4,"error_name":"MEMBER_ID_REQUIRED"})")};
  const auto traces = traces_of(log);
  ASSERT_THAT(traces, SizeIs(2));
  EXPECT_THAT(traces[0].steps, IsEmpty());
  EXPECT_EQ(traces[1].client, "c");
  EXPECT_EQ(whole(traces[1]), "JoinGroup v9 (MEMBER_ID_REQUIRED), ConsumerGroupHeartbeat/leave v1");
}

TEST(Traces, WhatAClientRepeatsByAClockCountsOnce) {
  const auto busy = trace(
      "c", {"Metadata", "Fetch", "Heartbeat", "Fetch", "OffsetCommit", "Fetch", "LeaveGroup"});
  EXPECT_EQ(collapsed(busy, "p", rules()), "Metadata v1, Fetch v1, OffsetCommit v1, LeaveGroup v1");
}

TEST(Traces, EqualNeighboursCountOnce) {
  EXPECT_EQ(collapsed(trace("c", {"Produce", "Produce", "EndTxn", "Produce"}), "p", rules()),
            "Produce v1, EndTxn v1, Produce v1");
}

TEST(Traces, AnErrorIsAnotherStep) {
  ConnectionTrace joins = trace("c", {"Fetch", "Fetch"});
  joins.steps[1].error = "NOT_LEADER_OR_FOLLOWER";
  EXPECT_EQ(collapsed(joins, "p", rules()), "Fetch v1, Fetch v1 (NOT_LEADER_OR_FOLLOWER)");
}

TEST(Traces, ARequestThatCameBeforeTheMarkersIsLeftOut) {
  ConnectionTrace early = trace("c", {"EndTxn", "FindCoordinator", "AddPartitionsToTxn",
                                      "FindCoordinator", "AddPartitionsToTxn"});
  early.steps[2].error = "CONCURRENT_TRANSACTIONS";
  EXPECT_EQ(collapsed(early, "p", rules()), "EndTxn v1, FindCoordinator v1, AddPartitionsToTxn v1");
}

TEST(Traces, ConnectionsMayBeOpenedInAnyOrder) {
  const auto one = trace("c", {"Produce"});
  const auto other = trace("c", {"Fetch"});
  const Compared compared = compare("p", {one, other}, {other, one}, rules());
  EXPECT_THAT(compared.differences, IsEmpty());
  EXPECT_EQ(compared.connections, 2U);
  EXPECT_EQ(compared.requests, 2U);
}

TEST(Traces, AnotherOrderOnAConnectionDiffers) {
  const Compared compared = compare("p", {trace("c", {"OffsetFetch", "Fetch"})},
                                    {trace("c", {"Fetch", "OffsetFetch"})}, rules());
  ASSERT_THAT(compared.differences, SizeIs(1));
  EXPECT_EQ(compared.differences[0].real, "OffsetFetch v1, Fetch v1");
  EXPECT_EQ(compared.differences[0].why, "");
}

TEST(Traces, WhatRovesMustBeAskedSomewhere) {
  const auto here = trace("c", {"Metadata", "Produce"});
  const auto bare = trace("c", {"Produce"});
  const auto other = trace("c", {"Fetch"});
  const auto there = trace("c", {"Fetch", "Metadata"});
  EXPECT_THAT(compare("rover", {here, other}, {bare, there}, rules()).differences, IsEmpty());
  EXPECT_THAT(compare("rover", {here, other}, {bare, other}, rules()).differences, SizeIs(1));
}

TEST(Traces, WhatABrokerSendsItselfIsNoClients) {
  const Compared compared = compare("p", {trace("broker-1-marker", {"Produce"})}, {}, rules());
  EXPECT_THAT(compared.differences, IsEmpty());
  EXPECT_EQ(compared.connections, 0U);
}

TEST(Traces, AConnectionOfOneSideAloneDiffersUnlessReviewed) {
  const auto one = trace("c", {"Produce"});
  EXPECT_EQ(compare("odd", {one}, {}, rules()).differences.at(0).why, "reviewed");
  EXPECT_EQ(compare("p", {one}, {}, rules()).differences.at(0).why, "");
}

}  // namespace
}  // namespace ktrial::harness::traces
