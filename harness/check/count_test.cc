// SPDX-License-Identifier: Apache-2.0
#include "harness/check/judge_support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ktrial::harness {
namespace {

using testing::HasSubstr;

LogBuilder three_requests() {
  LogBuilder log;
  log.call(1, "create", 1);
  const int conn = log.open(5, 1, {"bootstrap"});
  log.exchange(6, conn, "Metadata").mark(100, "quiet");
  log.exchange(200, conn, "Metadata").exchange(300, conn, "Produce").mark(400, "end");
  log.exchange(500, conn, "Metadata").call(600, "close", 1);
  return log;
}

TEST(Count, CountsInsideTheWindow) {
  const auto check = judge_check(
      "count: {of: {event: req, api: Metadata, window: [quiet, end]}, eq: 1}", three_requests());
  EXPECT_EQ(check.verdict, Verdict::kPass);
  EXPECT_THAT(check.sentence,
              HasSubstr("1 of req Metadata in [quiet, end] (packets 9), wanted = 1"));
  EXPECT_EQ(check.expanded, "count of req Metadata in [quiet, end] = 1");
  EXPECT_EQ(check.tshark, "frame.number in {9}");
}

TEST(Count, AFailureNamesNumberPacketsAndMarks) {
  const auto check =
      judge_check("count: {of: {event: req}, window: [quiet, end], max: 1}", three_requests());
  EXPECT_EQ(check.verdict, Verdict::kFail);
  EXPECT_EQ(check.sentence,
            "2 of req in [quiet, end] (packets 9, 11), but wanted <= 1 in [quiet, end] = "
            "0.100000 s (packet 8) to 0.400000 s (packet 13)");
}

TEST(Count, NothingFoundTellsWhatWasSeenInstead) {
  const auto check = judge_check(
      "count: {of: {event: req, api: Fetch, window: [quiet, end]}, min: 1}", three_requests());
  EXPECT_EQ(check.verdict, Verdict::kFail);
  EXPECT_THAT(check.sentence,
              HasSubstr("seen there: req Metadata x1, resp Metadata x1, req Produce x1"));
}

TEST(Count, NeverIsSugar) {
  const auto check =
      judge_check("never: {event: conn.attempt, window: [quiet, end]}", three_requests());
  EXPECT_EQ(check.verdict, Verdict::kPass);
  EXPECT_EQ(check.expanded, "count of conn.attempt in [quiet, end] = 0");
}

TEST(Count, NeverNeedsTheMarksOfItsWindow) {
  LogBuilder log;
  log.call(1, "create", 1).mark(100, "quiet");
  const auto check = judge_check("never: {event: conn.attempt, window: [quiet, end]}", log);
  EXPECT_EQ(check.verdict, Verdict::kInconclusive);
  EXPECT_EQ(check.reason, "not_reached");
}

TEST(Count, CallsAreMarks) {
  EXPECT_EQ(judge_check("count: {of: {event: req}, window: [create.begin, close.begin], eq: 4}",
                        three_requests())
                .verdict,
            Verdict::kPass);
  EXPECT_EQ(
      judge_check("count: {of: {event: req, before: quiet}, eq: 1}", three_requests()).verdict,
      Verdict::kPass);
  EXPECT_EQ(
      judge_check("count: {of: {event: req, after: {first: {event: req, api: Produce}}}, eq: 1}",
                  three_requests())
          .verdict,
      Verdict::kPass);
}

TEST(Count, ConnectionsByRoleApiAndTime) {
  LogBuilder log;
  log.call(1, "create", 1);
  const int boot = log.open(5, 1, {"bootstrap"});
  const int leader = log.open(50, 2, {"leader"});
  log.exchange(6, boot, "Metadata").exchange(60, leader, "Produce").mark(100, "quiet");
  log.close_by(200, boot, "client").mark(300, "end").call(400, "close", 1);
  EXPECT_EQ(judge_check("count: {of: {conns: {role: bootstrap}}, eq: 1}", log).verdict,
            Verdict::kPass);
  EXPECT_EQ(judge_check("count: {of: {conns: {apis: [Produce]}}, eq: 1}", log).verdict,
            Verdict::kPass);
  EXPECT_EQ(judge_check("count: {of: {conns: {open_at: quiet}}, eq: 2}", log).verdict,
            Verdict::kPass);
  EXPECT_EQ(judge_check("count: {of: {conns: {open_at: end}}, eq: 1}", log).verdict,
            Verdict::kPass);
  EXPECT_EQ(judge_check("count: {of: {conns: {closed_in: [quiet, end]}}, eq: 1}", log).verdict,
            Verdict::kPass);
  EXPECT_EQ(judge_check("count: {of: {conns: {opened_in: [quiet, end]}}, eq: 0}", log).verdict,
            Verdict::kPass);
  EXPECT_EQ(
      judge_check("count: {of: {event: req, in: {conns: {role: leader}}}, eq: 1}", log).verdict,
      Verdict::kPass);
  EXPECT_EQ(
      judge_check("each: {brokers: [1, 2]}, count: {of: {conns: {broker: \"${broker}\"}}, eq: 1}",
                  log)
          .verdict,
      Verdict::kPass);
}

TEST(Count, InfoReportsAndComparesWithWhatIsExpected) {
  const auto as_expected = judge_check(
      "count: {of: {event: req}, report: n}, expect: {java: 4, \"librdkafka >=2\": 1..}",
      three_requests(), "INFO");
  EXPECT_EQ(as_expected.verdict, Verdict::kInfo);
  EXPECT_FALSE(as_expected.finding);
  const auto other = judge_check("count: {of: {event: req}, report: n}, expect: {java: ..3}",
                                 three_requests(), "INFO");
  EXPECT_EQ(other.verdict, Verdict::kInfo);
  EXPECT_TRUE(other.finding);
  EXPECT_THAT(other.sentence, HasSubstr("FINDING: expected ..3 for java"));
}

}  // namespace
}  // namespace ktrial::harness
