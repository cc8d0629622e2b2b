// SPDX-License-Identifier: Apache-2.0
#include "harness/check/check.h"
#include "harness/cli/commands.h"
#include "harness/cli/plan.h"

#include <fmt/format.h>

#include <iostream>
#include <map>
#include <vector>

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

int list_sets(const Assets& assets) {
  for (const ScenarioSet& set : assets.catalogue.sets)
    std::cout << fmt::format("{:<14} {}{}\n", set.name, set.title,
                             set.on_request ? " (on request)" : "");
  return kExitMet;
}

// The founding article's claims, and which checks decide each.
int list_claims(const Assets& assets) {
  std::map<std::string, std::vector<std::string>> deciding;
  for (const ScenarioFile& file : assets.catalogue.files) {
    const auto scenario = first_variant(file);
    if (!scenario) continue;
    for (const CheckSpec& check : scenario->checks) {
      for (const std::string& claim : check.decides)
        deciding[claim].push_back(file.id() + "#" + check.id);
    }
  }
  for (const Claim& claim : assets.catalogue.claims) {
    std::cout << fmt::format("{:<4} {}\n", claim.id, claim.text);
    if (!claim.unobservable.empty())
      std::cout << fmt::format("       not observable: {}\n", claim.unobservable);
    for (const std::string& check : deciding[claim.id])
      std::cout << fmt::format("       {}\n", check);
  }
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
  if (what == "sets") return list_sets(*assets);
  return what == "clients" ? list_clients(*assets) : list_claims(*assets);
}

}  // namespace ktrial::harness
