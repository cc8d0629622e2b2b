// SPDX-License-Identifier: Apache-2.0
// Every check can fail: each mutant of the reference client must turn the checks that its scenario
// names red, and the reference client itself none.
#include "harness/cli/commands.h"
#include "harness/cli/plan.h"
#include "harness/cli/progress.h"
#include "harness/host/calibration.h"
#include "harness/run/sandbox.h"

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <set>

namespace ktrial::harness {
namespace {

namespace fs = std::filesystem;

// The policy that mutants are variations of.
constexpr std::string_view kReference = "reference@sparse";

struct Trial {
  std::string mutant;  // empty: the reference client itself
  std::vector<std::string> must_redden;
};

// An INFO check never fails; it turns red by showing something else than it expects.
bool is_red(const boost::json::object& check) {
  const std::string_view verdict = check.at("verdict").as_string();
  return verdict == "fail" || (verdict == "nonstrict" && check.at("level") == "SHOULD") ||
         check.contains("finding");
}

// Checks that would never be missed: those that no mutant turns red. Figures of an INFO check that
// expects nothing, and checks that are not about the reference client, cannot be red.
std::vector<std::string> uncovered(const ScenarioFile& file, const ClientChoice& client) {
  std::set<std::string> all, killed;
  for (const Axes& axes : file.variants()) {
    CaseContext context;
    context.axes = axes;
    context.client = client.driver->name;
    context.version = client.version->version;
    const auto open = file.bind(context);
    if (!open || open->clients.empty()) continue;
    context.profile = client.driver->profile(context.version, open->clients.front().role);
    const auto scenario = file.bind(context);
    if (!scenario || scenario->not_applicable) continue;
    for (const CheckSpec& check : scenario->checks) {
      const bool expects =
          std::any_of(check.expect.begin(), check.expect.end(), [&](const Expectation& expected) {
            return expected.client.matches(context.client, context.version);
          });
      if (!check.not_applicable && (check.level != Level::kInfo || expects)) all.insert(check.id);
    }
    for (const Mutant& mutant : scenario->mutants)
      killed.insert(mutant.checks.begin(), mutant.checks.end());
  }
  std::vector<std::string> left;
  for (const std::string& check : all) {
    if (!killed.contains(check)) left.push_back(file.id() + "#" + check);
  }
  return left;
}

std::set<std::string> red_checks(const boost::json::object& line) {
  std::set<std::string> red;
  const auto* checks = line.if_contains("checks");
  if (checks == nullptr || !checks->is_array()) return red;
  for (const auto& check : checks->get_array()) {
    if (is_red(check.as_object())) red.insert(std::string(check.at("id").as_string()));
  }
  return red;
}

// Empty if the trial went as it must, else what went wrong.
std::string fault_of(const Trial& trial, const boost::json::object& line) {
  const std::string verdict(line.at("verdict").as_string());
  const std::string reason = line.contains("reason") && line.at("reason").is_string()
                                 ? std::string(line.at("reason").as_string())
                                 : "";
  if (verdict == "error") return "error: " + reason;
  const auto red = red_checks(line);
  if (trial.mutant.empty())
    return red.empty()
               ? ""
               : fmt::format("the reference client itself turned {} red", fmt::join(red, ", "));
  std::vector<std::string> green;
  for (const std::string& check : trial.must_redden) {
    if (!red.contains(check)) green.push_back(check);
  }
  return green.empty() ? ""
                       : fmt::format("stayed green: {} ({}{})", fmt::join(green, ", "), verdict,
                                     reason.empty() ? "" : ": " + reason);
}

}  // namespace

int self_test_command(const std::vector<std::string>& globs, const std::string& set, int parallel) {
  auto assets = Assets::load();
  if (!assets) {
    std::cerr << "ktrial: " << assets.error().to_string() << '\n';
    return kExitUsage;
  }
  const auto files = assets->catalogue.select(globs, set);
  const auto clients = assets->drivers.choose({std::string(kReference)});
  if (!files || !clients) {
    std::cerr << "ktrial: " << (files ? clients.error() : files.error()).to_string() << '\n';
    return kExitUsage;
  }
  std::vector<Job> jobs;
  std::vector<std::string> without_mutant;
  std::map<std::string, Trial> trials;  // by folder
  PlanOptions plan;
  plan.sandboxed = can_sandbox().has_value();
  for (const ScenarioFile* file : *files) {
    const auto left = uncovered(*file, clients->front());
    without_mutant.insert(without_mutant.end(), left.begin(), left.end());
    const auto add = [&](const std::string& mutant) -> Result<void> {
      PlanOptions own = plan;
      if (!mutant.empty()) own.mutants = {mutant};
      own.suffix = mutant.empty() ? "" : "+" + mutant;
      auto planned = plan_jobs(*assets, *file, clients->front(), own);
      if (!planned) return tl::unexpected<Error>(planned.error());
      for (Job& job : *planned) {
        CaseContext context = job.spec.context(false);
        const auto scenario = file->bind(context);
        if (!scenario) return tl::unexpected<Error>(scenario.error());
        Trial trial{mutant,
                    mutant.empty() ? std::vector<std::string>{} : scenario->killed_by(mutant)};
        if (!mutant.empty() && trial.must_redden.empty()) continue;  // of another variant
        job.label += mutant.empty() ? "" : " +" + mutant;
        trials[job.dir] = std::move(trial);
        jobs.push_back(std::move(job));
      }
      return {};
    };
    std::set<std::string> mutants{""};
    for (const Axes& axes : file->variants()) {
      CaseContext open;
      open.axes = axes;
      if (const auto scenario = file->bind(open)) {
        for (const Mutant& mutant : scenario->mutants) mutants.insert(mutant.name);
      }
    }
    for (const std::string& mutant : mutants) {
      const auto added = add(mutant);
      if (!added) {
        std::cerr << "ktrial: " << added.error().to_string() << '\n';
        return kExitUsage;
      }
    }
  }
  ScheduleOptions schedule;
  schedule.out = fs::path("ktrial-out") / fmt::format("self-test-{}", getpid());
  schedule.parallel = parallel > 0 ? parallel : calibrate(Millis(300)).parallel_cases();
  ProgressView view;
  std::size_t good = 0;
  std::vector<std::string> faults;
  const bool completed = run_jobs(
      jobs, schedule,
      [&](const JobEnd& end) {
        const std::string fault = fault_of(trials.at(end.job.dir), end.line);
        view.ended(end.job.label, fault.empty() ? "pass" : "fail", fault,
                   end.line.at("seconds").to_number<double>());
        if (fault.empty()) {
          ++good;
        } else {
          faults.push_back(end.job.label + ": " + fault);
        }
      },
      [&view](const Progress& progress) { view.show(progress); });
  view.finish();
  if (!completed) return kExitInterrupted;
  std::cout << fmt::format("\nself-test: {} trials as they must be, {} not; captures in {}\n", good,
                           faults.size(), schedule.out.string());
  for (const std::string& fault : faults) std::cout << "  " << fault << '\n';
  if (!without_mutant.empty()) {
    std::cout << fmt::format("checks that no mutant turns red: {}\n", without_mutant.size());
    for (const std::string& check : without_mutant) std::cout << "  " << check << '\n';
  }
  return faults.empty() ? kExitMet : kExitFailed;
}

}  // namespace ktrial::harness
