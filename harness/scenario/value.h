// SPDX-License-Identifier: Apache-2.0
// Value: what an expression yields. Two kinds stand for no value: Unknown (the file is only being
// checked, the client is not chosen yet) and Missing (the client's profile does not say).
#pragma once

#include "common/clock.h"

#include <boost/json.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace ktrial::harness {

struct Unknown {};
struct Missing {
  std::string name;  // "profile.idle.granularity"
};

using Value = std::variant<bool, std::int64_t, double, Nanos, std::string, Unknown, Missing>;

// "3s", "250ms", "5min", "1.5h", "20us", "-1s"; no blanks.
std::optional<Nanos> parse_duration(std::string_view text);
// "3s", "250ms", "1.5s": the shortest exact form; 0 is "0s".
std::string print_duration(Nanos duration);
// Milliseconds to the microsecond, e.g. "3003.3".
std::string print_ms(Nanos duration);

// Plain text as the value it looks like: bool, integer, number, duration, else text.
Value value_of_text(std::string_view text);
// A profile's value. A leaf {"value":..., "source":...} counts as its value; text may be a
// duration.
Value value_of_json(const boost::json::value& json);
boost::json::value to_json(const Value& value);
std::string to_text(const Value& value);
// "a duration", "a number": for messages.
std::string_view kind_of(const Value& value);
bool is_known(const Value& value);  // neither Unknown nor Missing

}  // namespace ktrial::harness
