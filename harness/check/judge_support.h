// SPDX-License-Identifier: Apache-2.0
// What the judge's tests share: a scenario around one check, judged over a built log.
#pragma once

#include "harness/check/load_scenario.h"
#include "harness/check/log_builder.h"
#include "harness/verdict/judge.h"

#include <gtest/gtest.h>

#include <string>

namespace ktrial::harness {

// The steps set the marks quiet and end, and call create, send twice, and close.
inline std::string scenario_with(const std::string& checks, const std::string& more = {}) {
  return "id: test/case\n"
         "cluster: {brokers: 3, bootstrap: [1], topics: {t: {partitions: 3}}}\n"
         "client: {role: producer}\n"
         "steps: [{client: create}, {client: send, topic: t}, {mark: quiet}, {sleep: 1s},"
         " {mark: end}, {client: send, topic: t}, {client: close}]\n" +
         more + "checks:\n" + checks;
}

struct Judged {
  std::shared_ptr<const Scenario> scenario;
  CaseVerdict verdict;

  [[nodiscard]] const CheckVerdict& check(std::size_t i = 0) const { return verdict.checks.at(i); }
};

inline CaseContext a_client() {
  CaseContext context;
  context.client = "java";
  context.version = "4.4.0";
  context.profile =
      boost::json::object{{"connect", "eager"}, {"idle", {{"granularity", "1100ms"}}}};
  context.capabilities = std::vector<std::string>{"idle_close"};
  return context;
}

inline Judged judge_text(const std::string& text, const capture::EventLog& log,
                         CaseContext context = a_client()) {
  Judged out;
  const auto file = parse_scenario(text, "test.yaml");
  EXPECT_TRUE(file) << (file ? "" : file.error().to_string());
  if (!file) return out;
  if (context.axes.empty()) context.axes = file->variants().front();
  auto scenario = file->bind(context);
  EXPECT_TRUE(scenario) << (scenario ? "" : scenario.error().to_string());
  if (!scenario) return out;
  out.scenario = std::make_shared<const Scenario>(std::move(*scenario));
  out.verdict = judge(*out.scenario, context, log);
  return out;
}

// One check at level MUST; `body` in YAML flow, e.g. "count: {of: {event: req}, min: 1}".
inline CheckVerdict judge_check(const std::string& body, const LogBuilder& log,
                                const std::string& level = "MUST") {
  const auto judged =
      judge_text(scenario_with("- {id: c, level: " + level + ", " + body + "}\n"), log.build());
  if (!judged.scenario) return {};
  CheckVerdict out = judged.check();
  out.spec = nullptr;  // the scenario is gone
  return out;
}

}  // namespace ktrial::harness
