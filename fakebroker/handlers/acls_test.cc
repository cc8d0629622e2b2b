// SPDX-License-Identifier: Apache-2.0
// End to end: ACLs.
#include "fakebroker/cluster_for_test.h"
#include "protocol/errors.h"
#include "protocol/messages/create_acls_request.h"
#include "protocol/messages/create_acls_response.h"
#include "protocol/messages/delete_acls_request.h"
#include "protocol/messages/delete_acls_response.h"
#include "protocol/messages/describe_acls_request.h"
#include "protocol/messages/describe_acls_response.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace ktrial::fakebroker {
namespace {

using namespace protocol;  // NOLINT: this file is little else than messages

constexpr std::int8_t kAny = 1;
constexpr std::int8_t kTopic = 2;
constexpr std::int8_t kCluster = 4;
constexpr std::int8_t kMatch = 2;
constexpr std::int8_t kLiteral = 3;
constexpr std::int8_t kPrefixed = 4;
constexpr std::int8_t kRead = 3;
constexpr std::int8_t kAllow = 3;

ClusterSpec with_authorizer() {
  ClusterSpec spec = spec_for_test();
  spec.security.authorizer = {.enabled = true, .super_users = {"User:ANONYMOUS"}};
  return spec;
}

struct AclsTest : testing::Test {
  ClusterForTest cluster{with_authorizer()};
  ClientForTest client{cluster.broker()};

