// SPDX-License-Identifier: Apache-2.0
// What each action of a rule does at the socket, written three ways: posted to the control API, in
// a scenario's YAML, and returned by a Lua script.
#include "fakebroker/requests_for_test.h"
#include "harness/run/rule_ways_for_test.h"
#include "protocol/messages/api_versions_request.h"
#include "protocol/messages/api_versions_response.h"
#include "protocol/messages/find_coordinator_request.h"
#include "protocol/messages/find_coordinator_response.h"

#include <gtest/gtest.h>

namespace ktrial::harness {
namespace {

namespace json = boost::json;
using fakebroker::a_batch;
using fakebroker::a_fetch;
using fakebroker::a_metadata;
using fakebroker::a_produce;
using fakebroker::ClientForTest;
using fakebroker::ClusterForTest;
using fakebroker::LedgerEntry;
using protocol::FetchResponse;
using protocol::MetadataResponse;
using Ending = ClientForTest::Ending;

class RuleActions : public testing::TestWithParam<Way> {
 protected:
  void rule(const std::string& text) { ASSERT_EQ(GetParam().add(cluster, text), ""); }
  std::int64_t end_offset() { return cluster->topics().at(0).partitions.at(0).end_offset; }
  MetadataResponse metadata(ClientForTest& from) {
    return from.call<MetadataResponse>(a_metadata(), 9);
  }
  std::uint64_t hits() { return cluster->rules().at(0).hits; }
  // The answer to a Metadata request, to the end of the connection.
  std::vector<std::uint8_t> raw_answer() {
    client.send(a_metadata(), 9);
    return client.read_to_end();
  }

