// SPDX-License-Identifier: Apache-2.0
// Runs many cases, each in a process of its own, several at once: cases mostly wait. Single
// threaded, so that children die with this process (their parent-death signal is by thread).
#pragma once

#include "harness/run/case_spec.h"

#include <boost/json.hpp>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace ktrial::harness {

struct Job {
  CaseSpec spec;
  std::string scenario_text;
  std::string label;  // "conn/idle/... java@4.4.0"
  std::string dir;    // below the run's folder
  bool exclusive = false;
  int start_weight = 1;
  Millis limit{600'000};  // its process is killed after this time, whatever it is doing
};

struct ScheduleOptions {
  std::filesystem::path out;
  int parallel = 8;
  int retries = 2;  // of an inconclusive case, or a failed one on an accelerated clock; alone
};

struct JobEnd {
  const Job& job;
  boost::json::object line;  // of run.jsonl, "dir" and "attempts" set
};

struct Progress {
  std::size_t done = 0, total = 0;
  std::vector<std::string> running;
};

// Calls on_end for each job when its last attempt has ended, on_progress now and then. Returns
// false if it was interrupted by SIGINT or SIGTERM: running cases are killed and have no end.
bool run_jobs(const std::vector<Job>& jobs, const ScheduleOptions& options,
              const std::function<void(const JobEnd&)>& on_end,
              const std::function<void(const Progress&)>& on_progress);

}  // namespace ktrial::harness
