// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/rules/rule_json.h"

#include <gtest/gtest.h>

namespace ktrial::fakebroker {
namespace {

namespace json = boost::json;

Rule read(std::string_view text) {
  auto rule = rule_from_json(json::parse(text));
  EXPECT_TRUE(rule) << (rule ? "" : rule.error().to_string());
  return rule.value_or(Rule());
}

RuleAction action(std::string_view text) {
  auto read = action_from_json(json::parse(text));
  EXPECT_TRUE(read) << (read ? "" : read.error().to_string());
  return read.value_or(RuleAction());
}

// "message @ pointer".
std::string fault(std::string_view text) {
  const auto rule = rule_from_json(json::parse(text));
  return rule ? "no fault" : rule.error().message + " @ " + rule.error().where;
}

TEST(RuleJson, PrintsWhatItRead) {
  for (const std::string_view text : {
           R"({"id":"a","do":{"error":"NOT_LEADER_OR_FOLLOWER"}})",
           R"({"id":"a","do":{"error":9999}})",
           R"({"id":"a","when":{"api":"Produce","version":{"min":3,"max":9},"broker":2,)"
           R"("connection":7,"client_id":"c","topic":"t","partition":1,"skip":1,"every":2,)"
           R"("times":3,"probability":2.5E-1,"after":100,"for":2000},"do":{"drop":true}})",
           R"({"id":"a","when":{"api":["Heartbeat","SyncGroup"],"group":"g",)"
           R"("between":["a","b"]},"do":{"delay":250,"before":true}})",
           R"({"id":"a","when":{"on":"accept"},"do":{"close":"vanish"}})",
           R"({"id":"a","do":{"set":{"a":1,"b":"x","c":null,"d":false},"clear":["e"],)"
           R"("tags":{"10000":"00ff"}}})",
           R"({"id":"a","do":{"bytes":{"size":-1,"correlation_shift":1,"truncate":4,"garbage":9,)"
           R"("append":"aa","patch":{"-1":"bb"},"flip":[0],"twice":true}}})",
           R"({"id":"a","do":{"send":{"first":10,"piece":2,"every":5},"close":"rst"}})",
           R"({"id":"a","do":{"move_leader":{"topic":"t","partition":0,"to":2},)"
           R"("move_coordinator":2,"move_controller":3,"stop_broker":1}})",
           R"({"id":"a","do":{"view":{"lag":5000},"throttle":100,"stall":"forever"},)"
           R"("optional":true})",
           R"({"id":"a","when":{"topic":"t"},"do":{"error":"NONE","everywhere":true}})",
           R"({"id":"a","do":{"errors":[{"topic":"t","partition":1,"error":"NONE"},)"
           R"({"group":"g","error":9999},{"transactional_id":"x","error":"NONE"},)"
           R"({"resource":"1","error":"NONE"}],"apply":true}})",
           R"({"id":"a","do":{"close":"fin","answer":true}})",
           R"({"id":"a","do":{"close":"half","apply":true}})",
       }) {
    EXPECT_EQ(json::serialize(to_json(read(text))), text);
  }
}

TEST(RuleJson, ReadsWhatItPrinted) {
  const Rule rule =
      read(R"({"id":"a","when":{"connection":7,"skip":1,"times":3},"do":{"drop":true}})");
  const auto again = rule_from_json(to_json(rule));
  ASSERT_TRUE(again) << again.error().to_string();
  EXPECT_EQ(to_json(*again), to_json(rule));
}

TEST(RuleJson, MovesOfAPartitionAreReadAndPrinted) {
  for (const std::string move : {R"({"move_leader":{"topic":"t","partition":0,"to":-1}})",
                                 R"({"set_isr":{"topic":"t","partition":0,"replicas":[1,2]}})",
                                 R"({"hold_high_watermark":{"topic":"t","partition":0}})",
                                 R"({"release_high_watermark":{"topic":"t","partition":0}})",
                                 R"({"fail_replica":{"topic":"t","partition":0,"broker":2}})",
                                 R"({"mend_replica":{"topic":"t","partition":0,"broker":2}})"}) {
    const Rule rule = read(R"({"id":"a","do":)" + move + "}");
    ASSERT_EQ(rule.action.moves.size(), 1U) << move;
    EXPECT_EQ(json::serialize(to_json(rule).at("do")), move);
  }
  EXPECT_EQ(fault(R"({"id":"a","do":{"set_isr":{"topic":"t","partition":0}}})"),
            "set_isr: replicas is needed @ /do/set_isr/replicas");
}

TEST(RuleJson, AnErrorOrACloseStandsForWorkNotDoneUnlessToldOtherwise) {
  EXPECT_FALSE(action(R"({"error": "REQUEST_TIMED_OUT"})").apply);
  EXPECT_TRUE(action(R"({"error": 7, "apply": true})").apply);
  EXPECT_FALSE(action(R"({"close": "rst"})").apply);
  EXPECT_TRUE(action(R"({"close": "rst", "answer": true})").apply);
  EXPECT_TRUE(action(R"({"close": "rst", "send": {"first": 5}})").apply);
  EXPECT_TRUE(action(R"({"drop": true})").apply);
  EXPECT_FALSE(action(R"({"drop": true, "apply": false})").apply);
}

TEST(RuleJson, FaultsSayWhatWasExpectedAndWhere) {
  EXPECT_EQ(fault(R"({"id":"a","when":{"api":"Prodce"},"do":{"drop":true}})"),
            "a rule's when: api is the name of an API, such as Produce, not 'Prodce'; did you mean "
            "'Produce'? @ /when/api");
  EXPECT_EQ(
      fault(R"({"id":"a","do":{"error":"NOT_COORDINATR"}})"),
      "a rule's do: error is a name of Kafka's error table, not 'NOT_COORDINATR'; did you mean "
      "'NOT_COORDINATOR'? @ /do/error");
  EXPECT_EQ(fault(R"({"id":"a","do":{"dealy":5}})"),
            "a rule's do: dealy is unknown; did you mean 'delay'? @ /do/dealy");
  EXPECT_EQ(fault(R"({"id":"a","do":{"stall":"always"}})"),
            "a rule's do: stall is a time: milliseconds, or a text such as \"250ms\", \"1.5s\", or "
            "forever @ /do/stall");
  EXPECT_EQ(fault(R"({"id":"a","do":{"bytes":{"append":"0x"}}})"),
            "a rule's bytes: append is bytes in hexadecimal, such as \"00ff\" @ /do/bytes/append");
  EXPECT_EQ(fault(R"({"id":"a","when":{"partition":1},"do":{"drop":true}})"),
            "a rule's when: partition needs a topic beside it @ /when/partition");
  EXPECT_EQ(fault(R"({"id":"a","do":{}})").substr(0, 43),
            "a rule's do:  does something: error, errors");
}

TEST(RuleJson, RefusesWhatContradictsItself) {
  EXPECT_NE(fault(R"({"id":"a","do":{"drop":true,"error":"NONE"}})"), "no fault");
  EXPECT_NE(fault(R"({"id":"a","do":{"close":"fin","throttle":5}})"), "no fault");
  EXPECT_NE(fault(R"({"id":"a","do":{"drop":true,"everywhere":true}})"), "no fault");
  EXPECT_NE(fault(R"({"id":"a","do":{"drop":true,"errors":[{"topic":"t","error":1}]}})"),
            "no fault");
  EXPECT_NE(fault(R"({"id":"a","do":{"error":1,"errors":[{"topic":"t","error":1}]}})"), "no fault");
  EXPECT_NE(fault(R"({"id":"a","do":{"errors":[{"error":1}]}})"), "no fault");
  EXPECT_NE(fault(R"({"id":"a","do":{"errors":[{"partition":1,"error":1}]}})"), "no fault");
  EXPECT_NE(fault(R"({"id":"a","do":{"view":{"frozen":true,"lag":5}}})"), "no fault");
  EXPECT_NE(fault(R"({"id":"a","when":{"on":"accept"},"do":{"error":"NONE"}})"), "no fault");
  EXPECT_NE(fault(R"({"id":"a","when":{"on":"accept","api":"Fetch"},"do":{"close":"fin"}})"),
            "no fault");
}

TEST(RuleJson, TimesShrinkForAClientWhoseClockRunsFaster) {
  Rule rule = read(R"({"id":"a","when":{"after":"60s","for":"6s"},
                       "do":{"delay":"1min","throttle":"1s","stall":"forever"}})");
  quicken(rule, 60);
  EXPECT_EQ(rule.match.after, Millis(1000));
  EXPECT_EQ(rule.match.during, Millis(100));
  EXPECT_EQ(rule.action.delay, Millis(1000));
  EXPECT_EQ(rule.action.throttle, Millis(1000));  // the client is told it, and counts it itself
  EXPECT_EQ(rule.action.stall, kForever);
}

}  // namespace
}  // namespace ktrial::fakebroker