  ClusterForTest cluster{fakebroker::spec_for_test(kRuleTestBrokers)};
  ClientForTest client{cluster.broker()};
};

// --- errors

TEST_P(RuleActions, AnErrorRefusesBeforeAnythingIsDone) {
  rule(R"({"id": "r", "when": {"api": "Produce", "topic": "t", "partition": 0, "times": 1},
           "do": {"error": "NOT_ENOUGH_REPLICAS"}})");
  ClientForTest of_the_other(cluster.broker(2));
  EXPECT_EQ(produce(of_the_other, a_produce(a_batch(), 1, 1)).error_code, 0);
  EXPECT_EQ(produce(client, a_produce(a_batch())).error_code, 19);
  EXPECT_EQ(end_offset(), 0);
  EXPECT_EQ(produce(client, a_produce(a_batch())).error_code, 0);
  EXPECT_EQ(hits(), 1U);
}

TEST_P(RuleActions, AnErrorMayHideWorkThatWasDone) {
  rule(R"({"id": "r", "when": {"api": "Produce"}, "do": {"error": 7, "apply": true}})");
  EXPECT_EQ(produce(client, a_produce(a_batch())).error_code, 7);
  EXPECT_EQ(end_offset(), 1);
}

TEST_P(RuleActions, AnErrorMayBeOneThatKafkaDoesNotHave) {
  rule(R"({"id": "r", "when": {"api": "Produce"}, "do": {"error": 9999}})");
  EXPECT_EQ(produce(client, a_produce(a_batch())).error_code, 9999);
  EXPECT_EQ(end_offset(), 0);
}

TEST_P(RuleActions, AnErrorReachesEveryPartitionOfALongPoll) {
  rule(R"({"id": "r", "when": {"api": "Fetch"}, "do": {"error": "NOT_LEADER_OR_FOLLOWER"}})");
  EXPECT_EQ(fetch(client, {.max_wait_ms = 60'000}).error_code, 6);
}

TEST_P(RuleActions, ATopicIsFoundInTheSessionOfAnIncrementalFetch) {
  rule(R"({"id": "r", "when": {"api": "Fetch", "topic": "t", "partition": 0, "skip": 1},
           "do": {"error": 6}})");
  const auto first = client.call<FetchResponse>(a_fetch({.session_epoch = 0}), 12);
  protocol::FetchRequest next;
  next.session_id = first.session_id;
  next.session_epoch = 1;
  EXPECT_EQ(client.call<FetchResponse>(next, 12).responses.at(0).partitions.at(0).error_code, 6);
}

TEST_P(RuleActions, AnUnsupportedApiVersionsIsAnsweredAsByAnOldBroker) {
  rule(R"({"id": "r", "when": {"api": "ApiVersions", "version": {"min": 3}},
           "do": {"error": "UNSUPPORTED_VERSION"}})");
  const auto id = client.send(protocol::ApiVersionsRequest(), 3);
  EXPECT_EQ(client.receive<protocol::ApiVersionsResponse>(id, 3, 0).error_code, 35);
  EXPECT_EQ(
      client.call<protocol::ApiVersionsResponse>(protocol::ApiVersionsRequest(), 2).error_code, 0);
}

TEST_P(RuleActions, AGroupIsFoundAsTheKeyOfFindCoordinator) {
  rule(R"({"id": "r", "when": {"group": "g"}, "do": {"error": "COORDINATOR_NOT_AVAILABLE"}})");
  protocol::FindCoordinatorRequest find;
  find.coordinator_keys = {"other"};
  const auto ask = [&] {
    return client.call<protocol::FindCoordinatorResponse>(find, 4).coordinators.at(0).error_code;
  };
  EXPECT_EQ(ask(), 0);
  find.coordinator_keys = {"g"};
  EXPECT_EQ(ask(), 15);
  find.key_type = 1;  // a transactional id of that name
  EXPECT_EQ(ask(), 0);
}

// --- waiting

TEST_P(RuleActions, ADelayHoldsTheAnswerOfWorkThatWasDone) {
  rule(R"({"id": "r", "when": {"api": "Produce"}, "do": {"delay": "10min"}})");
  client.send(a_produce(a_batch()), 9);
  ASSERT_TRUE(cluster.saw_request(0));
  ClientForTest other(cluster.broker());
  EXPECT_EQ(fetch(other, {.max_wait_ms = 5000}).error_code, 0);
  EXPECT_EQ(end_offset(), 1);
  EXPECT_EQ(client.ending(Millis(0)), Ending::kSilence);
}

TEST_P(RuleActions, ADelayBeforeHoldsTheWorkToo) {
  rule(R"({"id": "r", "when": {"api": "Produce", "times": 1},
           "do": {"delay": "80ms", "before": true}})");
  const auto asked = std::chrono::steady_clock::now();
  const auto id = client.send(a_produce(a_batch()), 9);
  ASSERT_TRUE(cluster.saw_request(0));
  EXPECT_EQ(end_offset(), 0);
  EXPECT_EQ(client.receive<protocol::ProduceResponse>(id, 9).responses.size(), 1U);
  EXPECT_GE(std::chrono::steady_clock::now() - asked, Millis(80));
  EXPECT_EQ(end_offset(), 1);
}

TEST_P(RuleActions, AThrottleAnswersAtOnceAndThenMutes) {
  rule(R"({"id": "r", "when": {"api": "Metadata", "times": 1}, "do": {"throttle": "80ms"}})");
  const auto asked = std::chrono::steady_clock::now();
  EXPECT_EQ(metadata(client).throttle_time_ms, 80);
  EXPECT_EQ(metadata(client).throttle_time_ms, 0);
  EXPECT_GE(std::chrono::steady_clock::now() - asked, Millis(80));
}

TEST_P(RuleActions, ADroppedAnswerNeverComesAndBlocksThoseBehindIt) {
  rule(R"({"id": "r", "when": {"api": "Metadata", "times": 1}, "do": {"drop": true}})");
  client.send(a_metadata(), 9);
  client.send(a_metadata(), 9);
  EXPECT_EQ(client.ending(Millis(50)), Ending::kSilence);
  client.send_fin();
  EXPECT_EQ(cluster.close_reason(), "client FIN");
}

TEST_P(RuleActions, ADroppedAnswerMayStandForWorkNotDone) {
  rule(R"({"id": "r", "when": {"api": "Produce"}, "do": {"drop": true, "apply": false}})");
  client.send(a_produce(a_batch()), 9);
  ASSERT_TRUE(cluster.saw_request(0));
  EXPECT_EQ(end_offset(), 0);
}

TEST_P(RuleActions, AStalledBrokerReadsNothingMore) {
  rule(R"({"id": "r", "when": {"api": "Metadata", "times": 1}, "do": {"stall": "80ms"}})");
  const auto asked = std::chrono::steady_clock::now();
  metadata(client);
  metadata(client);
  EXPECT_GE(std::chrono::steady_clock::now() - asked, Millis(80));
  rule(R"({"id": "s", "when": {"api": "Metadata"}, "do": {"stall": "forever"}})");
  metadata(client);
  client.send_fin();
  EXPECT_EQ(client.ending(Millis(50)), Ending::kSilence);
}

// --- closing

TEST_P(RuleActions, AConnectionIsClosedInsteadOfAnAnswer) {
  rule(R"({"id": "fin", "when": {"api": "Produce", "client_id": "a"}, "do": {"close": "fin"}})");
  rule(R"({"id": "rst", "when": {"api": "Produce", "client_id": "b"},
           "do": {"close": "rst", "apply": true}})");
  ClientForTest a(cluster.broker(), "a");
  ClientForTest b(cluster.broker(), "b");
  a.send(a_produce(a_batch()), 9);
  EXPECT_EQ(a.ending(), Ending::kFin);
  EXPECT_EQ(end_offset(), 0);
  b.send(a_produce(a_batch()), 9);
  EXPECT_EQ(b.ending(), Ending::kRst);
  EXPECT_EQ(end_offset(), 1);
  EXPECT_TRUE(cluster.wait_for([](const LedgerEntry& e) {
    return e.kind == LedgerEntry::Kind::kClose && e.detail == "rule fin";
  }));
}

