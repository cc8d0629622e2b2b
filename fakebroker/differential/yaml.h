// SPDX-License-Identifier: Apache-2.0
// YAML files as JSON values: every scalar a string, null where YAML says so. The one unit here that
// sees yaml-cpp.
#pragma once

#include "common/result.h"

#include <boost/json.hpp>

#include <string>

namespace ktrial::fakebroker::differential {

Result<boost::json::value> read_yaml(const std::string& file);
Result<boost::json::value> parse_yaml(const std::string& text);

}  // namespace ktrial::fakebroker::differential