  static create_acls_request::AclCreation acl(const std::string& name, std::int8_t pattern,
                                              const std::string& principal) {
    create_acls_request::AclCreation creation;
    creation.resource_type = kTopic;
    creation.resource_name = name;
    creation.resource_pattern_type = pattern;
    creation.principal = principal;
    creation.host = "*";
    creation.operation = kRead;
    creation.permission_type = kAllow;
    return creation;
  }
  create_acls_response::AclCreationResult create(const create_acls_request::AclCreation& creation,
                                                 std::int16_t version = 3) {
    CreateAclsRequest request;
    request.creations = {creation};
    return client.call<CreateAclsResponse>(request, version).results.at(0);
  }
  void create_three() {
    EXPECT_EQ(create(acl("foo", kLiteral, "User:a"), 1).error_code, 0);
    EXPECT_EQ(create(acl("fo", kPrefixed, "User:b"), 2).error_code, 0);
    EXPECT_EQ(create(acl("*", kLiteral, "User:c"), 3).error_code, 0);
  }
  // The last letters of the principals.
  std::string describe(std::int8_t pattern, std::optional<std::string> name,
                       std::optional<std::string> principal = {}) {
    DescribeAclsRequest request;
    request.resource_type_filter = kTopic;
    request.resource_name_filter = std::move(name);
    request.pattern_type_filter = pattern;
    request.principal_filter = std::move(principal);
    request.host_filter = std::nullopt;
    request.operation = kAny;
    request.permission_type = kAny;
    std::string found;
    for (const auto& resource : client.call<DescribeAclsResponse>(request, 3).resources) {
      for (const auto& entry : resource.acls) found += entry.principal.back();
    }
    std::sort(found.begin(), found.end());
    return found;
  }
  static delete_acls_request::DeleteAclsFilter filter(std::int8_t pattern,
                                                      std::optional<std::string> name) {
    delete_acls_request::DeleteAclsFilter filter;
    filter.resource_type_filter = kTopic;
    filter.resource_name_filter = std::move(name);
    filter.pattern_type_filter = pattern;
    filter.principal_filter = std::nullopt;
    filter.host_filter = std::nullopt;
    filter.operation = kAny;
    filter.permission_type = kAny;
    return filter;
  }
};

TEST_F(AclsTest, PatternsSelectByNameAndKind) {
  create_three();
  EXPECT_EQ(describe(kAny, std::nullopt), "abc");
  EXPECT_EQ(describe(kAny, "foo"), "a");
  EXPECT_EQ(describe(kAny, "fo"), "b");
  EXPECT_EQ(describe(kLiteral, std::nullopt), "ac");
  EXPECT_EQ(describe(kLiteral, "fo"), "");
  EXPECT_EQ(describe(kPrefixed, std::nullopt), "b");
  EXPECT_EQ(describe(kPrefixed, "food"), "");
  EXPECT_EQ(describe(kMatch, "foo"), "abc");
  EXPECT_EQ(describe(kMatch, "food"), "bc");
  EXPECT_EQ(describe(kMatch, "*"), "c");
  EXPECT_EQ(describe(kMatch, "foo", "User:a"), "a");
}

TEST_F(AclsTest, AnAclThatIsThereIsNotThereTwice) {
  create_three();
  create_three();
  EXPECT_EQ(describe(kAny, std::nullopt), "abc");
}

TEST_F(AclsTest, WhatCannotBeIsRefusedInKafkasWords) {
  EXPECT_EQ(create(acl("", kLiteral, "User:a")).error_message, "Invalid empty resource name");
  EXPECT_EQ(create(acl("t", kMatch, "User:a")).error_message, "Invalid patternType MATCH");
  EXPECT_EQ(create(acl("t", kLiteral, "a")).error_code, code(KafkaError::kInvalidRequest));
  auto cluster_acl = acl("t", kLiteral, "User:a");
  cluster_acl.resource_type = kCluster;
  EXPECT_EQ(create(cluster_acl).error_message,
            "The only valid name for the CLUSTER resource is kafka-cluster");
  auto any_operation = acl("t", kLiteral, "User:a");
  any_operation.operation = kAny;
  EXPECT_EQ(create(any_operation).error_message, "Invalid operation ANY");
}

TEST_F(AclsTest, EachFilterTellsWhatItDeletes) {
  create_three();
  DeleteAclsRequest request;
  request.filters = {filter(kMatch, "food"), filter(kPrefixed, std::nullopt), filter(0, "x")};
  const auto results = client.call<DeleteAclsResponse>(request, 3).filter_results;
  ASSERT_EQ(results.size(), 3U);
  EXPECT_EQ(results[0].matching_acls.size(), 2U);
  EXPECT_EQ(results[1].matching_acls.size(), 1U);
  EXPECT_EQ(results[2].error_code, code(KafkaError::kInvalidRequest));
  EXPECT_EQ(describe(kAny, std::nullopt), "a");
}

TEST_F(AclsTest, ARuleRefusesWithoutAnythingBeingApplied) {
  for (const char* const api : {"CreateAcls", "DescribeAcls", "DeleteAcls"}) {
    ASSERT_TRUE(cluster->add_rule(
        {.id = api,
         .match = {.apis = {api}, .times = 1},
         .action = {.apply = false, .error = code(KafkaError::kSecurityDisabled)}}));
  }
  EXPECT_EQ(create(acl("foo", kLiteral, "User:a")).error_code, code(KafkaError::kSecurityDisabled));
  create(acl("foo", kLiteral, "User:a"));
  EXPECT_EQ(describe(kAny, std::nullopt), "");
  DeleteAclsRequest request;
  request.filters = {filter(kAny, std::nullopt)};
  EXPECT_EQ(client.call<DeleteAclsResponse>(request, 3).filter_results.at(0).error_code,
            code(KafkaError::kSecurityDisabled));
  EXPECT_EQ(describe(kAny, std::nullopt), "a");
}

TEST(Acls, WithoutAnAuthorizerThereAreNone) {
  ClusterForTest cluster;
  ClientForTest client(cluster.broker());
  const auto disabled = code(KafkaError::kSecurityDisabled);
  DescribeAclsRequest any;
  any.resource_type_filter = any.pattern_type_filter = any.operation = any.permission_type = kAny;
  const auto described = client.call<DescribeAclsResponse>(any, 3);
  EXPECT_EQ(described.error_code, disabled);
  EXPECT_EQ(described.error_message, "No Authorizer is configured.");
  CreateAclsRequest create;
  create.creations = {AclsTest::acl("foo", kLiteral, "User:a")};
  EXPECT_EQ(client.call<CreateAclsResponse>(create, 3).results.at(0).error_code, disabled);
  DeleteAclsRequest erase;
  erase.filters.emplace_back();
  erase.filters[0].resource_type_filter = erase.filters[0].pattern_type_filter = kAny;
  erase.filters[0].operation = erase.filters[0].permission_type = kAny;
  EXPECT_EQ(client.call<DeleteAclsResponse>(erase, 3).filter_results.at(0).error_code, disabled);
}

}  // namespace
}  // namespace ktrial::fakebroker