TEST_P(RuleActions, AConnectionIsClosedAfterItsAnswer) {
  rule(R"({"id": "r", "when": {"api": "Metadata"}, "do": {"close": "fin", "answer": true}})");
  EXPECT_EQ(metadata(client).topics.size(), 1U);
  EXPECT_EQ(client.ending(), Ending::kFin);
}

TEST_P(RuleActions, AHalfClosedConnectionStillTakesWhatComes) {
  rule(R"({"id": "r", "when": {"api": "Metadata"}, "do": {"close": "half"}})");
  client.send(a_metadata(), 9);
  EXPECT_EQ(client.ending(), Ending::kFin);
  for (int i = 0; i < 100; ++i) client.send(a_metadata(), 9);  // no RST
  client.send_fin();
  EXPECT_TRUE(cluster.wait_for([](const LedgerEntry& e) { return e.detail == "client FIN"; }));
}

TEST_P(RuleActions, AVanishedBrokerAcknowledgesNothing) {
  rule(R"({"id": "r", "when": {"api": "Metadata"}, "do": {"close": "vanish"}})");
  client.send(a_metadata(), 9);
  ASSERT_TRUE(cluster.wait_for([](const LedgerEntry& e) {
    return e.kind == LedgerEntry::Kind::kClose && e.detail == "rule r: vanished";
  }));
  client.send(a_metadata(), 9);
  EXPECT_EQ(client.ending(Millis(50)), Ending::kSilence);
  EXPECT_GT(client.unacknowledged_bytes(), 0);
}

TEST_P(RuleActions, AConnectionMayEndAsItIsMade) {
  rule(R"({"id": "r", "when": {"on": "accept", "broker": 2, "times": 1}, "do": {"close": "rst"}})");
  metadata(client);
  EXPECT_EQ(ClientForTest(cluster.broker(2)).ending(), Ending::kRst);
  ClientForTest third(cluster.broker(2));
  EXPECT_EQ(metadata(third).topics.size(), 1U);
}

TEST_P(RuleActions, AConnectionMayBeAcceptedAndNeverRead) {
  rule(R"({"id": "r", "when": {"on": "accept"}, "do": {"stall": "forever"}})");
  ClientForTest deaf(cluster.broker(2));
  deaf.send(a_metadata(), 9);
  EXPECT_EQ(deaf.ending(Millis(50)), Ending::kSilence);
}

// --- what the answer says

