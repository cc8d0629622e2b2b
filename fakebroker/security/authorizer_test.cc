// SPDX-License-Identifier: Apache-2.0
// What ACLs allow, rule by rule.
#include "fakebroker/security/authorizer.h"

#include <gtest/gtest.h>

namespace ktrial::fakebroker {
namespace {

using Op = AclOperation;

constexpr std::int8_t kDeny = 2;
constexpr std::int8_t kAllow = 3;

struct AuthorizerTest : testing::Test {
  AuthorizerSpec spec{.enabled = true, .super_users = {"User:admin"}};
  Acls acls;

  void add(std::int8_t permission, Op operation, const std::string& name,
           PatternType pattern = PatternType::kLiteral, const std::string& principal = "User:alice",
           const std::string& host = "*") {
    acls.add({.resource_type = static_cast<std::int8_t>(ResourceType::kTopic),
              .resource_name = name,
              .pattern_type = pattern,
              .principal = principal,
              .host = host,
              .operation = static_cast<std::int8_t>(operation),
              .permission = permission});
  }
  [[nodiscard]] bool may(Op operation, std::string_view topic,
                         std::string_view principal = "User:alice") const {
    return Authorizer(spec, acls)
        .allows({principal, "127.0.0.1"}, operation, ResourceType::kTopic, topic);
  }
  [[nodiscard]] bool may_some(Op operation) const {
    return Authorizer(spec, acls)
        .allows_some({"User:alice", "127.0.0.1"}, operation, ResourceType::kTopic);
  }
};

TEST_F(AuthorizerTest, WithoutAnAclOnlySuperUsersMay) {
  EXPECT_FALSE(may(Op::kRead, "t"));
  EXPECT_TRUE(may(Op::kRead, "t", "User:admin"));
  spec.allow_if_no_acl = true;
  EXPECT_TRUE(may(Op::kRead, "t"));
  add(kAllow, Op::kRead, "t", PatternType::kLiteral, "User:bob");
  EXPECT_FALSE(may(Op::kRead, "t")) << "there is one now, for another";
}

TEST_F(AuthorizerTest, NamesMatchLiterallyByPrefixOrAll) {
  add(kAllow, Op::kRead, "foo");
  add(kAllow, Op::kRead, "bar-", PatternType::kPrefixed);
  EXPECT_TRUE(may(Op::kRead, "foo"));
  EXPECT_FALSE(may(Op::kRead, "foobar"));
  EXPECT_TRUE(may(Op::kRead, "bar-1"));
  EXPECT_FALSE(may(Op::kRead, "bar"));
  add(kAllow, Op::kWrite, "*");
  EXPECT_TRUE(may(Op::kWrite, "anything"));
}

TEST_F(AuthorizerTest, PrincipalsAndHostsMatchOrAreAll) {
  add(kAllow, Op::kRead, "a", PatternType::kLiteral, "User:*");
  add(kAllow, Op::kRead, "b", PatternType::kLiteral, "User:alice", "127.0.0.1");
  add(kAllow, Op::kRead, "c", PatternType::kLiteral, "User:alice", "10.0.0.1");
  EXPECT_TRUE(may(Op::kRead, "a", "User:bob"));
  EXPECT_TRUE(may(Op::kRead, "b"));
  EXPECT_FALSE(may(Op::kRead, "c"));
}

TEST_F(AuthorizerTest, ADenialWins) {
  add(kAllow, Op::kAll, "*");
  add(kDeny, Op::kWrite, "secret", PatternType::kPrefixed);
  EXPECT_TRUE(may(Op::kWrite, "open"));
  EXPECT_FALSE(may(Op::kWrite, "secret-1"));
  EXPECT_TRUE(may(Op::kRead, "secret-1"));
}

TEST_F(AuthorizerTest, OnlyAllowancesImplyDescribing) {
  add(kAllow, Op::kRead, "t");
  EXPECT_TRUE(may(Op::kDescribe, "t"));
  EXPECT_FALSE(may(Op::kDescribeConfigs, "t"));
  add(kAllow, Op::kAlterConfigs, "t");
  EXPECT_TRUE(may(Op::kDescribeConfigs, "t"));
  add(kAllow, Op::kDescribe, "u");
  add(kDeny, Op::kRead, "u");
  EXPECT_TRUE(may(Op::kDescribe, "u"));
  EXPECT_FALSE(may(Op::kRead, "u"));
}

TEST_F(AuthorizerTest, SomeResourceIsLeftUnlessADenialCoversThemAll) {
  EXPECT_FALSE(may_some(Op::kWrite));
  add(kAllow, Op::kWrite, "a-1");
  EXPECT_TRUE(may_some(Op::kWrite));
  add(kDeny, Op::kWrite, "a-", PatternType::kPrefixed);
  EXPECT_FALSE(may_some(Op::kWrite));
  add(kAllow, Op::kWrite, "b", PatternType::kPrefixed);
  add(kDeny, Op::kWrite, "b");
  EXPECT_TRUE(may_some(Op::kWrite)) << "of the prefix only the name itself is denied";
  add(kDeny, Op::kAll, "*");
  EXPECT_FALSE(may_some(Op::kWrite));
}

TEST_F(AuthorizerTest, OperationsAreABitFieldOfWhatIsAllowed) {
  add(kAllow, Op::kRead, "t");
  constexpr std::int32_t kReadWriteDescribe = 1 << 3 | 1 << 4 | 1 << 8;
  EXPECT_EQ(
      Authorizer(spec, acls)
          .allowed_of({"User:alice", "127.0.0.1"}, kReadWriteDescribe, ResourceType::kTopic, "t"),
      1 << 3 | 1 << 8);
}

}  // namespace
}  // namespace ktrial::fakebroker
