// SPDX-License-Identifier: Apache-2.0
// JSON to Lua and back.
#pragma once

#include <boost/json.hpp>

#include <lua.h>

namespace ktrial::fakebroker {

// On top of the stack. A null in a list or a map is Lua's global `null`.
void push_json(lua_State* lua, const boost::json::value& value);

// What is on top of the stack stays there. A table whose keys are 1..n is a list, an empty one too.
// Throws a Lua error for what JSON has no word for, or what is nested deeper than 32.
boost::json::value json_of_top(lua_State* lua);

}  // namespace ktrial::fakebroker
