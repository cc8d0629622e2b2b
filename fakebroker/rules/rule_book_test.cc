// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/rules/rule_book.h"

#include <gtest/gtest.h>

namespace ktrial::fakebroker {
namespace {

constexpr std::int16_t kProduce = 0;
constexpr std::int16_t kFetch = 1;
constexpr std::int16_t kMetadata = 3;

class SubjectForTest final : public RuleBook::Subject {
 public:
  explicit SubjectForTest(bool named) : named_(named) {}
  [[nodiscard]] bool names(const RuleMatch&) const override { return named_; }
  [[nodiscard]] boost::json::object context() const override { return {{"api", "Produce"}}; }

 private:
  bool named_;
};

struct RuleBookTest : testing::Test {
  RuleBook book;

  struct Given {
    RuleMatch::On on = RuleMatch::On::kRequest;
    std::int16_t api = kProduce;
    std::int16_t version = 9;
    int broker = 1;
    std::uint64_t connection = 5;
    std::string_view client = "c";
    bool named = true;
    Millis at{0};
  };
  // The id of the rule that acts; empty if none.
  std::string acts(const Given& given) {
    const auto acting = book.act({given.on, given.api, given.version, given.broker,
                                  given.connection, given.client, TimePoint() + given.at},
                                 SubjectForTest(given.named));
    return acting ? acting->id : "";
  }
  std::string acts() { return acts({}); }
  void add(const std::string& id, RuleMatch match, Millis at = Millis{0}) {
    ASSERT_TRUE(book.add({.id = id, .match = std::move(match), .action = {}}, TimePoint() + at));
  }
  // "x.x": which of so many acted.
  std::string pattern(int count) {
    std::string out;
    for (int i = 0; i < count; ++i) out += acts().empty() ? '.' : 'x';
    return out;
  }
};

TEST_F(RuleBookTest, MatchesOnEverythingThatIsNamed) {
  add("r", {.apis = {"Produce", "Fetch"},
            .min_version = 3,
            .max_version = 9,
            .broker = 2,
            .connection = 5,
            .client_id = "me",
            .topic = "orders"});
  EXPECT_EQ(acts({.broker = 2, .client = "me"}), "r");
  EXPECT_EQ(acts({.api = kFetch, .broker = 2, .client = "me"}), "r");
  EXPECT_EQ(acts({.api = kMetadata, .broker = 2, .client = "me"}), "");
  EXPECT_EQ(acts({.version = 2, .broker = 2, .client = "me"}), "");
  EXPECT_EQ(acts({.version = 10, .broker = 2, .client = "me"}), "");
  EXPECT_EQ(acts({.broker = 1, .client = "me"}), "");
  EXPECT_EQ(acts({.broker = 2, .connection = 6, .client = "me"}), "");
  EXPECT_EQ(acts({.broker = 2, .client = "you"}), "");
  EXPECT_EQ(acts({.broker = 2, .client = "me", .named = false}), "");
}

TEST_F(RuleBookTest, ConnectionsAndRequestsAreDifferentEvents) {
  add("accepted", {.on = RuleMatch::On::kAccept});
  EXPECT_EQ(acts(), "");
  EXPECT_EQ(acts({.on = RuleMatch::On::kAccept}), "accepted");
}

TEST_F(RuleBookTest, SkipsThenActsSoManyTimes) {
  add("r", {.apis = {"Produce"}, .skip = 1, .times = 2});
  EXPECT_EQ(pattern(5), ".xx..");
  const RuleStatus status = book.statuses().at(0);
  EXPECT_EQ(status.seen, 5U);
  EXPECT_EQ(status.hits, 2U);
  EXPECT_EQ(status.first_hits.at(0).connection, 5U);
}

TEST_F(RuleBookTest, ActsOnEveryNth) {
  add("r", {.skip = 1, .every = 3, .times = 2});
  EXPECT_EQ(pattern(9), ".x..x....");
}

TEST_F(RuleBookTest, ActsByChanceAndRepeatsForASeed) {
  add("r", {.probability = 0.3});
  const std::string first = pattern(1000);
  const auto hits = std::count(first.begin(), first.end(), 'x');
  EXPECT_GT(hits, 240);
  EXPECT_LT(hits, 360);
  book = RuleBook(0);
  add("r", {.probability = 0.3});
  EXPECT_EQ(pattern(1000), first);
  book = RuleBook(1);
  add("r", {.probability = 0.3});
  EXPECT_NE(pattern(1000), first);
}

TEST_F(RuleBookTest, ActsForAWhile) {
  add("r", {.after = Millis(100), .during = Millis(50)}, Millis(1000));
  EXPECT_EQ(acts({.at = Millis(1099)}), "");
  EXPECT_EQ(acts({.at = Millis(1100)}), "r");
  EXPECT_EQ(acts({.at = Millis(1149)}), "r");
  EXPECT_EQ(acts({.at = Millis(1150)}), "");
}

TEST_F(RuleBookTest, ActsBetweenMarks) {
  add("r", {.from_mark = "a", .to_mark = "b"});
  EXPECT_EQ(acts(), "");
  book.mark("a");
  EXPECT_EQ(acts(), "r");
  book.mark("b");
  EXPECT_EQ(acts(), "");
}

TEST_F(RuleBookTest, TheFirstThatActsDecides) {
  add("once", {.times = 1});
  add("then", {});
  EXPECT_EQ(acts(), "once");
  EXPECT_EQ(acts(), "then");
}

TEST_F(RuleBookTest, RemembersTheFirstHitsOnly) {
  add("r", {});
  for (std::size_t i = 0; i < kKeptHits + 10; ++i) acts();
  EXPECT_EQ(book.statuses().at(0).hits, kKeptHits + 10);
  EXPECT_EQ(book.statuses().at(0).first_hits.size(), kKeptHits);
}

TEST_F(RuleBookTest, AScriptActsIfItReturnsAnAction) {
  ASSERT_TRUE(book.add({.id = "r", .action = {.lua = R"(
    function on_request(ctx)
      if ctx.seen == 2 then return {error = "NOT_COORDINATOR", apply = true} end
    end)"}},
                       {}));
  EXPECT_EQ(pattern(3), ".x.");
  EXPECT_EQ(book.statuses().at(0).hits, 1U);
}

TEST_F(RuleBookTest, WhatAScriptReturnsIsReadAsWhatARuleDoes) {
  ASSERT_TRUE(book.add(
      {.id = "r", .action = {.lua = "function on_request() return {dorp = true} end"}}, {}));
  EXPECT_EQ(acts(), "");
  EXPECT_EQ(book.statuses().at(0).error,
            "what on_request returned: /dorp: an action: dorp is unknown; did you mean 'drop'?");
}

TEST_F(RuleBookTest, AScriptThatDoesNotCompileIsRefusedWithItsLine) {
  const auto added =
      book.add({.id = "r", .action = {.lua = "function on_request()\n  retrn 1"}}, {});
  ASSERT_FALSE(added);
  EXPECT_EQ(added.error().message.substr(0, 5), "r:2: ");
  EXPECT_TRUE(book.empty());
}

TEST_F(RuleBookTest, RefusesUnknownApisAndIdsThatAreTaken) {
  add("r", {});
  EXPECT_EQ(book.add({.id = "r"}, {}).error().code, Errc::kInvalidArgument);
  EXPECT_EQ(book.add({.id = "s", .match = {.apis = {"Prodce"}}}, {}).error().code,
            Errc::kInvalidArgument);
  EXPECT_EQ(book.remove("s").error().code, Errc::kNotFound);
  EXPECT_TRUE(book.remove("r"));
  EXPECT_EQ(book.statuses().size(), 1U);  // what it did stays told
}

}  // namespace
}  // namespace ktrial::fakebroker
