// SPDX-License-Identifier: Apache-2.0
#include "harness/check/check.h"
#include "harness/cli/commands.h"
#include "harness/cli/plan.h"

#include <fmt/format.h>

#include <iostream>
#include <map>
#include <set>

namespace ktrial::harness {
namespace {

Result<Scenario> first_variant(const ScenarioFile& file) {
  CaseContext open;
  open.axes = file.variants().front();
  return file.bind(open);
}

int list_scenarios(const Assets& assets) {
  for (const ScenarioFile& file : assets.catalogue.files) {
    const auto scenario = first_variant(file);
    std::map<Level, int> levels;
    if (scenario) {
      for (const CheckSpec& check : scenario->checks) ++levels[check.level];
    }
    std::cout << fmt::format("{:<46} {} MUST, {} SHOULD, {} INFO  {}\n", file.id(),
                             levels[Level::kMust], levels[Level::kShould], levels[Level::kInfo],
                             file.title());
  }
  return kExitMet;
}

int list_clients(const Assets& assets) {
  for (const Driver& driver : assets.drivers.drivers()) {
    for (const DriverVersion& version : driver.versions) {
      const ClientChoice choice{&driver, &version};
      std::cout << fmt::format("{:<28} {:<32} {}{}\n", choice.name(), driver.title,
                               version.is_default ? "default" : "on request",
                               needs_build(assets.places, choice) ? ", not built yet" : "");
    }
  }
  return kExitMet;
}

int list_checks() {
  for (const CheckKind& kind : check_kinds())
    std::cout << fmt::format("{:<10} {}\n", kind.key, kind.asserts);
  return kExitMet;
}

// Which scenario judges which claim of the founding article.
int list_claims(const Assets& assets) {
  std::map<int, std::set<std::string>> by_claim;
  for (const ScenarioFile& file : assets.catalogue.files) {
    const auto scenario = first_variant(file);
    if (!scenario) continue;
    for (const CheckSpec& check : scenario->checks) {
      for (const std::string& claim : check.claims)
        by_claim[std::atoi(claim.c_str() + 1)].insert(file.id() + "#" + check.id);
    }
  }
  for (const auto& [claim, checks] : by_claim)
    std::cout << fmt::format("C{:<4} {}\n", claim, fmt::join(checks, "  "));
  return kExitMet;
}

}  // namespace

int list_command(const std::string& what) {
  if (what == "checks") return list_checks();
  const auto assets = Assets::load();
  if (!assets) {
    std::cerr << "ktrial: " << assets.error().to_string() << '\n';
    return kExitUsage;
  }
  if (what == "scenarios") return list_scenarios(*assets);
  return what == "clients" ? list_clients(*assets) : list_claims(*assets);
}

}  // namespace ktrial::harness
