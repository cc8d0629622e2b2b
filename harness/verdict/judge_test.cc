// SPDX-License-Identifier: Apache-2.0
// Times and their tolerance, preconditions, levels, and the verdict of a whole case.
#include "harness/verdict/judge.h"

#include "harness/check/judge_support.h"
#include "harness/verdict/verdict_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ktrial::harness {
namespace {

using testing::HasSubstr;

// Last payload at 100 ms, FIN of the client `idle_ms` later.
LogBuilder idle_close(double idle_ms) {
  LogBuilder log;
  const int conn = log.open(5, 1, {"bootstrap"});
  log.request(99, conn, "Metadata").response(100, conn, "Metadata").mark(101, "quiet");
  log.close_by(100 + idle_ms, conn, "client").mark(6000, "end").call(6100, "close", 1);
  return log;
}
std::string gap(const std::string& bounds) {
  return "each: {conns: {closed_in: [quiet, end]}}, gap: {from: last_payload, to: "
         "first_fin_or_rst, " +
         bounds + "}";
}

TEST(Tolerance, LowerBoundsAreNearlyHard) {
  EXPECT_EQ(judge_check(gap("min: 3s"), idle_close(2999)).verdict, Verdict::kPass);
  const auto early = judge_check(gap("min: 3s"), idle_close(2950));
  EXPECT_EQ(early.verdict, Verdict::kFail);
  EXPECT_THAT(early.sentence, HasSubstr("2950 ms < 3000 - 2 (timer rounding): early by 50 ms"));
}

TEST(Tolerance, AnEarlyCloseIsExcusedOnlyByWaitJustBefore) {
  LogBuilder waited = idle_close(2950);
  waited.note(99.5, "sched", {{"interval_ms", 50}, {"wait_ns_max_thread", 60'000'000}});
  const auto check = judge_check(gap("min: 3s"), waited);
  EXPECT_EQ(check.verdict, Verdict::kInconclusive);
  EXPECT_EQ(check.reason, "host_load");
  LogBuilder later = idle_close(2950);
  later.note(1000, "sched", {{"interval_ms", 50}, {"wait_ns_max_thread", 60'000'000}});
  EXPECT_EQ(judge_check(gap("min: 3s"), later).verdict, Verdict::kFail);
}

TEST(Tolerance, UpperBoundsHaveGranularityAndSlack) {
  const std::string bounds = gap("max: 3s, granularity: \"${profile.idle.granularity}\"");
  const auto check = judge_check(bounds, idle_close(4150));
  EXPECT_EQ(check.verdict, Verdict::kPass);
  EXPECT_THAT(check.sentence,
              HasSubstr("4150 ms <= 3000 + 1100 (the client's granularity) + 60 (slack)"));
  const auto late = judge_check(bounds, idle_close(4200));
  EXPECT_EQ(late.verdict, Verdict::kFail);
  EXPECT_THAT(late.sentence, HasSubstr("late by 40 ms"));
}

TEST(Tolerance, TheHostExcusesUpToACap) {
  LogBuilder log = idle_close(3200);
  log.note(2900, "sched", {{"interval_ms", 100}, {"wait_ns_max_thread", 75'000'000}});
  log.note(3000, "sched", {{"interval_ms", 100}, {"wait_ns_max_thread", 75'000'000}});
  const auto check = judge_check(gap("max: 3s"), log);
  EXPECT_EQ(check.verdict, Verdict::kInconclusive);
  EXPECT_THAT(check.sentence, HasSubstr("the host kept the client waiting 150 ms"));
  // max(250 ms, 10 %) of 3 s is 300 ms: whatever was waited, 3 s + 60 + 300 is the end.
  LogBuilder late = idle_close(3400);
  for (int look = 1; look <= 30; ++look)
    late.note(100 * look, "sched", {{"interval_ms", 100}, {"wait_ns_max_thread", 90'000'000}});
  EXPECT_EQ(judge_check(gap("max: 3s"), late).verdict, Verdict::kFail);
}

TEST(Tolerance, AThreadThatWaitsLongerThanBetweenTwoLooksIsAStallOfTheHost) {
  LogBuilder log = idle_close(3600);
  log.note(4067, "sched", {{"interval_ms", 50}, {"wait_ns_max_thread", 696'000'000}});
  const auto check = judge_check(gap("max: 3s"), log);
  EXPECT_EQ(check.verdict, Verdict::kInconclusive);
  EXPECT_EQ(check.reason, "host_stall");
  LogBuilder after = idle_close(3600);
  after.note(7000, "sched", {{"interval_ms", 50}, {"wait_ns_max_thread", 696'000'000}});
  EXPECT_EQ(judge_check(gap("max: 3s"), after).verdict, Verdict::kFail);
}

TEST(Tolerance, AnExcuseNeverMakesAPass) {
  LogBuilder log = idle_close(3061);
  log.note(3000, "sched", {{"interval_ms", 100}, {"wait_ns_max_thread", 90'000'000}});
  EXPECT_EQ(judge_check(gap("max: 3s"), log).verdict, Verdict::kInconclusive);
}

TEST(Tolerance, OnlyUpperSlackIsScaled) {
  CaseContext context = a_client();
  context.time_scale = 10;
  const auto text = [](const std::string& bounds) {
    return scenario_with("- {id: c, level: MUST, " + gap(bounds) + "}\n");
  };
  EXPECT_EQ(judge_text(text("max: 3s"), idle_close(3500).build(), context).check().verdict,
            Verdict::kPass);
  EXPECT_EQ(judge_text(text("min: 3s"), idle_close(2990).build(), context).check().verdict,
            Verdict::kFail);
}

TEST(Gap, WhatNeverCameFailsOnlyOnceTheLimitHasPassed) {
  LogBuilder log;
  log.mark(100, "quiet").mark(600, "end");
  const std::string check = "gap: {from: quiet, to: {event: conn.open}, max: ";
  EXPECT_EQ(judge_check(check + "200ms}", log).verdict, Verdict::kFail);
  const auto short_log = judge_check(check + "2s}", log);
  EXPECT_EQ(short_log.verdict, Verdict::kInconclusive);
  EXPECT_EQ(short_log.reason, "watched_too_short");
  EXPECT_EQ(judge_check("within: {after: quiet, see: {event: mark, name: end}, time: 500ms}", log)
                .verdict,
            Verdict::kPass);
}

// ---- preconditions

const std::string kCount = "count: {of: {event: req}, min: 1}";

TEST(Preconditions, ACaptureThatDroppedOrDoesNotSayIsNoProof) {
  LogBuilder log = idle_close(3000);
  log.log().stats.dropped = 3;
  EXPECT_EQ(judge_check(kCount, log).reason, "capture_drop");
  log.log().stats.dropped.reset();
  EXPECT_EQ(judge_check(kCount, log).verdict, Verdict::kInconclusive);
}

TEST(Preconditions, AHoleInAJudgedStreamIsNoProof) {
  LogBuilder log = idle_close(3000);
  log.note(50, "tcp.gap", {{"bytes", 10}});
  log.log().events.back().conn = 0;
  EXPECT_EQ(judge_check(kCount, log).reason, "tcp_gap");
  EXPECT_EQ(judge_check("count: {of: {event: req, window: [quiet, end]}, max: 0}", log).verdict,
            Verdict::kPass);
}

TEST(Preconditions, StallsMatterToTimesOnly) {
  LogBuilder log = idle_close(3000);
  log.note(2000, "host.stall", {{"probe", "rr"}, {"ms", 300}});
  EXPECT_EQ(judge_check(gap("max: 3s"), log).reason, "host_stall");
  EXPECT_EQ(judge_check(kCount, log).verdict, Verdict::kPass);
}

TEST(Preconditions, ACaptureWithoutNotesIsBlind) {
  LogBuilder log = idle_close(3000);
  std::erase_if(log.log().events, [](const auto& event) {
    return event.type == "mark" || event.type == "layout" || event.type.starts_with("call.");
  });
  EXPECT_EQ(judge_check(kCount, log).reason, "capture_blind");
}

TEST(Preconditions, DriverClockAndStrangers) {
  LogBuilder lost = idle_close(3000);
  lost.note(6200, "driver.lost");
  EXPECT_EQ(judge_check(kCount, lost).reason, "driver_lost");
  LogBuilder step = idle_close(3000);
  step.note(2000, "clock.step");
  EXPECT_EQ(judge_check(gap("max: 3s"), step).reason, "clock_step");
  LogBuilder stranger = idle_close(3000);
  stranger.exchange(200, stranger.open(150, -1), "Metadata");
  EXPECT_EQ(judge_check(kCount, stranger).reason, "foreign_traffic");
}

// ---- levels and the case

TEST(Case, AShouldThatFailsIsNonstrict) {
  EXPECT_EQ(judge_check("count: {of: {event: req}, eq: 5}", idle_close(3000), "SHOULD").verdict,
            Verdict::kNonstrict);
  const auto info = judge_check("count: {of: {event: req}, eq: 5}", idle_close(3000), "INFO");
  EXPECT_EQ(info.verdict, Verdict::kInfo);
  EXPECT_THAT(info.sentence, HasSubstr("does not hold"));
}

TEST(Case, IsAsBadAsItsWorstCheck) {
  const std::string checks =
      "- {id: good, level: MUST, count: {of: {event: req}, eq: 1}}\n"
      "- {id: weak, level: SHOULD, count: {of: {event: req}, eq: 2}}\n";
  const auto judged = judge_text(scenario_with(checks), idle_close(3000).build());
  EXPECT_EQ(judged.verdict.verdict, Verdict::kNonstrict);
  EXPECT_THAT(judged.verdict.reason, HasSubstr("weak: 1 of req"));
  const auto worse_case = judge_text(
      scenario_with(checks + "- {id: bad, level: MUST, count: {of: {event: req}, eq: 3}}\n"),
      idle_close(3000).build());
  EXPECT_EQ(worse_case.verdict.verdict, Verdict::kFail);
}

TEST(Case, ConditionsAndCapabilitiesMakeChecksNotApplicable) {
  const std::string checks =
      "- {id: a, level: MUST, when: {profile: {connect: on_poll}}, count: {of: {event: req}, eq: "
      "9}}\n"
      "- {id: b, level: MUST, needs: [transactions], count: {of: {event: req}, eq: 9}}\n"
      "- {id: c, level: MUST, when: {client: \"java <4\"}, count: {of: {event: req}, eq: 9}}\n"
      "- {id: d, level: MUST, count: {of: {event: req}, max: \"${profile.nothing}\"}}\n";
  const auto judged = judge_text(scenario_with(checks), idle_close(3000).build());
  EXPECT_EQ(judged.verdict.verdict, Verdict::kNotApplicable);
  EXPECT_EQ(judged.check(0).sentence, "profile connect is eager, not on_poll");
  EXPECT_EQ(judged.check(1).sentence, "the client has no capability 'transactions'");
  EXPECT_EQ(judged.check(2).sentence, "client is java 4.4.0, not java <4");
  EXPECT_EQ(judged.check(3).sentence, "the client's profile does not say nothing");
}

TEST(Case, ACallThatTheDriverCannotMakeIsUnsupported) {
  LogBuilder log = idle_close(3000);
  log.call(50, "create", 1, {{"unsupported", "config connections.max.idle.ms"}});
  const auto judged =
      judge_text(scenario_with("- {id: c, level: MUST, " + kCount + "}\n"), log.build());
  EXPECT_EQ(judged.verdict.verdict, Verdict::kUnsupported);
  EXPECT_EQ(judged.verdict.reason,
            "create: the driver does not support config connections.max.idle.ms");
}

TEST(Case, AMissedWaitIsToldAndCannotPass) {
  LogBuilder log = idle_close(3000);
  log.note(5000, "step.missed", {{"text", "resp Produce"}, {"where", "a.yaml:9:5"}});
  const auto judged =
      judge_text(scenario_with("- {id: c, level: MUST, " + kCount + "}\n"), log.build());
  EXPECT_EQ(judged.verdict.verdict, Verdict::kInconclusive);
  EXPECT_EQ(judged.verdict.reason,
            "the steps ended early at 5.000000 s, waiting in vain: resp Produce (a.yaml:9:5)");
}

TEST(Case, AClientWhoseProcessDiesOfWhatItReadHasFailed) {
  LogBuilder log = idle_close(3000);
  log.note(6200, "driver.crash", {{"how", "the driver exited with code 1"}});
  const auto judged =
      judge_text(scenario_with("- {id: c, level: MUST, " + kCount + "}\n"), log.build());
  EXPECT_EQ(judged.verdict.verdict, Verdict::kFail);
  EXPECT_EQ(judged.verdict.reason,
            "the client's process died at 6.200000 s: the driver exited with code 1");
}

TEST(Case, AFaultThatNeverFiredIsAnError) {
  const std::string text =
      "id: test/rule\n"
      "cluster: {brokers: 1, rules: [{id: hiccup, when: {api: Produce, times: 1}, do: {error: "
      "NOT_LEADER_OR_FOLLOWER}},"
      " {id: maybe, do: {drop: true}, optional: true}]}\n"
      "client: {role: producer}\nsteps: [{mark: quiet}, {mark: end}]\nchecks:\n- {id: c, level: "
      "MUST, " +
      kCount + "}\n";
  LogBuilder log = idle_close(3000);
  const auto judged = judge_text(text, log.build());
  EXPECT_EQ(judged.verdict.verdict, Verdict::kError);
  EXPECT_EQ(judged.verdict.reason, "fault not exercised: rule 'hiccup' never fired");
  log.note(6200, "rule.hit", {{"id", "hiccup"}});
  EXPECT_EQ(judge_text(text, log.build()).verdict.verdict, Verdict::kPass);
}

TEST(Case, JsonHasWhatReportsRead) {
  const auto judged = judge_text(
      scenario_with("- {id: c, level: MUST, basis: protocol, claims: [C6], requirement: r, " +
                    kCount + "}\n"),
      idle_close(3000).build());
  const auto json = checks_json(judged.verdict).at(0).as_object();
  EXPECT_EQ(json.at("id"), "c");
  EXPECT_EQ(json.at("level"), "MUST");
  EXPECT_EQ(json.at("verdict"), "pass");
  EXPECT_EQ(json.at("evidence").as_array().at(0).at("t"), 0.099);
  EXPECT_EQ(json.at("claims").as_array().at(0), "C6");
  EXPECT_EQ(json.at("tshark"), "frame.number in {4}");
}

TEST(Verdict, OnlyWorsens) {
  EXPECT_EQ(worse(Verdict::kPass, Verdict::kNonstrict), Verdict::kNonstrict);
  EXPECT_EQ(worse(Verdict::kFail, Verdict::kInconclusive), Verdict::kFail);
  EXPECT_EQ(worse(Verdict::kError, Verdict::kFail), Verdict::kError);
  EXPECT_EQ(worse(Verdict::kInfo, Verdict::kPass), Verdict::kPass);
  EXPECT_EQ(worse(Verdict::kNotApplicable, Verdict::kInfo), Verdict::kInfo);
}

}  // namespace
}  // namespace ktrial::harness