TEST_P(RuleActions, FieldsAreSetWhereverTheyOccur) {
  rule(R"({"id": "r", "when": {"api": "Metadata", "times": 1},
           "do": {"set": {"controllerId": 7, "host": "elsewhere", "rack": null, "isInternal": true},
                  "clear": ["partitions"]}})");
  const auto changed = metadata(client);
  EXPECT_EQ(changed.controller_id, 7);
  EXPECT_EQ(changed.brokers.at(1).host, "elsewhere");
  EXPECT_TRUE(changed.topics.at(0).is_internal);
  EXPECT_TRUE(changed.topics.at(0).partitions.empty());
  EXPECT_FALSE(metadata(client).topics.at(0).partitions.empty());
}

TEST_P(RuleActions, FieldsAreReplacedByTheirPlace) {
  rule(R"({"id": "r", "when": {"api": "Metadata"},
           "do": {"fields": {"brokers": [{"nodeId": 9, "host": "ghost", "port": 1}]}}})");
  const auto changed = metadata(client);
  ASSERT_EQ(changed.brokers.size(), 1U);
  EXPECT_EQ(changed.brokers[0].node_id, 9);
  EXPECT_EQ(changed.brokers[0].host, "ghost");
  EXPECT_EQ(changed.topics.size(), 1U);
}

TEST_P(RuleActions, AFieldThatTheAnswerDoesNotHaveIsToldOf) {
  rule(R"({"id": "r", "when": {"api": "Metadata"}, "do": {"fields": {"brokerz": []}}})");
  EXPECT_EQ(metadata(client).brokers.size(), 2U);
  EXPECT_EQ(cluster->rules().at(0).error, "fields: brokerz: there is no such field");
}

TEST_P(RuleActions, UnknownTaggedFieldsAreAdded) {
  rule(R"({"id": "r", "when": {"api": "Metadata"}, "do": {"tags": {"10000": "00ff"}}})");
  const auto changed = metadata(client);
  ASSERT_EQ(changed.unknown_tags.tags.size(), 1U);
  EXPECT_EQ(changed.unknown_tags.tags[0].number, 10000U);
  EXPECT_EQ(changed.unknown_tags.tags[0].data.text(), std::string_view("\0\xff", 2));
}

// --- the answer's bytes

TEST_P(RuleActions, BytesAreMangled) {
  rule(R"({"id": "r", "do": {"bytes": {"truncate": 6, "append": "abcd", "correlation_shift": 1,
           "size": 9, "twice": true}, "close": "fin"}})");
  const std::vector<std::uint8_t> once{0, 0, 0, 9, 0, 0, 0, 2, 0, 0, 0xab, 0xcd};
  std::vector<std::uint8_t> both = once;
  both.insert(both.end(), once.begin(), once.end());
  EXPECT_EQ(raw_answer(), both);
}

TEST_P(RuleActions, GarbageTakesTheBodysPlace) {
  rule(R"({"id": "r", "do": {"bytes": {"garbage": 5, "patch": {"4": "00"}, "flip": [4]},
           "close": "fin"}})");
  const auto answer = raw_answer();
  ASSERT_EQ(answer.size(), 13U);
  EXPECT_EQ(std::vector(answer.begin(), answer.begin() + 9),
            (std::vector<std::uint8_t>{0, 0, 0, 9, 0, 0, 0, 1, 0xff}));
}

TEST_P(RuleActions, AnAnswerIsCutShortAndTheConnectionReset) {
  rule(R"({"id": "r", "do": {"send": {"first": 6}, "close": "rst"}})");
  client.send(a_metadata(), 9);
  EXPECT_EQ(client.read_exactly(6).size(), 6U);
  EXPECT_EQ(client.ending(), Ending::kRst);
}

TEST_P(RuleActions, AnAnswerThatIsCutShortMayNeverEnd) {
  rule(R"({"id": "r", "do": {"send": {"first": 6}}})");
  client.send(a_metadata(), 9);
  EXPECT_EQ(client.read_exactly(6).size(), 6U);
  EXPECT_EQ(client.ending(Millis(50)), Ending::kSilence);
}

