// SPDX-License-Identifier: Apache-2.0
#include "harness/run/steps/verbs.h"

#include <fmt/format.h>

namespace ktrial::harness {
namespace {

template <class... Fs>
struct Overloaded : Fs... {
  using Fs::operator()...;
};
template <class... Fs>
Overloaded(Fs...) -> Overloaded<Fs...>;

Result<StepEnd> run_step(LiveCase& live, const Step& step) {
  return std::visit(Overloaded{
                        [&](const MarkStep& mark) { return run_mark(live, mark); },
                        [&](const SleepStep& sleep) { return run_sleep(live, sleep); },
                        [&](const WaitStep& wait) { return run_wait(live, wait, step); },
                        [&](const ClientStep& client) { return run_client(live, client); },
                        [&](const BrokerStep& broker) { return run_broker(live, broker); },
                        [&](const ClusterStep& cluster) { return run_cluster(live, cluster); },
                        [&](const std::shared_ptr<const ParallelStep>& parallel) {
                          return run_parallel(live, *parallel);
                        },
                    },
                    step.what);
}

}  // namespace

Result<StepEnd> run_steps(LiveCase& live, const std::vector<Step>& steps) {
  for (const Step& step : steps) {
    auto end = run_step(live, step);
    if (!end) {
      end.error().where = fmt::format("{}:{}", live.scenario.file, step.at.line);
      return end;
    }
    if (*end == StepEnd::kStop) return end;
    const std::string fault = live.driver.fault();
    if (!fault.empty())
      return fail(Errc::kIo, fault, fmt::format("{}:{}", live.scenario.file, step.at.line));
  }
  return StepEnd::kGoOn;
}

}  // namespace ktrial::harness
