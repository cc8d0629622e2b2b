// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/plan.h"

#include "harness/driver/accelerate.h"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>

namespace ktrial::harness {
namespace {

// Beyond the scenario's own timeout: start of a driver, end of a case, judging.
constexpr Millis kGrace{60'000};

// The role decides about profile and configuration; a variant may change it.
std::string role_of(const Scenario& scenario) {
  return scenario.clients.empty() ? "" : scenario.clients.front().role;
}

std::string folder_of(const Scenario& scenario, const ClientChoice& client,
                      const std::string& suffix, int repetition) {
  std::string id = scenario.full_id();
  std::replace(id.begin(), id.end(), '/', '_');
  return fmt::format("cases/{}/{}{}{}", id, client.name(), suffix,
                     repetition > 0 ? fmt::format("~{}", repetition + 1) : "");
}

}  // namespace

Result<Assets> Assets::load() {
  Assets assets{Places::find(), {}, {}};
  auto drivers = DriverRegistry::read(assets.places.home / "clients" / "drivers");
  if (!drivers) return tl::unexpected<Error>(drivers.error());
  auto catalogue = Catalogue::read(assets.places.home / "scenarios");
  if (!catalogue) return tl::unexpected<Error>(catalogue.error());
  assets.drivers = std::move(*drivers);
  assets.catalogue = std::move(*catalogue);
  return assets;
}

Result<std::vector<Job>> plan_jobs(const Assets& assets, const ScenarioFile& file,
                                   const ClientChoice& client, const PlanOptions& options) {
  std::vector<Job> jobs;
  for (const Axes& axes : file.variants()) {
    CaseContext open;
    open.axes = axes;
    const auto scenario = file.bind(open);
    if (!scenario) return tl::unexpected<Error>(scenario.error());
    if (!client.version->has_role(role_of(*scenario))) continue;
    Job job;
    job.spec.scenario_file = file.path();
    job.spec.axes = axes;
    job.spec.client = client.driver->name;
    job.spec.version = client.version->version;
    job.spec.command = run_command(assets.places, client);
    job.spec.config = client.version->config;
    job.spec.profile = client.driver->profile(client.version->version, role_of(*scenario));
    job.spec.mutants = options.mutants;
    job.spec.time_scale = options.time_scale;
    if (options.accelerate != 1) {
      auto command = accelerated(assets.places, job.spec.command, options.accelerate);
      if (!command) return tl::unexpected<Error>(command.error());
      job.spec.command = std::move(*command);
      job.spec.accelerate = options.accelerate;
    }
    job.spec.sandboxed = options.sandboxed;
    job.scenario_text = file.text();
    job.exclusive = scenario->exclusive;
    job.start_weight = client.driver->start_weight;
    job.limit = Millis(static_cast<std::int64_t>(static_cast<double>(scenario->timeout.count()) *
                                                 options.time_scale)) +
                kGrace;
    for (int repetition = 0; repetition < options.repeat; ++repetition) {
      job.label = scenario->full_id() + " " + client.name();
      job.dir = folder_of(*scenario, client, options.suffix, repetition);
      jobs.push_back(job);
    }
  }
  return jobs;
}

std::map<std::string, std::string> build_drivers(const Assets& assets,
                                                 const std::vector<ClientChoice>& clients) {
  std::map<std::string, std::string> failed;
  for (const ClientChoice& client : clients) {
    if (needs_build(assets.places, client))
      std::cerr << "building the driver " << client.name() << " ...\n";
    const auto built = build_driver(assets.places, client);
    if (!built) failed[client.name()] = built.error().to_string();
  }
  return failed;
}

}  // namespace ktrial::harness
