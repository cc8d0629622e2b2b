// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/lua/script.h"

#include <gtest/gtest.h>

namespace ktrial::fakebroker {
namespace {

namespace json = boost::json;

// What a script makes of a request: JSON, "nil", or "error: ...".
std::string call(Script& script, const json::object& ctx = {}) {
  const auto returned = script.on_request(ctx);
  if (!returned) return "error: " + returned.error().message;
  return *returned ? json::serialize(**returned) : "nil";
}

std::unique_ptr<Script> load(const std::string& source) {
  auto script = Script::load(source, "s", 7);
  EXPECT_TRUE(script) << (script ? "" : script.error().message);
  return script ? std::move(*script) : nullptr;
}

// Of a script whose on_request has this body.
std::string result(const std::string& body, const json::object& ctx = {}) {
  const auto script = load("function on_request(ctx) " + body + " end");
  return script ? call(*script, ctx) : "";
}

std::string load_error(const std::string& source) {
  const auto script = Script::load(source, "s", 7);
  return script ? "none" : script.error().message;
}

TEST(Script, ReturnsTablesAsJson) {
  EXPECT_EQ(result("return nil"), "nil");
  EXPECT_EQ(result("return {delay = 2.5}"), R"({"delay":2.5E0})");
  EXPECT_EQ(result("return {clear = {'a', 'b'}}"), R"({"clear":["a","b"]})");
  EXPECT_EQ(result("return {patch = {[-1] = 'ff'}}"), R"({"patch":{"-1":"ff"}})");
  EXPECT_EQ(result("return {set = {host = null}}"), R"({"set":{"host":null}})");
}

TEST(Script, SeesTheRequestAsATable) {
  const json::object ctx{{"api", "Produce"},
                         {"request", {{"acks", -1}, {"topicData", {{{"name", "t"}}}}}}};
  EXPECT_EQ(result("return ctx.request.acks", ctx), "-1");
  EXPECT_EQ(result("return ctx.request.topicData[1].name", ctx), R"("t")");
  EXPECT_EQ(result("return #ctx.request.topicData", ctx), "1");
}

TEST(Script, KeepsItsGlobalsBetweenCalls) {
  const auto script = load("count = 0 function on_request() count = count + 1 return count end");
  EXPECT_EQ(call(*script), "1");
  EXPECT_EQ(call(*script), "2");
}

TEST(Script, DrawsTheSameNumbersForASeed) {
  const std::string draw = "return math.random(1, 1000000)";
  EXPECT_EQ(result(draw), result(draw));
}

TEST(Script, ErrorsNameScriptAndLine) {
  EXPECT_EQ(load_error("function on_request(ctx)\n  return {\nend"),
            "s:3: unexpected symbol near 'end'");
  EXPECT_EQ(load_error("x = 1"), "there is no function on_request(ctx)");
  EXPECT_EQ(load_error("error('no')"), "s:1: no");
  const auto script = load("function on_request(ctx)\n  return ctx.request.acks\nend");
  EXPECT_EQ(call(*script), "error: s:2: attempt to index a nil value (field 'request')");
  EXPECT_EQ(call(*script), "error: s:2: attempt to index a nil value (field 'request')");
}

TEST(Script, ReachesNothingOutside) {
  for (const char* const name :
       {"io", "os", "package", "require", "debug", "dofile", "loadfile", "load", "coroutine",
        "collectgarbage", "string.gsub", "string.match", "string.dump"}) {
    EXPECT_EQ(result("return " + std::string(name) + " == nil"), "true") << name;
  }
  EXPECT_NE(load_error("\x1bLua"), "none");
}

TEST(Script, FindsTextWithoutPatterns) {
  EXPECT_EQ(result("return ('a.c'):find('.')"), "2");
  EXPECT_EQ(result("return ('abc'):find('.')"), "nil");
  EXPECT_EQ(result("return ('abcabc'):find('b', 3)"), "5");
  EXPECT_EQ(result("return ('abc'):find('c', 9)"), "nil");
}

TEST(Script, ALoopWithoutEndEnds) {
  EXPECT_EQ(result("while true do end"),
            "error: s:1: more than 1000000 steps: is there a loop without an end?");
}

TEST(Script, MemoryIsBounded) {
  const auto script = load(R"(
    kept = {}
    function on_request(ctx)
      if ctx.ask then return #kept > 0 end
      for i = 1, 10000 do kept[i] = string.rep('x', 100000) .. i end
    end)");
  EXPECT_EQ(call(*script), "error: not enough memory");
  EXPECT_EQ(call(*script, {{"ask", true}}), "true");
  EXPECT_EQ(result("return string.rep('x', 1000000000)").substr(0, 24), "error: not enough memory");
}

TEST(Script, RefusesWhatIsNoValue) {
  EXPECT_EQ(result("return {a = print}"), "error: a function is no value for a rule");
  EXPECT_EQ(result("local t = {} t.t = t return t"), "error: a table is nested too deep");
  EXPECT_EQ(result("return {[1.5] = 1}"),
            "error: a table's keys must be texts or integers, not a number");
}

}  // namespace
}  // namespace ktrial::fakebroker
