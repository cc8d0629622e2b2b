// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/lua/lua_values.h"

#include <lauxlib.h>

#include <cmath>
#include <limits>

namespace ktrial::fakebroker {

namespace json = boost::json;

namespace {

constexpr int kDeepest = 32;
constexpr int kRoomPerLevel = 4;  // of Lua's stack

json::value to_json(lua_State* lua, int depth);

json::value number(lua_State* lua) {
  if (lua_isinteger(lua, -1) != 0) return static_cast<std::int64_t>(lua_tointeger(lua, -1));
  return static_cast<double>(lua_tonumber(lua, -1));
}

// Lists have the keys 1..n and no other.
bool is_list(lua_State* lua, lua_Integer length) {
  lua_Integer keys = 0;
  lua_pushnil(lua);
  while (lua_next(lua, -2) != 0) {
    lua_pop(lua, 1);
    ++keys;
  }
  return keys == length;
}

json::value list(lua_State* lua, lua_Integer length, int depth) {
  json::array out;
  for (lua_Integer i = 1; i <= length; ++i) {
    lua_rawgeti(lua, -1, i);
    out.push_back(to_json(lua, depth));
    lua_pop(lua, 1);
  }
  return out;
}

// A key that is a number counts as its text: patch = {[4] = "00"}.
json::value map(lua_State* lua, int depth) {
  json::object out;
  lua_pushnil(lua);
  while (lua_next(lua, -2) != 0) {
    if (lua_type(lua, -2) != LUA_TSTRING && lua_isinteger(lua, -2) == 0)
      luaL_error(lua, "a table's keys must be texts or integers, not a %s", luaL_typename(lua, -2));
    const std::string key = lua_type(lua, -2) == LUA_TSTRING
                                ? std::string(lua_tostring(lua, -2))
                                : std::to_string(lua_tointeger(lua, -2));
    out[key] = to_json(lua, depth);
    lua_pop(lua, 1);
  }
  return out;
}

json::value to_json(lua_State* lua, int depth) {
  if (depth > kDeepest) luaL_error(lua, "a table is nested too deep");
  luaL_checkstack(lua, kRoomPerLevel, nullptr);
  switch (lua_type(lua, -1)) {
    case LUA_TLIGHTUSERDATA:
    case LUA_TNIL:
      return nullptr;
    case LUA_TBOOLEAN:
      return lua_toboolean(lua, -1) != 0;
    case LUA_TNUMBER:
      return number(lua);
    case LUA_TSTRING: {
      std::size_t size = 0;
      const char* const text = lua_tolstring(lua, -1, &size);
      return json::string(text, size);
    }
    case LUA_TTABLE: {
      const auto length = static_cast<lua_Integer>(lua_rawlen(lua, -1));
      return is_list(lua, length) ? list(lua, length, depth + 1) : map(lua, depth + 1);
    }
    default:
      luaL_error(lua, "a %s is no value for a rule", luaL_typename(lua, -1));
      return nullptr;
  }
}

}  // namespace

void push_json(lua_State* lua, const json::value& value) {
  luaL_checkstack(lua, kRoomPerLevel, nullptr);
  if (value.is_bool()) {
    lua_pushboolean(lua, value.get_bool() ? 1 : 0);
  } else if (value.is_int64()) {
    lua_pushinteger(lua, value.get_int64());
  } else if (value.is_uint64()) {
    lua_pushinteger(lua, static_cast<lua_Integer>(value.get_uint64()));
  } else if (value.is_double()) {
    lua_pushnumber(lua, value.get_double());
  } else if (value.is_string()) {
    lua_pushlstring(lua, value.get_string().data(), value.get_string().size());
  } else if (const auto* const list = value.if_array()) {
    lua_createtable(lua, static_cast<int>(list->size()), 0);
    lua_Integer at = 0;
    for (const json::value& each : *list) {
      push_json(lua, each);
      lua_rawseti(lua, -2, ++at);
    }
  } else if (const auto* const map = value.if_object()) {
    lua_createtable(lua, 0, static_cast<int>(map->size()));
    for (const auto& [key, each] : *map) {
      lua_pushlstring(lua, key.data(), key.size());
      push_json(lua, each);
      lua_rawset(lua, -3);
    }
  } else {
    lua_pushlightuserdata(lua, nullptr);
  }
}

json::value json_of_top(lua_State* lua) { return to_json(lua, 0); }

}  // namespace ktrial::fakebroker
