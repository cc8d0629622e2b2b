// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/rule_book.h"

#include <gtest/gtest.h>

namespace ktrial::fakebroker {
namespace {

constexpr std::int16_t kProduce = 0;
constexpr std::int16_t kMetadata = 3;

struct RuleBookTest : testing::Test {
  RuleBook book;

  // The id of the rule that acts; empty if none.
  std::string acts(std::int16_t api, int broker = 1, std::string_view client = "c",
                   std::string_view topic = "t") {
    const auto acting = book.act({api, broker, 5, client, TimePoint()},
                                 [&](std::string_view named) { return named == topic; });
    return acting ? acting->id : "";
  }
  void add(const std::string& id, RuleMatch match) {
    ASSERT_TRUE(book.add({.id = id, .match = std::move(match), .action = {}}));
  }
};

TEST_F(RuleBookTest, MatchesOnEverythingThatIsNamed) {
  add("r", {.api = "Produce", .broker = 2, .client_id = "me", .topic = "orders"});
  EXPECT_EQ(acts(kProduce, 2, "me", "orders"), "r");
  EXPECT_EQ(acts(kMetadata, 2, "me", "orders"), "");
  EXPECT_EQ(acts(kProduce, 1, "me", "orders"), "");
  EXPECT_EQ(acts(kProduce, 2, "you", "orders"), "");
  EXPECT_EQ(acts(kProduce, 2, "me", "other"), "");
}

TEST_F(RuleBookTest, SkipsThenActsSoManyTimes) {
  add("r", {.api = "Produce", .skip = 1, .times = 2});
  EXPECT_EQ(acts(kProduce), "");
  EXPECT_EQ(acts(kProduce), "r");
  EXPECT_EQ(acts(kProduce), "r");
  EXPECT_EQ(acts(kProduce), "");
  const RuleStatus status = book.statuses().at(0);
  EXPECT_EQ(status.seen, 4U);
  EXPECT_EQ(status.hits.size(), 2U);
  EXPECT_EQ(status.hits[0].connection, 5U);
}

TEST_F(RuleBookTest, TheFirstThatActsDecides) {
  add("once", {.times = 1});
  add("then", {});
  EXPECT_EQ(acts(kProduce), "once");
  EXPECT_EQ(acts(kProduce), "then");
}

TEST_F(RuleBookTest, RefusesUnknownApisAndIdsThatAreTaken) {
  add("r", {});
  EXPECT_EQ(book.add({.id = "r"}).error().code, Errc::kInvalidArgument);
  EXPECT_EQ(book.add({.id = "s", .match = {.api = "Prodce"}}).error().code, Errc::kInvalidArgument);
  EXPECT_EQ(book.remove("s").error().code, Errc::kNotFound);
  EXPECT_TRUE(book.remove("r"));
  EXPECT_EQ(book.statuses().size(), 1U);  // what it did stays told
}

}  // namespace
}  // namespace ktrial::fakebroker
