// SPDX-License-Identifier: Apache-2.0
// order, value, closer, series, stat and the combinators: each passes, fails and is vacuous.
#include "harness/check/judge_support.h"
#include "harness/check/matcher.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ktrial::harness {
namespace {

using testing::HasSubstr;

LogBuilder a_producer() {
  LogBuilder log;
  log.call(1, "create", 1);
  const int boot = log.open(5, 1, {"bootstrap"});
  log.exchange(6, boot, "ApiVersions");
  log.request(7, boot, "Metadata", {{"topics", nullptr}});
  log.response(8, boot, "Metadata", {{"brokers", {{{"nodeId", 1}}, {{"nodeId", 2}}}}});
  const int leader = log.open(20, 2, {"leader"});
  log.exchange(
      21, leader, "Produce",
      {{"topicData",
        {{{"name", "t"},
          {"partitionData",
           {{{"index", 1},
             {"records", {{"bytes", 80}, {"batches", {{{"count", 3}}, {{"count", 4}}}}}}}}}}}}});
  log.mark(100, "quiet").mark(200, "end").call(300, "close", 1);
  return log;
}

// ---- order

TEST(Order, HoldsAndNamesThePackets) {
  const auto check = judge_check(
      "order: [{event: req, api: Metadata}, {event: resp, api: Metadata}, {event: req, api: "
      "Produce}]",
      a_producer());
  EXPECT_EQ(check.verdict, Verdict::kPass);
  EXPECT_EQ(check.evidence.size(), 3U);
}

TEST(Order, OutOfOrderTellsBothTimes) {
  const auto check =
      judge_check("order: [{event: req, api: Produce}, {event: req, api: Metadata}]", a_producer());
  EXPECT_EQ(check.verdict, Verdict::kFail);
  EXPECT_THAT(check.sentence,
              HasSubstr("out of order: req Metadata v1 to broker 1, conn#0 at 0.007000 s"));
  EXPECT_THAT(check.sentence,
              HasSubstr("came before req Produce v1 to broker 2, conn#1 at 0.021000 s"));
}

TEST(Order, NeedsAllParts) {
  const auto check =
      judge_check("order: [{event: req, api: Metadata}, {event: req, api: Fetch}]", a_producer());
  EXPECT_EQ(check.verdict, Verdict::kFail);
  EXPECT_THAT(check.sentence, HasSubstr("missing: req Fetch after req Metadata"));
}

TEST(Order, AnyOrderStrictAndAdjacent) {
  EXPECT_EQ(judge_check("order: [{anyorder: [{event: req, api: Metadata}, {event: req, api: "
                        "ApiVersions}]}, quiet]",
                        a_producer())
                .verdict,
            Verdict::kPass);
  LogBuilder log = a_producer();
  log.exchange(150, 0, "Metadata");
  // A Metadata follows the Produce, but it is not the first one.
  const std::string parts = "[{event: req, api: Produce}, {event: req, api: Metadata}]";
  EXPECT_EQ(judge_check("order: " + parts, log).verdict, Verdict::kPass);
  EXPECT_EQ(judge_check("order: {of: " + parts + ", strict: true}", log).verdict, Verdict::kFail);
  log.exchange(120, 1, "Produce");
  EXPECT_EQ(judge_check("order: {of: " + parts + ", adjacent: true}", log).verdict, Verdict::kFail);
  EXPECT_EQ(
      judge_check("before: [{event: req, api: Metadata}, {event: req, api: Produce}]", log).verdict,
      Verdict::kPass);
}

// ---- value

TEST(Value, TestsFieldsOfEach) {
  EXPECT_EQ(
      judge_check("value: {of: {event: resp, api: Metadata}, each: {fields.brokers: {size: 2}}}",
                  a_producer())
          .verdict,
      Verdict::kPass);
  EXPECT_EQ(
      judge_check("value: {of: {event: req, api: Metadata}, each: {topics: {contains_or_all: t}}}",
                  a_producer())
          .verdict,
      Verdict::kPass);
  EXPECT_EQ(
      judge_check("value: {of: {event: req}, each: {conn.first_api: {in: [ApiVersions, Produce]}}}",
                  a_producer())
          .verdict,
      Verdict::kPass);
}

TEST(Value, AFailureNamesFieldValueAndPacket) {
  const auto check =
      judge_check("value: {of: {event: req}, each: {broker: {eq: 1}}}", a_producer());
  EXPECT_EQ(check.verdict, Verdict::kFail);
  EXPECT_EQ(check.sentence, "2 of 3 req match broker = 1; packet 12: broker is 2, not = 1");
}

TEST(Value, OfNothingFailsUnlessAllowed) {
  const std::string of = "value: {of: {event: req, api: Fetch}, each: {broker: 1}";
  EXPECT_EQ(judge_check(of + "}", a_producer()).verdict, Verdict::kFail);
  EXPECT_EQ(judge_check(of + ", allow_empty: true}", a_producer()).verdict, Verdict::kPass);
  EXPECT_EQ(
      judge_check("value: {of: {event: req, api: Fetch}, none: {broker: 1}}", a_producer()).verdict,
      Verdict::kPass);
}

TEST(Value, ComparesWithTheLeader) {
  const std::string check =
      "value: {of: {event: req, api: Produce}, each: {broker: {equals: \"leader(t, partition)\"}}}";
  EXPECT_EQ(judge_check(check, a_producer()).verdict, Verdict::kPass);
  LogBuilder moved = a_producer();
  moved.note(10, "broker.act",
             {{"do", "move_leader"}, {"topic", "t"}, {"partition", 1}, {"to", 3}});
  const auto wrong = judge_check(check, moved);
  EXPECT_EQ(wrong.verdict, Verdict::kFail);
  EXPECT_THAT(wrong.sentence, HasSubstr("broker is 2, the leader of t-1 is 3"));
}

TEST(Value, DistinctNamesBothPackets) {
  LogBuilder log;
  log.call(1, "create", 1).note(2, "driver.event", {{"name", "delivered"}, {"offset", 4}});
  log.note(3, "driver.event", {{"event", "delivered"}, {"offset", 4}});
  const auto check = judge_check(
      "value: {of: {event: driver.event, name: delivered}, each: {offset: {distinct: true}}}", log);
  EXPECT_EQ(check.verdict, Verdict::kFail);
  EXPECT_EQ(check.sentence, "offset 4 is seen twice, in packets 4 and 5");
}

TEST(Value, TheLastBeforeTheWindowMayStandIn) {
  LogBuilder log;
  log.note(50, "socket.table", {{"states", {{"CLOSE_WAIT", 1}}}})
      .mark(100, "quiet")
      .mark(200, "end");
  EXPECT_EQ(
      judge_check("value: {of: {event: socket.table, window: [quiet, end], or_last_before: true},"
                  " each: {states.CLOSE_WAIT: {max: 0}}}",
                  log)
          .verdict,
      Verdict::kFail);
}

// ---- closer

LogBuilder closed_by(const std::string& side) {
  LogBuilder log;
  const int conn = log.open(5, 1, {"bootstrap"});
  log.exchange(6, conn, "Metadata").mark(100, "quiet").close_by(150, conn, side).mark(200, "end");
  return log;
}
const std::string kClosed = "each: {conns: {closed_in: [quiet, end]}}, ";

TEST(Closer, WhoAndHow) {
  EXPECT_EQ(judge_check(kClosed + "closer: {who: client, kind: fin, pending_data: none}",
                        closed_by("client"))
                .verdict,
            Verdict::kPass);
  const auto broker = judge_check(kClosed + "closer: {who: client}", closed_by("broker"));
  EXPECT_EQ(broker.verdict, Verdict::kFail);
  EXPECT_THAT(broker.sentence,
              HasSubstr("conn#0 to broker 1 ended by broker, not client, client's end "
                        "in packet 8, broker's end in packet 7"));
}

TEST(Closer, ResetAndPendingDataAreSeen) {
  LogBuilder log;
  const int conn = log.open(5, 1);
  log.request(6, conn, "Fetch").mark(100, "quiet").rst(150, conn, "client").mark(200, "end");
  log.connection(conn).pending_data = true;
  const auto check = judge_check(kClosed + "closer: {kind: fin, pending_data: none}", log);
  EXPECT_EQ(check.verdict, Verdict::kFail);
  EXPECT_THAT(check.sentence, HasSubstr("ended by rst, not fin, a request was unanswered"));
}

TEST(Closer, EachOverNothingFails) {
  LogBuilder log;
  log.open(5, 1);
  log.mark(100, "quiet").mark(200, "end");
  EXPECT_EQ(judge_check(kClosed + "closer: {who: client}", log).verdict, Verdict::kFail);
  EXPECT_EQ(judge_check(kClosed + "allow_empty: true, closer: {who: client}", log).verdict,
            Verdict::kPass);
  EXPECT_EQ(judge_check("closer: {of: {conns: {broker: 1}}, who: client}", log).verdict,
            Verdict::kFail);
}

// ---- series

LogBuilder attempts(const std::vector<double>& at_ms) {
  LogBuilder log;
  log.mark(1, "quiet");
  for (const double ms : at_ms) log.refuse(ms + 0.1, log.attempt(ms, 2));
  log.mark(at_ms.empty() ? 10000 : at_ms.back() + 100, "end");
  return log;
}
const std::string kBackoff =
    "series: {of: {event: conn.attempt, window: [quiet, end]}, shape: geometric, base: 100ms, "
    "factor: 2, cap: 1s, jitter: 0.2, first_exponent: [0, 1]}";

TEST(Series, ABackoffThatDoubles) {
  EXPECT_EQ(judge_check(kBackoff, attempts({10, 110, 320, 700, 1500, 2500, 3480})).verdict,
            Verdict::kPass);
  // The same law from its second step.
  EXPECT_EQ(judge_check(kBackoff, attempts({10, 210, 620, 1400})).verdict, Verdict::kPass);
}

TEST(Series, AConstantPauseIsNoBackoff) {
  const auto check = judge_check(kBackoff, attempts({10, 110, 210, 310, 410}));
  EXPECT_EQ(check.verdict, Verdict::kFail);
  EXPECT_THAT(check.sentence,
              HasSubstr("1 of 4 gaps as wanted (exponents from 0); gap 2: 100 ms < 160 - 2"));
  EXPECT_EQ(check.evidence.size(), 4U);
}

TEST(Series, BoundedAndConstant) {
  const std::string of = "series: {of: {event: conn.attempt}, ";
  const auto log = attempts({0.5, 1000, 2010, 3000});
  EXPECT_EQ(judge_check(of + "shape: constant, period: 1s, jitter: 0.02}", log).verdict,
            Verdict::kPass);
  EXPECT_EQ(judge_check(of + "shape: bounded, min: 900ms, max: 1s}", log).verdict, Verdict::kPass);
  EXPECT_EQ(judge_check(of + "shape: bounded, max: 900ms, skip: 1}", log).verdict, Verdict::kFail);
}

TEST(Series, OfOneEventShowsNothing) {
  const auto check = judge_check(kBackoff, attempts({10}));
  EXPECT_EQ(check.verdict, Verdict::kFail);
  EXPECT_THAT(check.sentence, HasSubstr("make 0 gaps, too few to judge"));
}

// ---- stat

TEST(Stat, SumsRecordsOfProduceRequests) {
  EXPECT_EQ(judge_check("stat: {of: {event: req, api: Produce}, sum: records, eq: 7}", a_producer())
                .verdict,
            Verdict::kPass);
  const auto wrong =
      judge_check("stat: {of: {event: req, api: Produce}, sum: records, eq: 8}", a_producer());
  EXPECT_EQ(wrong.verdict, Verdict::kFail);
  EXPECT_THAT(wrong.sentence, HasSubstr("is 7 (sample of 1), but wanted = 8"));
}

TEST(Stat, TheHighestRateInAnyWindow) {
  const auto log = attempts({10, 20, 900, 1005, 1009, 3000});
  EXPECT_EQ(judge_check("stat: {of: {event: conn.attempt}, rate: per_1s, max: 4}", log).verdict,
            Verdict::kFail);
  EXPECT_EQ(judge_check("stat: {of: {event: conn.attempt}, rate: per_1s, max: 5}", log).verdict,
            Verdict::kPass);
}

TEST(Stat, PercentilesAndRatios) {
  LogBuilder log;
  for (int i = 1; i <= 100; ++i)
    log.note(i, "driver.metric", {{"ms", i}, {"name", i % 2 ? "a" : "b"}});
  EXPECT_EQ(judge_check("stat: {of: {event: driver.metric}, p99: ms, eq: 99}", log).verdict,
            Verdict::kPass);
  EXPECT_EQ(judge_check("stat: {of: {event: driver.metric, name: b}, mean: ms,"
                        " against: {of: {event: driver.metric, name: a}, mean: ms}, max: 1.03}",
                        log)
                .verdict,
            Verdict::kPass);
  EXPECT_EQ(judge_check("stat: {of: {event: driver.error}, mean: ms, max: 1}", log).verdict,
            Verdict::kFail);
}

TEST(Stat, ConnectionsOpenAtOnce) {
  LogBuilder log;
  const int first = log.open(10, 1);
  log.close_by(20, first, "client");
  log.open(30, 2);
  log.open(40, 3);
  log.mark(100, "quiet");
  EXPECT_EQ(judge_check("stat: {of: {conns: {}}, concurrent: true, eq: 2}", log).verdict,
            Verdict::kPass);
}

// ---- fields by path

TEST(Fields, PathsRunThroughListsAndDottedNames) {
  const boost::json::object root{
      {"topics", {{{"name", "a"}}, {{"name", "b"}}}}, {"x.y", 1}, {"states", {{"CLOSE_WAIT", 2}}}};
  EXPECT_EQ(look_up(root, "topics.name").value, (boost::json::array{"a", "b"}));
  EXPECT_TRUE(look_up(root, "topics.name").spread);
  EXPECT_EQ(look_up(root, "topics.1.name").value, "b");
  EXPECT_EQ(look_up(root, "x.y").value, 1);
  EXPECT_EQ(look_up(root, "states.CLOSE_WAIT").value, 2);
  EXPECT_FALSE(look_up(root, "states.ESTABLISHED").found);
  EXPECT_FALSE(look_up(root, "topics.7.name").found);
}

// ---- combinators

TEST(Combinators, AllAnyNot) {
  const std::string yes = "{count: {of: {event: req}, min: 1}}";
  const std::string no = "{count: {of: {event: req, api: Fetch}, min: 1}}";
  EXPECT_EQ(judge_check("all: [" + yes + ", " + yes + "]", a_producer()).verdict, Verdict::kPass);
  EXPECT_EQ(judge_check("all: [" + yes + ", " + no + "]", a_producer()).verdict, Verdict::kFail);
  EXPECT_EQ(judge_check("any: [" + no + ", " + yes + "]", a_producer()).verdict, Verdict::kPass);
  EXPECT_EQ(judge_check("any: [" + no + ", " + no + "]", a_producer()).verdict, Verdict::kFail);
  EXPECT_EQ(judge_check("not: " + no, a_producer()).verdict, Verdict::kPass);
  const auto check = judge_check("not: " + yes, a_producer());
  EXPECT_EQ(check.verdict, Verdict::kFail);
  EXPECT_EQ(check.expanded, "not {count of req >= 1}");
}

TEST(Combinators, EachNarrowsToItsConnection) {
  EXPECT_EQ(
      judge_check("each: {conns: {}}, count: {of: {event: req}, max: 2}", a_producer()).verdict,
      Verdict::kPass);
  EXPECT_EQ(judge_check("each: {conns: {}}, count: {of: {event: req, anywhere: true}, max: 2}",
                        a_producer())
                .verdict,
            Verdict::kFail);
  EXPECT_EQ(judge_check(
                "each: {event: req, api: Metadata}, gap: {from: it, to: {event: resp}, max: 10ms}",
                a_producer())
                .verdict,
            Verdict::kPass);
  EXPECT_EQ(
      judge_check("each: {brokers: [1, 2]}, count: {of: {event: conn.open}, eq: 1}", a_producer())
          .verdict,
      Verdict::kPass);
}

}  // namespace
}  // namespace ktrial::harness
