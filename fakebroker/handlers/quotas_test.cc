// SPDX-License-Identifier: Apache-2.0
// End to end: client quotas and SCRAM credentials.
#include "fakebroker/cluster_for_test.h"
#include "protocol/errors.h"
#include "protocol/messages/alter_client_quotas_request.h"
#include "protocol/messages/alter_client_quotas_response.h"
#include "protocol/messages/alter_user_scram_credentials_request.h"
#include "protocol/messages/alter_user_scram_credentials_response.h"
#include "protocol/messages/describe_client_quotas_request.h"
#include "protocol/messages/describe_client_quotas_response.h"
#include "protocol/messages/describe_user_scram_credentials_request.h"
#include "protocol/messages/describe_user_scram_credentials_response.h"

#include <gtest/gtest.h>

#include <utility>

namespace ktrial::fakebroker {
namespace {

using namespace protocol;  // NOLINT: this file is little else than messages

using Entity = std::vector<std::pair<std::string, std::optional<std::string>>>;
constexpr std::int8_t kExact = 0;
constexpr std::int8_t kDefault = 1;
constexpr std::int8_t kAnyName = 2;

struct QuotasTest : testing::Test {
  ClusterForTest cluster;
  ClientForTest client{cluster.broker()};

  // The message of the refusal; empty if there was none.
  std::string alter(const Entity& entity, const std::string& key, std::optional<double> value,
                    std::int16_t version = 1) {
    AlterClientQuotasRequest request;
    auto& entry = request.entries.emplace_back();
    for (const auto& [type, name] : entity) {
      auto& part = entry.entity.emplace_back();
      part.entity_type = type;
      part.entity_name = name;
    }
    auto& op = entry.ops.emplace_back();
    op.key = key;
    op.value = value.value_or(0);
    op.remove = !value;
    const auto result = client.call<AlterClientQuotasResponse>(request, version).entries.at(0);
    EXPECT_EQ(result.error_code == 0, !result.error_message);
    EXPECT_EQ(result.entity.size(), entity.size());
    return result.error_message.value_or("");
  }
  DescribeClientQuotasResponse describe(const std::string& type, std::int8_t match,
                                        std::optional<std::string> name = {}, bool strict = false) {
    DescribeClientQuotasRequest request;
    request.strict = strict;
    auto& component = request.components.emplace_back();
    component.entity_type = type;
    component.match_type = match;
    component.match = std::move(name);
    return client.call<DescribeClientQuotasResponse>(request, 1);
  }
};

TEST_F(QuotasTest, QuotasAreKeptAndFound) {
  EXPECT_EQ(alter({{"user", "u"}}, "producer_byte_rate", 1000), "");
  EXPECT_EQ(alter({{"user", "u"}, {"client-id", "c"}}, "consumer_byte_rate", 2000, 0), "");
  EXPECT_EQ(alter({{"user", std::nullopt}}, "request_percentage", 12.5), "");
  EXPECT_EQ(describe("user", kExact, "u").entries->size(), 2U);
  const auto strict = describe("user", kExact, "u", true);
  ASSERT_EQ(strict.entries->size(), 1U);
  EXPECT_EQ(strict.entries->at(0).values.at(0).key, "producer_byte_rate");
  EXPECT_EQ(strict.entries->at(0).values[0].value, 1000);
  EXPECT_EQ(describe("user", kDefault).entries->size(), 1U);
  EXPECT_EQ(describe("user", kAnyName).entries->size(), 3U);
  EXPECT_EQ(
      client.call<DescribeClientQuotasResponse>(DescribeClientQuotasRequest(), 0).entries->size(),
      3U);
  EXPECT_EQ(alter({{"user", "u"}}, "producer_byte_rate", std::nullopt), "");
  EXPECT_TRUE(describe("user", kExact, "u", true).entries->empty());
}

TEST_F(QuotasTest, WhatCannotBeIsRefusedInKafkasWords) {
  const Entity user = {{"user", "u"}};
  EXPECT_EQ(alter(user, "foo", 1), "Invalid configuration key foo");
  EXPECT_EQ(alter(user, "producer_byte_rate", 0),
            "Quota producer_byte_rate must be greater than 0");
  EXPECT_EQ(alter(user, "producer_byte_rate", 1.5),
            "producer_byte_rate cannot be a fractional value.");
  EXPECT_EQ(alter({{"ip", "10.0.0.1"}}, "connection_creation_rate", 3e9),
            "Proposed value for connection_creation_rate is too large for an INT.");
  EXPECT_EQ(alter({{"ip", "no address"}}, "connection_creation_rate", 3),
            "no address is not a valid IP or resolvable host.");
  EXPECT_EQ(alter({{"ip", "1"}, {"user", "u"}}, "connection_creation_rate", 3).substr(0, 41),
            "Invalid quota entity combination, IP enti");
  EXPECT_EQ(alter({{"foo", "u"}}, "producer_byte_rate", 1),
            "Unhandled client quota entity type: foo");
  EXPECT_EQ(alter({{"user", ""}}, "producer_byte_rate", 1), "Empty user not supported");
  EXPECT_EQ(alter({}, "producer_byte_rate", 1), "Invalid empty client quota entity");
}

TEST_F(QuotasTest, FiltersAreChecked) {
  EXPECT_EQ(describe("foo", kAnyName).error_code, code(KafkaError::kUnsupportedVersion));
  EXPECT_EQ(describe("", kAnyName).error_message, "Invalid empty entity type.");
  EXPECT_EQ(describe("user", kExact).error_code, code(KafkaError::kInvalidRequest));
  EXPECT_EQ(describe("user", kDefault, "u").error_code, code(KafkaError::kInvalidRequest));
  EXPECT_EQ(describe("user", 9).error_message, "Unknown match type 9");
  EXPECT_FALSE(describe("user", 9).entries);
}

// --- SCRAM

struct ScramTest : testing::Test {
  ClusterForTest cluster;
  ClientForTest client{cluster.broker()};

