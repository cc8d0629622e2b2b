// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json.hpp>

#include <string>

namespace ktrial {

// Two-space indented JSON with a final newline; members keep their order.
std::string pretty_json(const boost::json::value& value);

}  // namespace ktrial
