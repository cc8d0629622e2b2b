// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/control/control_api.h"

#include "embedded/ktrial_fakebroker.h"
#include "fakebroker/cluster_for_test.h"
#include "fakebroker/requests_for_test.h"
#include "protocol/errors.h"

#include <gtest/gtest.h>

#include <set>

namespace ktrial::fakebroker {
namespace {

namespace json = boost::json;

struct ControlApiTest : testing::Test {
  ClusterForTest cluster{spec_for_test(2)};
  ControlApi api{*cluster.operator->()};

  ControlResponse ask(const std::string& method, const std::string& target,
                      const std::string& body = "") {
    return api.handle({method, target, body});
  }
  json::value value(const std::string& method, const std::string& target,
                    const std::string& body = "") {
    const ControlResponse response = ask(method, target, body);
    EXPECT_LT(response.status, 300) << response.body;
    return response.body.empty() ? json::value() : json::parse(response.body);
  }
  // "status message @ where"
  std::string refusal(const std::string& method, const std::string& target,
                      const std::string& body = "") {
    const ControlResponse response = ask(method, target, body);
    const json::value parsed = json::parse(response.body);
    const json::object& error = parsed.at("error").as_object();
    return std::to_string(response.status) + ' ' + std::string(error.at("message").as_string()) +
           (error.contains("at") ? " @ " + std::string(error.at("at").as_string()) : "");
  }
};

TEST_F(ControlApiTest, BrokersGoDownAndComeBack) {
  EXPECT_EQ(value("GET", "/v1/brokers").as_array().size(), 2U);
  EXPECT_FALSE(value("POST", "/v1/brokers/2/actions", R"({"do": "stop", "kind": "rst"})")
                   .at("listening")
                   .as_bool());
  EXPECT_THROW(ClientForTest client(cluster.broker(2)), std::runtime_error);
  EXPECT_TRUE(
      value("POST", "/v1/brokers/2/actions", R"({"do": "start"})").at("listening").as_bool());
  EXPECT_NO_THROW(ClientForTest client(cluster.broker(2)));
  EXPECT_EQ(refusal("POST", "/v1/brokers/9/actions", R"({"do": "start"})"),
            "404 there is no broker 9");
  EXPECT_EQ(
      refusal("POST", "/v1/brokers/1/actions", R"({"do": "dance"})"),
      "400 the action: do is one of start, stop, refuse, drop_syn, close_connections, idle_close, "
      "not 'dance' @ /do");
  EXPECT_EQ(refusal("POST", "/v1/brokers/1/actions", R"({"do": "start", "kind": "rst"})"),
            "400 the action: kind goes with stop and close_connections @ /kind");
}

TEST_F(ControlApiTest, BrokersComeGoAndMove) {
  const json::value made = value("POST", "/v1/brokers", R"({"id": 7, "rack": "r1"})");
  EXPECT_EQ(made.at("listening"), true);
  ClientForTest client(cluster.broker(1));
  const auto brokers = [&] {
    return client.call<protocol::MetadataResponse>(a_metadata(), 9).brokers;
  };
  ASSERT_EQ(brokers().size(), 3U);
  EXPECT_EQ(brokers().at(2).rack, "r1");
  value("POST", "/v1/brokers/7/advertised", R"({"host": "elsewhere", "port": 4})");
  EXPECT_EQ(brokers().at(2).host, "elsewhere");
  EXPECT_EQ(ask("DELETE", "/v1/brokers/7").status, 204);
  EXPECT_EQ(brokers().size(), 2U);
  value("POST", "/v1/brokers", R"({"id": 7})");  // the id again, at another address
  EXPECT_NE(brokers().at(2).host, "elsewhere");
  EXPECT_EQ(refusal("POST", "/v1/brokers", R"({"id": 1})"), "400 1 is no id for a new broker");
}

TEST_F(ControlApiTest, ARemovedBrokerLeavesItsPartitionsToOthers) {
  value("POST", "/v1/topics", R"({"name": "led", "leaders": [1]})");
  EXPECT_EQ(ask("DELETE", "/v1/brokers/1").status, 204);
  EXPECT_EQ(value("GET", "/v1/topics/led").at("partitions").at(0).at("leader"), 2);
  EXPECT_EQ(refusal("DELETE", "/v1/brokers/2").substr(0, 3), "404");  // the last one
}

TEST_F(ControlApiTest, MarksBeginAndEndRules) {
  value("POST", "/v1/rules",
        R"({"id": "r", "when": {"api": "Metadata", "between": ["a", "b"]}, "do": {"error": 5}})");
  ClientForTest client(cluster.broker(1));
  const auto error = [&] {
    return client.call<protocol::MetadataResponse>(a_metadata(), 9).topics.at(0).error_code;
  };
  EXPECT_EQ(error(), 0);
  EXPECT_EQ(ask("POST", "/v1/marks", R"({"name": "a"})").status, 204);
  EXPECT_EQ(error(), 5);
  EXPECT_EQ(ask("POST", "/v1/marks", R"({"name": "b"})").status, 204);
  EXPECT_EQ(error(), 0);
}

TEST_F(ControlApiTest, TopicsAreMadeFilledMovedAndDeleted) {
  const json::value made =
      value("POST", "/v1/topics", R"({"name": "new", "partitions": 2, "leaders": [1, 2]})");
  EXPECT_EQ(made.at("partitions").as_array().size(), 2U);
  value("POST", "/v1/topics/new/records", R"({"partition": 1, "count": 3, "value": "v"})");
  const json::value moved =
      value("POST", "/v1/topics/new/partitions/1/leader", R"({"to": 1})").at("partitions").at(1);
  EXPECT_EQ(moved.at("end_offset"), 3);
  EXPECT_EQ(moved.at("leader"), 1);
  EXPECT_EQ(moved.at("leader_epoch"), 1);
  EXPECT_EQ(ask("DELETE", "/v1/topics/new").status, 204);
  EXPECT_EQ(refusal("GET", "/v1/topics/new"), "404 there is no topic 'new'");
  EXPECT_EQ(refusal("POST", "/v1/topics", R"({"partitions": 1})"),
            "400 a topic: name is needed @ /name");
  EXPECT_EQ(refusal("POST", "/v1/topics", R"({"name": "t"})").substr(0, 3), "400");
}

TEST_F(ControlApiTest, ARuleActsCountsAndGoes) {
  value(
      "POST", "/v1/rules",
      R"({"id": "r", "when": {"api": "Metadata", "times": 1}, "do": {"error": "LEADER_NOT_AVAILABLE"}})");
  ClientForTest client(cluster.broker(1));
  const auto first = client.call<protocol::MetadataResponse>(a_metadata(), 9);
  EXPECT_EQ(first.topics.at(0).error_code,
            protocol::code(protocol::KafkaError::kLeaderNotAvailable));
  client.call<protocol::MetadataResponse>(a_metadata(), 9);
  const json::value rule = value("GET", "/v1/rules/r");
  EXPECT_EQ(rule.at("hits"), 1);
  EXPECT_EQ(rule.at("seen"), 2);
  EXPECT_EQ(rule.at("do").at("error"), "LEADER_NOT_AVAILABLE");
  EXPECT_EQ(ask("DELETE", "/v1/rules/r").status, 204);
  EXPECT_EQ(ask("GET", "/v1/rules").body, "[]\n");
  EXPECT_EQ(refusal("DELETE", "/v1/rules/r").substr(0, 3), "404");
}

TEST_F(ControlApiTest, ABadRuleIsRefusedWithThePlaceOfItsFault) {
  EXPECT_EQ(refusal("POST", "/v1/rules", R"({"id": "r", "do": {"error": "LEADER_GONE"}})"),
            "400 a rule's do: error is a name of Kafka's error table, not 'LEADER_GONE' @ "
            "/do/error");
  EXPECT_EQ(refusal("POST", "/v1/rules", R"({"id": "r", "when": {"api": "Prodúce"}, "do": {}})")
                .substr(0, 50),
            "400 a rule's when: api is the name of an API, such");
  EXPECT_EQ(refusal("POST", "/v1/rules", R"({"id": "r", "do": {"drop": true, "error": 6}})")
                .substr(0, 43),
            "400 a rule's do: drop leaves no answer to c");
  EXPECT_EQ(
      refusal("POST", "/v1/rules", R"({"id": "r", "do": {"delay": "soon"}})"),
      "400 a rule's do: delay is a time: milliseconds, or a text such as \"250ms\", \"1.5s\" @ "
      "/do/delay");
  EXPECT_EQ(refusal("POST", "/v1/rules", R"({"id": "r", "do": {"drop": true}, "not": 1})"),
            "400 a rule: not is unknown; known: do, id, optional, when @ /not");
  EXPECT_EQ(refusal("POST", "/v1/rules", R"([1])"), "400 a rule is an object");
  EXPECT_EQ(refusal("POST", "/v1/rules", R"({"id": )").substr(0, 27),
            "400 the body is not JSON: i");
  EXPECT_TRUE(value("GET", "/v1/rules").as_array().empty());
}

TEST_F(ControlApiTest, RulesReadAsTheyWereWritten) {
  for (
      const char* const text :
      {R"({"id":"a","do":{"delay":250}})", R"({"id":"b","do":{"throttle":1500}})",
       R"({"id":"c","when":{"broker":2,"client_id":"x","topic":"t","skip":1,"times":2},"do":{"drop":true},"optional":true})",
       R"({"id":"d","do":{"close":"rst","apply":true}})",
       R"({"id":"e","do":{"set":{"leaderEpoch":0},"clear":["brokers"]}})"}) {
    json::object shown = value("POST", "/v1/rules", text).as_object();
    shown.erase("seen");
    shown.erase("hits");
    EXPECT_EQ(json::value(shown), json::parse(text));
  }
}

TEST_F(ControlApiTest, ConnectionsAreListedAndClosed) {
  ClientForTest client(cluster.broker(1), "me");
  client.call<protocol::MetadataResponse>(a_metadata(), 9);
  const json::value connection = value("GET", "/v1/connections").at(0);
  EXPECT_EQ(connection.at("client_id"), "me");
  EXPECT_EQ(connection.at("last_api"), "Metadata");
  EXPECT_EQ(connection.at("requests"), 1);
  const std::string at = "/v1/connections/" + json::serialize(connection.at("id"));
  EXPECT_EQ(refusal("DELETE", at + "?kind=slow"), "400 kind is one of fin, rst @ ?kind");
  EXPECT_EQ(ask("DELETE", at + "?kind=rst").status, 204);
  EXPECT_EQ(client.ending(), ClientForTest::Ending::kRst);
}

TEST_F(ControlApiTest, TheLedgerIsReadFromWhereOneLeftOff) {
  ClientForTest client(cluster.broker(1));
  client.call<protocol::MetadataResponse>(a_metadata(), 9);
  const json::value all = value("GET", "/v1/ledger");
  ASSERT_EQ(all.as_array().size(), 3U);
  EXPECT_EQ(all.at(1).at("kind"), "request");
  EXPECT_EQ(all.at(1).at("api"), "Metadata");
  EXPECT_EQ(value("GET", "/v1/ledger?after=1&limit=1").at(0), all.at(1));
  EXPECT_EQ(refusal("GET", "/v1/ledger?limit=0"),
            "400 limit is an integer from 1 to 10000 @ ?limit");
}

TEST_F(ControlApiTest, WhatIsNotThereOrNotPossibleIsSaidSo) {
  EXPECT_EQ(refusal("GET", "/v2"), "404 there is nothing at /v2");
  EXPECT_EQ(refusal("GET", "/%zz"), "400 a '%' is followed by two hexadecimal digits");
  const ControlResponse wrong = ask("PUT", "/v1/topics");
  EXPECT_EQ(wrong.status, 405);
  EXPECT_EQ(wrong.allow, "GET, POST");
}

TEST_F(ControlApiTest, NamesAreDecoded) {
  value("POST", "/v1/rules", R"({"id": "a/b", "do": {"drop": true}})");
  EXPECT_EQ(value("GET", "/v1/rules/a%2Fb").at("id"), "a/b");
}

TEST(ControlOpenApi, DescribesWhatThereIsAndNothingElse) {
  const json::value document = json::parse(kOpenapiJson);
  std::set<std::string> described;
  for (const auto& [path, item] : document.at("paths").as_object()) {
    for (const auto& [method, operation] : item.as_object()) {
      std::string upper(method);
      for (char& c : upper) c = static_cast<char>(std::toupper(c));
      described.insert(upper + ' ' + std::string(path));
    }
  }
  const auto operations = ControlApi::operations();
  std::set<std::string> there(operations.begin(), operations.end());
  there.insert("GET /v1/events");  // the server's own
  EXPECT_EQ(described, there);
}

// An answer's members are those of its schema.
TEST_F(ControlApiTest, AnswersAreAsTheirSchemasSay) {
  const json::value document = json::parse(kOpenapiJson);
  value("POST", "/v1/rules", R"({"id": "r", "do": {"drop": true}, "when": {"api": "Heartbeat"}})");
  ClientForTest client(cluster.broker(1));
  client.call<protocol::MetadataResponse>(a_metadata(), 9);
  for (const auto& [path, schema] :
       std::map<std::string, std::string>{{"brokers", "Broker"},
                                          {"topics", "Topic"},
                                          {"rules", "RuleStatus"},
                                          {"connections", "Connection"},
                                          {"ledger", "LedgerEntry"}}) {
    const json::object& properties =
        document.at("components").at("schemas").at(schema).at("properties").as_object();
    const json::array& required =
        document.at("components").at("schemas").at(schema).at("required").as_array();
    const json::value answers = value("GET", "/v1/" + path);
    ASSERT_FALSE(answers.as_array().empty()) << path;
    for (const json::value& answer : answers.as_array()) {
      for (const auto& [member, ignored] : answer.as_object())
        EXPECT_TRUE(properties.contains(member)) << path << ' ' << member;
      for (const json::value& member : required)
        EXPECT_TRUE(answer.as_object().contains(member.as_string())) << path << ' ' << member;
    }
  }
}

}  // namespace
}  // namespace ktrial::fakebroker
