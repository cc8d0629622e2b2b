// SPDX-License-Identifier: Apache-2.0
#include "harness/run/steps/verbs.h"

namespace ktrial::harness {

Result<StepEnd> run_mark(LiveCase& live, const MarkStep& step) {
  live.probes.sample_now();
  live.cluster.mark(step.name);
  live.note({{"e", "mark"}, {"name", step.name}});
  return StepEnd::kGoOn;
}

}  // namespace ktrial::harness
