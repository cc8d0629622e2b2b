// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/expression.h"

#include <gtest/gtest.h>

namespace ktrial::harness {
namespace {

Scope a_scope() {
  Scope scope;
  scope.set_axis("first", {"client", "broker"}, "broker");
  scope.set("idle", std::chrono::seconds(3));
  scope.set("count", std::int64_t{4});
  scope.set_profile({{"idle", {{"granularity", {{"value", "1100ms"}, {"source", "x"}}}}},
                     {"retry.base", 100},
                     {"connect", "eager"}});
  return scope;
}

std::string result(std::string_view text) {
  const auto value = evaluate(text, a_scope());
  return value ? to_text(*value)
               : std::to_string(value.error().offset) + ": " + value.error().message;
}

TEST(Expression, CountsAndMeasures) {
  EXPECT_EQ(result("1 + 2 * 3"), "7");
  EXPECT_EQ(result("(1 + 2) * 3 % 4"), "1");
  EXPECT_EQ(result("7 / 2"), "3.5");
  EXPECT_EQ(result("2 * idle + 250ms"), "6250ms");
  EXPECT_EQ(result("1s * (1 - 0.2)"), "800ms");
  EXPECT_EQ(result("5min / 1s"), "300");
  EXPECT_EQ(result("max(1s, idle, 20ms)"), "3s");
  EXPECT_EQ(result("-count"), "-4");
}

TEST(Expression, ChoosesByAxis) {
  EXPECT_EQ(result("first == broker ? 2s : never"), "2s");
  EXPECT_EQ(result("first == client ? 2s : never"), "never");
  EXPECT_EQ(result("first != client && count >= 4"), "true");
  EXPECT_EQ(result("first == 'client' || !(idle < 1s)"), "true");
}

TEST(Expression, ReadsProfiles) {
  EXPECT_EQ(result("profile.idle.granularity"), "1100ms");
  EXPECT_EQ(result("profile.retry.base"), "100");
  EXPECT_EQ(result("profile.connect == eager"), "true");
  EXPECT_EQ(result("profile.idle.nothing ?? 5ms"), "5ms");
  EXPECT_EQ(result("profile.idle.nothing + 5ms"), "(no profile.idle.nothing)");
}

TEST(Expression, IsUnknownUntilTheClientIs) {
  Scope scope;
  EXPECT_TRUE(std::holds_alternative<Unknown>(*evaluate("profile.idle.granularity * 2", scope)));
}

TEST(Expression, TellsWhereAndHowToMend) {
  EXPECT_EQ(result("idel * 2"), "0: unknown name 'idel'; did you mean 'idle'?");
  EXPECT_EQ(result("first == clent"),
            "9: axis 'first' has no value 'clent'; did you mean 'client'?");
  EXPECT_EQ(result("1 +"), "3: the expression ends where a value was expected");
  EXPECT_EQ(result("1 + 3x"), "4: '3x' is neither a number nor a duration (3s, 250ms, 5min)");
  EXPECT_EQ(result("idle + 1"), "7: cannot add a duration and an integer");
  EXPECT_EQ(result("1 / 0"), "4: division by zero");
  EXPECT_EQ(result("1 2"), "2: unexpected '2'; an operator was expected");
  EXPECT_EQ(result("count ? 1 : 2"),
            "0: the part before '?' must be true or false, it is an integer");
  EXPECT_EQ(result("9223372036854775807 + 1"), "0: the result is too large");
}

TEST(Expression, NestingIsBounded) {
  EXPECT_EQ(result(std::string(5000, '(')), "60: too many levels of nesting");
  EXPECT_EQ(result(std::string(5000, '-')).substr(0, 20), "59: too many levels ");
}

TEST(Expression, InterpolatesIntoText) {
  Scope scope = a_scope();
  EXPECT_EQ(to_text(*interpolate("x-${first}-${count}", scope)), "x-broker-4");
  EXPECT_TRUE(std::holds_alternative<Nanos>(*interpolate("${idle}", scope)));
  EXPECT_EQ(interpolate("a${idle", scope).error().offset, 1U);
}

TEST(Value, DurationsKeepTheirUnit) {
  EXPECT_EQ(parse_duration("250ms"), std::chrono::milliseconds(250));
  EXPECT_EQ(parse_duration("1.5h"), std::chrono::minutes(90));
  EXPECT_EQ(parse_duration("5min"), std::chrono::minutes(5));
  EXPECT_FALSE(parse_duration("5"));
  EXPECT_FALSE(parse_duration("s"));
  EXPECT_FALSE(parse_duration("1e400s"));
  EXPECT_EQ(print_duration(std::chrono::microseconds(1500)), "1.5ms");
}

}  // namespace
}  // namespace ktrial::harness
