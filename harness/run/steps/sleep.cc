// SPDX-License-Identifier: Apache-2.0
// sleep: opens an observation window; synchronisation is wait's business.
#include "harness/run/steps/verbs.h"

#include <thread>

namespace ktrial::harness {

Result<StepEnd> run_sleep(LiveCase& live, const SleepStep& step) {
  std::this_thread::sleep_for(live.scaled(step.time));
  return StepEnd::kGoOn;
}

}  // namespace ktrial::harness
