// SPDX-License-Identifier: Apache-2.0
// wait: until the growing event log satisfies a selector. In vain, the steps end early (unless it
// is optional); checks are still judged and the verdict says where it stuck.
#include "harness/check/wait.h"

#include "harness/run/steps/verbs.h"

#include <fmt/format.h>

namespace ktrial::harness {

Result<StepEnd> run_wait(LiveCase& live, const WaitStep& step, const Step& source) {
  const auto deadline = std::chrono::steady_clock::now() + live.scaled(step.deadline);
  const bool came = live.capture.wait_until(
      [&](const capture::EventLog& log) {
        return satisfied(*step.condition, log) || !live.driver.fault().empty();
      },
      deadline);
  if (came) return StepEnd::kGoOn;
  live.note({{"e", "step.missed"},
             {"text", step.condition->text()},
             {"where", fmt::format("{}:{}", live.scenario.file, source.at.line)},
             {"optional", step.optional}});
  return step.optional ? StepEnd::kGoOn : StepEnd::kStop;
}

}  // namespace ktrial::harness
