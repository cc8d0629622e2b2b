// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/lua/script.h"

#include "common/log.h"
#include "fakebroker/lua/lua_values.h"

#include <lauxlib.h>
#include <lualib.h>

#include <array>
#include <cstdlib>
#include <cstring>

namespace ktrial::fakebroker {

namespace json = boost::json;

namespace {

constexpr const char* kEntry = "on_request";
constexpr Logger kLog("lua");

// Counts what the state holds.
struct Memory {
  std::size_t used = 0;
  bool limited = false;  // only where Lua can tell of it

  static void* allocate(void* self, void* old, std::size_t old_size, std::size_t size) {
    Memory& memory = *static_cast<Memory*>(self);
    if (old == nullptr) old_size = 0;  // it is then the kind of thing to allocate
    if (size == 0) {
      std::free(old);
      memory.used -= old_size;
      return nullptr;
    }
    if (memory.limited && size > old_size && memory.used + size - old_size > Script::kMostBytes)
      return nullptr;
    void* const moved = std::realloc(old, size);
    if (moved != nullptr) memory.used += size - old_size;
    return moved;
  }
};

void on_too_many_steps(lua_State* lua, lua_Debug*) {
  // The hook runs in the function that goes on and on; luaL_error would ask who called that.
  luaL_where(lua, 0);
  lua_pushfstring(lua, "more than %d steps: is there a loop without an end?", Script::kMostSteps);
  lua_concat(lua, 2);
  lua_error(lua);
}

// string.find(text, part, from): without patterns.
int find(lua_State* lua) {
  std::size_t size = 0;
  std::size_t part_size = 0;
  const char* const text = luaL_checklstring(lua, 1, &size);
  const char* const part = luaL_checklstring(lua, 2, &part_size);
  const lua_Integer from = luaL_optinteger(lua, 3, 1);
  if (from < 1 || static_cast<std::size_t>(from) > size + 1) return 0;
  const std::string_view all(text, size);
  const auto at = all.find(std::string_view(part, part_size), static_cast<std::size_t>(from) - 1);
  if (at == std::string_view::npos) return 0;
  lua_pushinteger(lua, static_cast<lua_Integer>(at) + 1);
  lua_pushinteger(lua, static_cast<lua_Integer>(at + part_size));
  return 2;
}

int print(lua_State* lua) {
  std::string line;
  for (int i = 1; i <= lua_gettop(lua); ++i) {
    std::size_t size = 0;
    const char* const text = luaL_tolstring(lua, i, &size);
    line.append(i == 1 ? "" : "\t").append(text, size);
    lua_pop(lua, 1);
  }
  kLog.info("{}", line);
  return 0;
}

void remove(lua_State* lua, const char* table, const char* member) {
  lua_getglobal(lua, table);
  lua_pushnil(lua);
  lua_setfield(lua, -2, member);
  lua_pop(lua, 1);
}

void open_sandbox(lua_State* lua, std::uint64_t seed) {
  luaL_requiref(lua, LUA_GNAME, luaopen_base, 1);
  luaL_requiref(lua, LUA_TABLIBNAME, luaopen_table, 1);
  luaL_requiref(lua, LUA_STRLIBNAME, luaopen_string, 1);
  luaL_requiref(lua, LUA_MATHLIBNAME, luaopen_math, 1);
  luaL_requiref(lua, LUA_UTF8LIBNAME, luaopen_utf8, 1);
  // What reads files or code, runs the collector, or takes time that no step count bounds.
  for (const char* const name : {"dofile", "loadfile", "load", "collectgarbage"})
    remove(lua, LUA_GNAME, name);
  for (const char* const name : {"match", "gmatch", "gsub", "dump"})
    remove(lua, LUA_STRLIBNAME, name);
  lua_getglobal(lua, LUA_STRLIBNAME);
  lua_pushcfunction(lua, find);
  lua_setfield(lua, -2, "find");
  lua_getglobal(lua, LUA_MATHLIBNAME);
  lua_getfield(lua, -1, "randomseed");
  lua_pushinteger(lua, static_cast<lua_Integer>(seed));
  lua_call(lua, 1, 0);
  lua_pushcfunction(lua, print);
  lua_setglobal(lua, "print");
  lua_pushlightuserdata(lua, nullptr);
  lua_setglobal(lua, "null");
  lua_settop(lua, 0);
}

class LuaScript final : public Script {
 public:
  LuaScript() : lua_(lua_newstate(&Memory::allocate, &memory_)) {}
  ~LuaScript() override {
    if (lua_ != nullptr) lua_close(lua_);
  }
  LuaScript(const LuaScript&) = delete;
  LuaScript& operator=(const LuaScript&) = delete;

  Result<void> load(const std::string& source, const std::string& name, std::uint64_t seed) {
    if (lua_ == nullptr) return fail(Errc::kTooLarge, "no memory for a Lua state");
    source_ = &source;
    name_ = "=" + name;
    seed_ = seed;
    return run([](lua_State* lua) {
      const LuaScript& script = self(lua);
      open_sandbox(lua, script.seed_);
      // Text only: the loader trusts bytecode.
      const std::string& text = *script.source_;
      if (luaL_loadbufferx(lua, text.data(), text.size(), script.name_.c_str(), "t") != LUA_OK)
        lua_error(lua);
      lua_call(lua, 0, 0);
      if (lua_getglobal(lua, kEntry) != LUA_TFUNCTION)
        luaL_error(lua, "there is no function %s(ctx)", kEntry);
      return 0;
    });
  }

  Result<std::optional<json::value>> on_request(const json::object& ctx) override {
    ctx_ = &ctx;
    answer_.reset();
    KTRIAL_TRY(run([](lua_State* lua) {
      LuaScript& script = self(lua);
      lua_getglobal(lua, kEntry);
      push_json(lua, *script.ctx_);
      lua_call(lua, 1, 1);
      if (!lua_isnil(lua, -1)) script.answer_ = json_of_top(lua);
      return 0;
    }));
    return std::move(answer_);
  }

 private:
  static LuaScript& self(lua_State* lua) {
    return *static_cast<LuaScript*>(lua_touserdata(lua, lua_upvalueindex(1)));
  }

  // Protected: whatever fails in it, memory included, is an error.
  Result<void> run(lua_CFunction function) {
    lua_settop(lua_, 0);
    lua_sethook(lua_, &on_too_many_steps, LUA_MASKCOUNT, kMostSteps);
    lua_pushlightuserdata(lua_, this);
    lua_pushcclosure(lua_, function, 1);
    memory_.limited = true;
    const int status = lua_pcall(lua_, 0, 0, 0);
    memory_.limited = false;
    if (status != LUA_OK) return error();
    return {};
  }

  tl::unexpected<Error> error() {
    std::size_t size = 0;
    const char* const text = lua_tolstring(lua_, -1, &size);
    std::string message = text == nullptr ? "an error that is no text" : std::string(text, size);
    lua_settop(lua_, 0);
    return fail(Errc::kInvalidArgument, std::move(message));
  }

  Memory memory_;
  lua_State* lua_;
  const std::string* source_ = nullptr;
  std::string name_;
  std::uint64_t seed_ = 0;
  const json::object* ctx_ = nullptr;
  std::optional<json::value> answer_;
};

}  // namespace

Result<std::unique_ptr<Script>> Script::load(const std::string& source, const std::string& name,
                                             std::uint64_t seed) {
  auto script = std::make_unique<LuaScript>();
  KTRIAL_TRY(script->load(source, name, seed));
  return script;
}

}  // namespace ktrial::fakebroker
