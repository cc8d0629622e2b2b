// SPDX-License-Identifier: Apache-2.0
// Rules as JSON: the one grammar (docs/rules.md) of scenario files, the control API and Lua:
//   {"id": "x", "when": {"api": "Produce", "times": 2}, "do": {"error": "NOT_LEADER_OR_FOLLOWER"}}
#pragma once

#include "common/result.h"
#include "fakebroker/rules/rule.h"

#include <boost/json.hpp>

namespace ktrial::fakebroker {

// kInvalidArgument with a JSON pointer (RFC 6901) to the fault.
Result<Rule> rule_from_json(const boost::json::value& value);
// What stands behind "do" alone. `kRequest`: what a rule may do to a request.
Result<RuleAction> action_from_json(const boost::json::value& value,
                                    RuleMatch::On on = RuleMatch::On::kRequest);
boost::json::object to_json(const Rule& rule);

// For clients whose clock runs `speed` times faster: every time that they do not count themselves
// is that much shorter. A throttle time stays: they are told it.
void quicken(Rule& rule, double speed);

}  // namespace ktrial::fakebroker
