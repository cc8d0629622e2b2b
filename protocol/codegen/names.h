// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace ktrial::codegen {

// ThrottleTimeMs -> throttle_time_ms; a run of capitals is one word: ISRNodes -> isr_nodes.
std::string snake_case(std::string_view name);
// A snake_case member name, with '_' behind it where C++ has a keyword.
std::string member_name(std::string_view name);
// ThrottleTimeMs -> throttleTimeMs, as Kafka's JSON has it.
std::string json_name(std::string_view name);

}  // namespace ktrial::codegen
