// SPDX-License-Identifier: Apache-2.0
// LiveCase: what the steps of a running case act on: fake cluster, capture, driver, notes.
#pragma once

#include "capture/live_capture.h"
#include "capture/note_sender.h"
#include "fakebroker/cluster.h"
#include "harness/driver/driver_process.h"
#include "harness/host/probes.h"
#include "harness/run/case_spec.h"
#include "harness/scenario/scenario.h"

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

namespace ktrial::harness {

class LiveCase {
 public:
  LiveCase(const CaseSpec& its_spec, const Scenario& its_scenario, fakebroker::Cluster& its_cluster,
           capture::LiveCapture& its_capture, capture::NoteSender& its_notes,
           DriverProcess& its_driver, Probes& its_probes, std::string its_bootstrap)
      : spec(its_spec),
        scenario(its_scenario),
        cluster(its_cluster),
        capture(its_capture),
        notes(its_notes),
        driver(its_driver),
        probes(its_probes),
        bootstrap(std::move(its_bootstrap)) {}

  const CaseSpec& spec;
  const Scenario& scenario;
  fakebroker::Cluster& cluster;
  capture::LiveCapture& capture;
  capture::NoteSender& notes;
  DriverProcess& driver;
  Probes& probes;
  const std::string bootstrap;  // what bootstrap.servers is set to

  void note(const boost::json::object& note) { static_cast<void>(notes.send(note)); }
  // Waits and deadlines stretch with --time-scale.
  [[nodiscard]] Millis scaled(Millis time) const {
    return Millis(static_cast<std::int64_t>(static_cast<double>(time.count()) * spec.time_scale));
  }
  // Calls are numbered per name, from 1.
  int next_number(const std::string& call) {
    const std::lock_guard lock(mutex_);
    return ++numbers_[call];
  }

 private:
  std::mutex mutex_;
  std::map<std::string, int> numbers_;
};

// After a step: go on, or stop here (a mandatory wait was in vain). An Error is the harness' or
// the driver's fault: the case is an error.
enum class StepEnd : std::uint8_t { kGoOn, kStop };

Result<StepEnd> run_steps(LiveCase& live, const std::vector<Step>& steps);

}  // namespace ktrial::harness
