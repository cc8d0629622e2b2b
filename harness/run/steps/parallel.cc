// SPDX-License-Identifier: Apache-2.0
// parallel: branches side by side, each its own list of steps.
#include "harness/run/steps/verbs.h"

#include <thread>

namespace ktrial::harness {

Result<StepEnd> run_parallel(LiveCase& live, const ParallelStep& step) {
  std::vector<Result<StepEnd>> ends(step.branches.size(), StepEnd::kGoOn);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < step.branches.size(); ++i) {
    threads.emplace_back([&, i] { ends[i] = run_steps(live, step.branches[i]); });
  }
  for (std::thread& thread : threads) thread.join();
  StepEnd end = StepEnd::kGoOn;
  for (const auto& one : ends) {
    if (!one) return one;
    if (*one == StepEnd::kStop) end = StepEnd::kStop;
  }
  return end;
}

}  // namespace ktrial::harness
