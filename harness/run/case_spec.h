// SPDX-License-Identifier: Apache-2.0
// CaseSpec: what a case process is told, as case.json in the case's folder. With the scenario's
// copy and wire.pcapng it is all that `ktrial verify` needs.
#pragma once

#include "common/result.h"
#include "harness/driver/driver_registry.h"
#include "harness/scenario/scenario.h"

#include <boost/json.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace ktrial::harness {

struct CaseSpec {
  std::string scenario_file;  // where it was read; the folder has a copy, scenario.yaml
  Axes axes;
  std::string client, version;
  std::vector<std::string> command;       // of the driver
  std::map<std::string, Config> config;   // by role, laid under the scenario's own
  boost::json::object profile;            // for the role of the scenario's first client
  std::vector<std::string> mutants;       // of the reference client
  std::vector<std::string> capabilities;  // from the driver's hello, once it has said it
  double time_scale = 1;
  double accelerate = 1;  // `command` makes the client's clock run so much faster
  int slot = 1;           // address range 127.slot.0.0/16
  bool sandboxed = true;

  [[nodiscard]] boost::json::object to_json() const;
  static Result<CaseSpec> from_json(const boost::json::object& json);
  // The context that checks are bound with.
  [[nodiscard]] CaseContext context(bool with_capabilities) const;
};

Result<CaseSpec> read_case_spec(const std::filesystem::path& folder);
Result<void> write_case_spec(const std::filesystem::path& folder, const CaseSpec& spec);

}  // namespace ktrial::harness
