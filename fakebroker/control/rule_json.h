// SPDX-License-Identifier: Apache-2.0
// Rules as JSON, in the grammar of docs/scenario-language.md:
//   {"id": "x", "when": {"api": "Produce", "times": 2}, "do": {"error": "NOT_LEADER_OR_FOLLOWER"}}
#pragma once

#include "common/result.h"
#include "fakebroker/rule.h"

#include <boost/json.hpp>

namespace ktrial::fakebroker {

// kInvalidArgument with a JSON pointer to the fault.
Result<Rule> rule_from_json(const boost::json::value& value);
boost::json::object to_json(const Rule& rule);

}  // namespace ktrial::fakebroker
