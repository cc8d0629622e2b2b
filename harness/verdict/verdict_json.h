// SPDX-License-Identifier: Apache-2.0
// Checks and cases as the result lines have them (docs/schema).
#pragma once

#include "harness/verdict/judge.h"

#include <boost/json.hpp>

namespace ktrial::harness {

// {"id","level","basis","verdict","sentence","requirement","expanded","evidence","arithmetic",
//  "preconditions","tshark","claims", and where they apply "decides","holds","reason","measured",
// "finding"}
boost::json::object to_json(const CheckVerdict& check, std::int64_t first_ns);
boost::json::array checks_json(const CaseVerdict& verdict);

}  // namespace ktrial::harness
