// SPDX-License-Identifier: Apache-2.0
#include "harness/run/client_config.h"

namespace ktrial::harness {

boost::json::object client_config(const Config& of_version, const Config& of_scenario,
                                  const boost::json::object* own) {
  boost::json::object config;
  for (const auto& [key, value] : of_version) config[key] = value;
  for (const auto& [key, value] : of_scenario) config[key] = value;
  if (own != nullptr) {
    for (const auto& [key, value] : *own) config[key] = value;
  }
  for (const auto& [key, value] : of_version) {
    if (value == "default") config.erase(key);
  }
  return config;
}

}  // namespace ktrial::harness
