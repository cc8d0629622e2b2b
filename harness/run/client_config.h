// SPDX-License-Identifier: Apache-2.0
// What a client is configured with: the scenario's keys over those of the client's version. The
// value "default" in a version's configuration stands for a key that this version refuses: it is
// left out, whatever the scenario says.
#pragma once

#include "harness/driver/driver_registry.h"

#include <boost/json.hpp>

namespace ktrial::harness {

// `own` is the create step's, over both; null if it has none.
boost::json::object client_config(const Config& of_version, const Config& of_scenario,
                                  const boost::json::object* own);

}  // namespace ktrial::harness
