// SPDX-License-Identifier: Apache-2.0
// End to end: what is asked of the controllers: features, their quorum, who is a broker.
#include "fakebroker/cluster_for_test.h"
#include "fakebroker/requests_for_test.h"
#include "protocol/errors.h"
#include "protocol/messages/api_versions_request.h"
#include "protocol/messages/api_versions_response.h"
#include "protocol/messages/describe_cluster_request.h"
#include "protocol/messages/describe_cluster_response.h"
#include "protocol/messages/describe_quorum_request.h"
#include "protocol/messages/describe_quorum_response.h"
#include "protocol/messages/unregister_broker_request.h"
#include "protocol/messages/unregister_broker_response.h"
#include "protocol/messages/update_features_request.h"
#include "protocol/messages/update_features_response.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace ktrial::fakebroker {
namespace {

using namespace protocol;  // NOLINT: this file is little else than messages

constexpr std::int8_t kUpgrade = 1;
constexpr std::int8_t kSafeDowngrade = 2;
constexpr std::int8_t kUnsafeDowngrade = 3;

struct ControllersTest : testing::Test {
  ClusterForTest cluster{spec_for_test(3)};
  ClientForTest client{cluster.broker(1)};

  // The message of the refusal; empty if there was none.
  std::string update(const std::string& feature, std::int16_t level, std::int8_t type,
                     std::int16_t version = 2, bool validate_only = false) {
    UpdateFeaturesRequest request;
    request.validate_only = validate_only;
    auto& wanted = request.feature_updates.emplace_back();
    wanted.feature = feature;
    wanted.max_version_level = level;
    wanted.upgrade_type = type;
    const auto response = client.call<UpdateFeaturesResponse>(request, version);
    EXPECT_EQ(response.error_code,
              response.error_message ? code(KafkaError::kInvalidUpdateVersion) : 0);
    std::string message = response.error_message.value_or("");
    const std::size_t at = message.find("Invalid ");
    return at == std::string::npos ? message : message.substr(at);
  }
  // 0: not finalized.
  std::int16_t level(const std::string& feature) {
    ApiVersionsRequest request;
    request.client_software_name = "test";
    request.client_software_version = "1";
    const auto response = client.call<ApiVersionsResponse>(request, 4);
    const auto& all = response.finalized_features;
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.name == feature; });
    return found == all.end() ? std::int16_t{0} : found->max_version_level;
  }
  DescribeQuorumResponse quorum(const std::string& topic, std::int16_t version) {
    DescribeQuorumRequest request;
    auto& wanted = request.topics.emplace_back();
    wanted.topic_name = topic;
    wanted.partitions.emplace_back().partition_index = 0;
    return client.call<DescribeQuorumResponse>(request, version);
  }
  std::int16_t unregister(int broker) {
    UnregisterBrokerRequest request;
    request.broker_id = broker;
    return client.call<UnregisterBrokerResponse>(request, 0).error_code;
  }
};

// --- Features

TEST_F(ControllersTest, FeaturesGoUpAndDown) {
  EXPECT_EQ(level("transaction.version"), 2);
  EXPECT_EQ(update("transaction.version", 1, kSafeDowngrade, 2, true), "");
  EXPECT_EQ(level("transaction.version"), 2);
  EXPECT_EQ(update("transaction.version", 1, kSafeDowngrade, 1), "");
  EXPECT_EQ(level("transaction.version"), 1);
  EXPECT_EQ(update("transaction.version", 0, kSafeDowngrade), "");
  EXPECT_EQ(level("transaction.version"), 0);
  EXPECT_EQ(update("transaction.version", 2, kUpgrade), "");
  EXPECT_EQ(level("transaction.version"), 2);
}

TEST_F(ControllersTest, FeaturesAreCheckedInKafkasWords) {
  EXPECT_EQ(update("foo.version", 1, kUpgrade),
            "Invalid update version 1 for feature foo.version. Local controller 1 does not support "
            "this feature.");
  EXPECT_EQ(update("group.version", 9, kUpgrade),
            "Invalid update version 9 for feature group.version. Local controller 1 only supports "
            "versions 0-1");
  EXPECT_NE(update("transaction.version", 1, kUpgrade), "");
  EXPECT_NE(update("transaction.version", 1, 0), "");
  EXPECT_NE(update("metadata.version", 20, kUnsafeDowngrade), "");
}

// --- The quorum

TEST_F(ControllersTest, EveryBrokerIsAVoter) {
  for (std::int16_t version = 0; version <= 2; ++version) {
    const auto response = quorum("__cluster_metadata", version);
    const auto& partition = response.topics.at(0).partitions.at(0);
    EXPECT_EQ(partition.error_code, 0) << version;
    EXPECT_EQ(partition.leader_id, 1) << version;
    EXPECT_GT(partition.high_watermark, 0) << version;
    EXPECT_EQ(partition.current_voters.size(), 3U) << version;
    EXPECT_EQ(response.nodes.size(), version >= 2 ? 3U : 0U);
  }
  EXPECT_EQ(quorum("t", 2).topics.at(0).partitions.at(0).error_code,
            code(KafkaError::kUnknownTopicOrPartition));
}

// --- Brokers

TEST_F(ControllersTest, AnUnregisteredBrokerIsNoPartOfTheClusterUntilItStartsAgain) {
  const auto brokers = [this] {
    return client.call<DescribeClusterResponse>(DescribeClusterRequest(), 0).brokers.size();
  };
  const auto leader = [this] {
    return client.call<MetadataResponse>(a_metadata(), 9).topics.at(0).partitions.at(1).leader_id;
  };
  EXPECT_EQ(leader(), 2);
  EXPECT_EQ(unregister(2), 0);
  EXPECT_EQ(brokers(), 2U);
  EXPECT_EQ(leader(), 3);
  EXPECT_EQ(unregister(2), code(KafkaError::kBrokerIdNotRegistered));
  ASSERT_TRUE(cluster->stop_broker(2, CloseKind::kFin));
  ASSERT_TRUE(cluster->start_broker(2));
  EXPECT_EQ(brokers(), 3U);
}

TEST_F(ControllersTest, ARuleRefusesWithoutAnythingBeingApplied) {
  for (const char* const api : {"UpdateFeatures", "UnregisterBroker"}) {
    ASSERT_TRUE(cluster->add_rule({.id = api,
                                   .match = {.apis = {api}, .times = 1},
                                   .action = {.apply = false, .error = 95}}));
  }
  update("transaction.version", 1, kSafeDowngrade);
  EXPECT_EQ(level("transaction.version"), 2);
  EXPECT_EQ(unregister(2), 95);
  EXPECT_EQ(unregister(2), 0);
}

}  // namespace
}  // namespace ktrial::fakebroker
