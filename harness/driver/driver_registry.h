// SPDX-License-Identifier: Apache-2.0
// Which drivers there are: clients/drivers/*/driver.yaml (docs/drivers.md), their versions, and
// each client's profile for a role.
#pragma once

#include "common/result.h"

#include <boost/json.hpp>

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ktrial::harness {

using Config = std::map<std::string, std::string>;

struct DriverVersion {
  std::string version;                   // the column: "4.4.0-consumer"
  std::string release;                   // what is built: "4.4.0"
  bool is_default = false;               // part of a plain `ktrial run`
  std::vector<std::string> roles;        // empty: all
  std::map<std::string, Config> config;  // by role, laid under the scenario's own

  [[nodiscard]] bool has_role(std::string_view role) const;
};

struct ProfilePart {
  std::string role, version;  // conditions; empty: any
  boost::json::object values;
};

struct Driver {
  std::string name, title, language;
  std::filesystem::path folder;
  std::vector<std::string> build;  // empty: nothing to build
  std::vector<std::string> run;    // with ${build}, ${source}, ${bin}
  std::vector<std::string> needs;
  int start_weight = 1;
  std::vector<DriverVersion> versions;
  std::vector<ProfilePart> profiles;

  // The values that hold for a version in a role, later parts over earlier ones.
  [[nodiscard]] boost::json::object profile(std::string_view version, std::string_view role) const;
};

// One client of a run: a driver in one of its versions.
struct ClientChoice {
  const Driver* driver = nullptr;
  const DriverVersion* version = nullptr;

  [[nodiscard]] std::string name() const { return driver->name + "@" + version->version; }
};

class DriverRegistry {
 public:
  // Reads every driver.yaml below `folder`; an Error names file, line and column.
  static Result<DriverRegistry> read(const std::filesystem::path& folder);

  [[nodiscard]] const std::vector<Driver>& drivers() const { return drivers_; }
  // "java", "java@4.4.0", or nothing for all default versions. Unknown names are an Error that
  // lists the known ones.
  [[nodiscard]] Result<std::vector<ClientChoice>> choose(
      const std::vector<std::string>& wanted) const;
  // A driver from outside, started as `argv`.
  void add(Driver driver) { drivers_.push_back(std::move(driver)); }

 private:
  std::vector<Driver> drivers_;
};

}  // namespace ktrial::harness