TEST_P(RuleActions, AnAnswerDripsAndIsWhole) {
  rule(
      R"({"id": "r", "when": {"api": "Metadata"}, "do": {"send": {"piece": 20, "every": "1ms"}}})");
  const auto asked = std::chrono::steady_clock::now();
  EXPECT_EQ(metadata(client).topics.size(), 1U);
  EXPECT_GE(std::chrono::steady_clock::now() - asked, Millis(3));
  EXPECT_EQ(metadata(client).topics.size(), 1U);
}

// --- the cluster

TEST_P(RuleActions, ALeaderMovesAsItIsAsked) {
  rule(R"({"id": "r", "when": {"api": "Produce", "times": 1},
           "do": {"move_leader": {"topic": "t", "partition": 0, "to": 2}}})");
  EXPECT_EQ(produce(client, a_produce(a_batch())).error_code, 6);
  EXPECT_EQ(metadata(client).topics.at(0).partitions.at(0).leader_id, 2);
}

TEST_P(RuleActions, ReplicasFallOutOfSyncAsTheyAreAskedFor) {
  rule(R"({"id": "out", "when": {"api": "Metadata", "times": 1},
           "do": {"set_isr": {"topic": "t", "partition": 0, "replicas": [1]}}})");
  EXPECT_EQ(metadata(client).topics.at(0).partitions.at(0).isr_nodes,
            (std::vector<std::int32_t>{1}));
}

TEST_P(RuleActions, AHighWatermarkStandsAndGoesOn) {
  rule(R"({"id": "stand", "when": {"api": "Produce", "times": 1},
           "do": {"hold_high_watermark": {"topic": "t", "partition": 0}}})");
  rule(R"({"id": "on", "when": {"api": "Fetch", "skip": 1},
           "do": {"release_high_watermark": {"topic": "t", "partition": 0}}})");
  EXPECT_EQ(produce(client, a_produce(a_batch(), 1)).error_code, 0);
  EXPECT_EQ(fetch(client, {}).high_watermark, 0);
  EXPECT_EQ(fetch(client, {}).high_watermark, 1);
}

TEST_P(RuleActions, ADiskFailsAndIsMended) {
  rule(R"({"id": "fail", "when": {"api": "Produce", "times": 1},
           "do": {"fail_replica": {"topic": "t", "partition": 0, "broker": 1}}})");
  rule(R"({"id": "mend", "when": {"api": "Produce"},
           "do": {"mend_replica": {"topic": "t", "partition": 0, "broker": 1}}})");
  EXPECT_EQ(produce(client, a_produce(a_batch())).error_code, 56);
  EXPECT_EQ(produce(client, a_produce(a_batch())).error_code, 0);
}

TEST_P(RuleActions, CoordinatorAndControllerMove) {
  rule(R"({"id": "r", "when": {"api": "Metadata", "times": 1},
           "do": {"move_coordinator": 2, "move_controller": 2}})");
  EXPECT_EQ(metadata(client).controller_id, 2);
  protocol::FindCoordinatorRequest find;
  find.coordinator_keys = {"g"};
  EXPECT_EQ(client.call<protocol::FindCoordinatorResponse>(find, 4).coordinators.at(0).node_id, 2);
}

TEST_P(RuleActions, BrokersStopAndStart) {
  rule(R"({"id": "stop", "when": {"api": "Metadata", "times": 1}, "do": {"stop_broker": 2}})");
  ClientForTest other(cluster.broker(2));
  metadata(client);
  EXPECT_EQ(other.ending(), Ending::kRst);
  EXPECT_FALSE(cluster.broker(2).listening);
  rule(R"({"id": "start", "when": {"api": "Metadata"}, "do": {"start_broker": 2}})");
  metadata(client);
  EXPECT_TRUE(cluster.broker(2).listening);
}

TEST_P(RuleActions, ABrokerThatServesTheRequestMayStopOverIt) {
  rule(R"({"id": "r", "when": {"api": "Metadata"}, "do": {"stop_broker": 1}})");
  client.send(a_metadata(), 9);
  EXPECT_EQ(client.ending(), Ending::kRst);
}

