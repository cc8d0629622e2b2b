// SPDX-License-Identifier: Apache-2.0
// A small run for the renderers' tests: one pass, one fail with evidence, one inconclusive.
#pragma once

#include "reports/model/run_result.h"

#include <string>

namespace ktrial::reports {

inline RunResult sample_run() {
  RunResult run;
  run.dir = "out";
  run.started = "2026-01-02T03:04:05Z";
  run.ktrial_version = "0.1.0";
  run.complete = true;
  run.exit_code = 1;

  CaseResult passing;
  passing.id = "conn/idle/closed-on-time";
  passing.title = "An idle connection is closed on time";
  passing.client = "java";
  passing.version = "4.4.0";
  passing.verdict = Verdict::kPass;
  passing.dir = "cases/a";
  passing.checks.push_back({});
  passing.checks.back().id = "closed";
  passing.checks.back().level = "MUST";
  passing.checks.back().basis = "config-doc";
  passing.checks.back().verdict = Verdict::kPass;
  passing.checks.back().sentence = "2 connections closed";

  CaseResult failing = passing;
  failing.client = "other";
  failing.version = "1.0";
  failing.verdict = Verdict::kFail;
  failing.checks.back().verdict = Verdict::kFail;
  failing.checks.back().sentence = "0 connections closed, at least 1 expected";
  failing.checks.back().evidence.push_back({7, 1.25, 0, "last payload"});
  failing.checks.back().arithmetic.push_back({"observed", "0", ""});
  failing.duration = 4;
  Lane lane;
  lane.broker = 1;
  lane.server = "127.0.0.1:9092";
  lane.roles = {"bootstrap"};
  lane.attempt = 0.1;
  lane.open = 0.1;
  lane.closed = 3.5;
  lane.closer = "client";
  lane.close_kind = "fin";
  failing.lanes.push_back(lane);
  Request request;
  request.t = 0.2;
  request.answered = 0.21;
  request.conn = 0;
  request.broker = 1;
  request.api = "Metadata";
  request.packet = 7;
  failing.requests.push_back(request);
  failing.calls.push_back({"create", "", 0.05, 0.15, true});
  failing.moments.push_back({"mark", "quiet", 1, 1});

  CaseResult unsure = passing;
  unsure.client = "slow";
  unsure.verdict = Verdict::kInconclusive;
  unsure.reason = "host_stall: 310 ms inside the window";

  run.cases = {passing, failing, unsure};
  return run;
}

}  // namespace ktrial::reports
