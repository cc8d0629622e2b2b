// SPDX-License-Identifier: Apache-2.0
// One function per step verb, each in the file of its name.
#pragma once

#include "harness/run/live_case.h"

namespace ktrial::harness {

Result<StepEnd> run_mark(LiveCase& live, const MarkStep& step);
Result<StepEnd> run_sleep(LiveCase& live, const SleepStep& step);
Result<StepEnd> run_wait(LiveCase& live, const WaitStep& step, const Step& source);
Result<StepEnd> run_client(LiveCase& live, const ClientStep& step);
Result<StepEnd> run_broker(LiveCase& live, const BrokerStep& step);
Result<StepEnd> run_cluster(LiveCase& live, const ClusterStep& step);
Result<StepEnd> run_parallel(LiveCase& live, const ParallelStep& step);

}  // namespace ktrial::harness