TEST_P(RuleActions, ABrokerRefusesNewConnectionsAndKeepsTheOldOnes) {
  rule(R"({"id": "r", "when": {"api": "Metadata", "times": 1}, "do": {"refuse": 1}})");
  metadata(client);
  metadata(client);
  EXPECT_THROW(ClientForTest(cluster.broker(1)), std::runtime_error);
}

TEST_P(RuleActions, ConnectionAttemptsAreNotAnswered) {
  rule(R"({"id": "r", "when": {"api": "Metadata", "times": 1}, "do": {"drop_syn": 2}})");
  metadata(client);
  EXPECT_FALSE(ClientForTest::connects(cluster.broker(2), Millis(50)));
  ASSERT_TRUE(cluster->start_broker(2));
  EXPECT_TRUE(ClientForTest::connects(cluster.broker(2), Millis(3000)));
}

TEST_P(RuleActions, AFrozenBrokerTellsOfTheClusterAsItWas) {
  rule(
      R"({"id": "r", "when": {"api": "Metadata", "broker": 2}, "do": {"view": {"frozen": true}}})");
  ASSERT_TRUE(cluster->move_leader("t", 0, 2));
  ASSERT_TRUE(cluster->create_topic({.name = "new"}));
  ASSERT_TRUE(cluster->delete_topic("t"));
  ClientForTest behind(cluster.broker(2));
  const auto stale = metadata(behind);
  ASSERT_EQ(stale.topics.size(), 1U);
  EXPECT_EQ(stale.topics[0].error_code, 0);
  EXPECT_EQ(stale.topics[0].partitions.at(0).leader_id, 1);
  EXPECT_EQ(metadata(client).topics.at(0).error_code, 3);
}

TEST_P(RuleActions, ALaggingBrokerCatchesUp) {
  rule(R"({"id": "r", "when": {"api": "Metadata", "times": 1}, "do": {"view": {"lag": "1h"}}})");
  ASSERT_TRUE(cluster->move_leader("t", 0, 2));
  EXPECT_EQ(metadata(client).topics.at(0).partitions.at(0).leader_epoch, 0);
  EXPECT_EQ(metadata(client).topics.at(0).partitions.at(0).leader_epoch, 1);
}

INSTANTIATE_TEST_SUITE_P(Ways, RuleActions, testing::ValuesIn(kWays),
                         [](const auto& way) { return std::string(way.param.name); });

TEST(RuleActionsOfAScript, DependOnTheDecodedRequest) {
  ClusterForTest cluster;
  ASSERT_EQ(post(cluster, json::serialize(json::object{
                              {"id", "r"}, {"when", {{"api", "Produce"}}}, {"do", {{"lua", R"(
    function on_request(ctx)
      if ctx.request.acks == -1 then return {error = "NOT_ENOUGH_REPLICAS"} end
    end)"}}}})),
            "");
  ClientForTest client(cluster.broker());
  EXPECT_EQ(produce(client, a_produce(a_batch(), 1)).error_code, 0);
  EXPECT_EQ(produce(client, a_produce(a_batch(), -1)).error_code, 19);
  EXPECT_EQ(cluster->rules().at(0).hits, 1U);
  EXPECT_EQ(cluster->rules().at(0).seen, 2U);
}

TEST(RuleActionsOfAScript, AFailureLeavesTheRequestAloneAndIsToldOf) {
  ClusterForTest cluster;
  ASSERT_EQ(post(cluster, R"({"id": "r", "do": {"lua": "function on_request(c) c.x.y = 1 end"}})"),
            "");
  ClientForTest client(cluster.broker());
  EXPECT_EQ(client.call<MetadataResponse>(a_metadata(), 9).topics.size(), 1U);
  EXPECT_EQ(cluster->rules().at(0).error, "r:1: attempt to index a nil value (field 'x')");
}

TEST(RuleActionsOfAScript, ABadOneIsRefused) {
  ClusterForTest cluster;
  EXPECT_NE(post(cluster, R"({"id": "r", "do": {"lua": "function on_request("}})").find("r:1: "),
            std::string::npos);
  EXPECT_TRUE(cluster->rules().empty());
}

}  // namespace
}  // namespace ktrial::harness