  static void add(AlterUserScramCredentialsRequest& request, const std::string& user,
                  std::int8_t mechanism, std::int32_t iterations) {
    auto& upsertion = request.upsertions.emplace_back();
    upsertion.name = user;
    upsertion.mechanism = mechanism;
    upsertion.iterations = iterations;
  }
  auto put(const std::string& user, std::int8_t mechanism = 1, std::int32_t iterations = 4096) {
    AlterUserScramCredentialsRequest request;
    add(request, user, mechanism, iterations);
    return client.call<AlterUserScramCredentialsResponse>(request, 0).results.at(0);
  }
  std::int16_t erase(const std::string& user, std::int8_t mechanism) {
    AlterUserScramCredentialsRequest request;
    auto& deletion = request.deletions.emplace_back();
    deletion.name = user;
    deletion.mechanism = mechanism;
    return client.call<AlterUserScramCredentialsResponse>(request, 0).results.at(0).error_code;
  }
  auto describe(const std::vector<std::string>& users = {}) {
    DescribeUserScramCredentialsRequest request;
    if (users.empty()) request.users = std::nullopt;
    for (const std::string& user : users) request.users->emplace_back().name = user;
    return client.call<DescribeUserScramCredentialsResponse>(request, 0).results;
  }
};

TEST_F(ScramTest, CredentialsAreKeptByMechanism) {
  EXPECT_EQ(put("alice", 1).error_code, 0);
  EXPECT_EQ(put("alice", 2, 8192).error_code, 0);
  EXPECT_EQ(put("bob", 1).error_code, 0);
  EXPECT_EQ(describe().size(), 2U);
  const auto alice = describe({"alice"}).at(0);
  ASSERT_EQ(alice.credential_infos.size(), 2U);
  EXPECT_EQ(alice.credential_infos[1].mechanism, 2);
  EXPECT_EQ(alice.credential_infos[1].iterations, 8192);
  EXPECT_EQ(erase("alice", 1), 0);
  EXPECT_EQ(describe({"alice"}).at(0).credential_infos.size(), 1U);
  EXPECT_EQ(erase("alice", 1), code(KafkaError::kResourceNotFound));
}

TEST_F(ScramTest, WhatCannotBeIsRefused) {
  EXPECT_EQ(put("alice", 1, 10).error_message, "Too few iterations");
  EXPECT_EQ(put("alice", 1, 99999).error_message, "Too many iterations");
  EXPECT_EQ(put("").error_code, code(KafkaError::kUnacceptableCredential));
  EXPECT_EQ(put("alice", 7).error_code, code(KafkaError::kUnsupportedSaslMechanism));
  EXPECT_EQ(describe({"zed"}).at(0).error_code, code(KafkaError::kResourceNotFound));
  EXPECT_EQ(describe({"zed", "zed"}).at(0).error_code, code(KafkaError::kDuplicateResource));
  AlterUserScramCredentialsRequest twice;
  add(twice, "alice", 1, 4096);
  add(twice, "alice", 2, 4096);
  const auto results = client.call<AlterUserScramCredentialsResponse>(twice, 0).results;
  ASSERT_EQ(results.size(), 1U);
  EXPECT_EQ(results[0].error_code, code(KafkaError::kDuplicateResource));
  EXPECT_TRUE(describe().empty());
}

TEST_F(ScramTest, ARuleRefusesWithoutAnythingBeingApplied) {
  ASSERT_TRUE(
      cluster->add_rule({.id = "r",
                         .match = {.apis = {"AlterUserScramCredentials"}},
                         .action = {.apply = false, .error = code(KafkaError::kNotController)}}));
  EXPECT_EQ(put("alice").error_code, code(KafkaError::kNotController));
  EXPECT_TRUE(describe().empty());
}

}  // namespace
}  // namespace ktrial::fakebroker
