// SPDX-License-Identifier: Apache-2.0
// End to end: ApiVersions, Metadata and the admin APIs.
#include "fakebroker/cluster_for_test.h"
#include "fakebroker/handlers/registry.h"
#include "fakebroker/requests_for_test.h"
#include "protocol/api_info.h"
#include "protocol/errors.h"
#include "protocol/messages/api_versions_request.h"
#include "protocol/messages/api_versions_response.h"
#include "protocol/messages/create_partitions_request.h"
#include "protocol/messages/create_partitions_response.h"
#include "protocol/messages/create_topics_request.h"
#include "protocol/messages/create_topics_response.h"
#include "protocol/messages/delete_topics_request.h"
#include "protocol/messages/delete_topics_response.h"
#include "protocol/messages/describe_cluster_request.h"
#include "protocol/messages/describe_cluster_response.h"
#include "protocol/messages/describe_configs_request.h"
#include "protocol/messages/describe_configs_response.h"
#include "protocol/messages/describe_topic_partitions_request.h"
#include "protocol/messages/describe_topic_partitions_response.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace ktrial::fakebroker {
namespace {

using protocol::ApiVersionsRequest;
using protocol::ApiVersionsResponse;
using protocol::KafkaError;
using protocol::MetadataRequest;
using protocol::MetadataResponse;

ApiVersionsRequest an_api_versions(const std::string& name = "test") {
  ApiVersionsRequest request;
  request.client_software_name = name;
  request.client_software_version = "1.0";
  return request;
}

struct AdminTest : testing::Test {
  ClusterForTest cluster{spec_for_test(3)};
  ClientForTest client{cluster.broker(1)};
};

TEST(Registry, EveryRowIsWithinWhatTheCodecKnows) {
  for (const ApiRow& row : registry()) {
    const protocol::ApiInfo* const api = protocol::find_api(row.key);
    ASSERT_NE(api, nullptr) << row.key;
    EXPECT_GE(row.min, api->min_version) << api->name;
    EXPECT_LE(row.max, api->max_version) << api->name;
    EXPECT_LE(row.advertised_min, row.min) << api->name;
    EXPECT_EQ(find_row(row.key), &row) << api->name << " twice";
  }
}

// --- ApiVersions

TEST_F(AdminTest, ApiVersionsOffersTheRegistryInEveryVersion) {
  for (std::int16_t version = 0; version <= 5; ++version) {
    const auto response = client.call<ApiVersionsResponse>(an_api_versions(), version);
    EXPECT_EQ(response.error_code, 0) << version;
    const auto offered = std::count_if(registry().begin(), registry().end(), [](const auto& row) {
      return is_offered(row, ClusterSpec());
    });
    EXPECT_EQ(response.api_keys.size(), static_cast<std::size_t>(offered)) << version;
  }
}

TEST_F(AdminTest, ProduceIsOfferedFromZeroButServedFromThree) {
  const auto response = client.call<ApiVersionsResponse>(an_api_versions(), 3);
  const auto produce = std::find_if(response.api_keys.begin(), response.api_keys.end(),
                                    [](const auto& api) { return api.api_key == 0; });
  EXPECT_EQ(produce->min_version, 0);
  client.send(a_produce(a_batch()), 2);
  EXPECT_EQ(client.ending(), ClientForTest::Ending::kFin);
}

TEST_F(AdminTest, FeaturesWithAMinimumOfZeroAreKeptFromOlderClients) {
  const auto has_group_version = [](const ApiVersionsResponse& response) {
    return std::any_of(response.supported_features.begin(), response.supported_features.end(),
                       [](const auto& feature) { return feature.name == "group.version"; });
  };
  EXPECT_FALSE(has_group_version(client.call<ApiVersionsResponse>(an_api_versions(), 3)));
  EXPECT_TRUE(has_group_version(client.call<ApiVersionsResponse>(an_api_versions(), 4)));
}

TEST_F(AdminTest, ASoftwareNameMustBeWellFormed) {
  for (const char* const name : {"", "a b", "-a", "a.", "ä"}) {
    EXPECT_EQ(client.call<ApiVersionsResponse>(an_api_versions(name), 3).error_code,
              code(KafkaError::kInvalidRequest))
        << name;
  }
  EXPECT_EQ(client.call<ApiVersionsResponse>(an_api_versions("apache-kafka.java"), 3).error_code,
            0);
}

TEST_F(AdminTest, AClientThatMeantAnotherClusterIsTold) {
  ApiVersionsRequest request = an_api_versions();
  request.cluster_id = "other";
  EXPECT_EQ(client.call<ApiVersionsResponse>(request, 5).error_code,
            code(KafkaError::kRebootstrapRequired));
  request.cluster_id = "ktrial";
  request.node_id = 1;
  EXPECT_EQ(client.call<ApiVersionsResponse>(request, 5).error_code, 0);
}

// --- Metadata

TEST_F(AdminTest, MetadataInEveryVersion) {
  for (std::int16_t version = 0; version <= 13; ++version) {
    const auto response = client.call<MetadataResponse>(a_metadata(), version);
    EXPECT_EQ(response.brokers.size(), 3U) << version;
    ASSERT_EQ(response.topics.size(), 1U) << version;
    EXPECT_EQ(response.topics[0].name, "t") << version;
    EXPECT_EQ(response.topics[0].partitions.size(), 2U) << version;
  }
}

TEST_F(AdminTest, NullMeansAllTopicsAndEmptyNone) {
  MetadataRequest request;
  EXPECT_TRUE(client.call<MetadataResponse>(request, 1).topics.empty());
  EXPECT_EQ(client.call<MetadataResponse>(request, 0).topics.size(), 1U);
  request.topics = std::nullopt;
  EXPECT_EQ(client.call<MetadataResponse>(request, 1).topics.size(), 1U);
}

TEST_F(AdminTest, TopicsAreFoundById) {
  const auto id = client.call<MetadataResponse>(a_metadata(), 12).topics.at(0).topic_id;
  MetadataRequest request;
  auto& topic = request.topics->emplace_back();
  topic.name = std::nullopt;
  topic.topic_id = id;
  EXPECT_EQ(client.call<MetadataResponse>(request, 12).topics.at(0).name, "t");
  request.topics->at(0).topic_id.bytes[0] ^= 1U;
  EXPECT_EQ(client.call<MetadataResponse>(request, 12).topics.at(0).error_code,
            code(KafkaError::kUnknownTopicId));
}

TEST_F(AdminTest, UnknownAndInvalidTopicsHaveTheirErrors) {
  EXPECT_EQ(client.call<MetadataResponse>(a_metadata("none", true), 9).topics.at(0).error_code,
            code(KafkaError::kUnknownTopicOrPartition));
  EXPECT_EQ(client.call<MetadataResponse>(a_metadata("no ne"), 9).topics.at(0).error_code,
            code(KafkaError::kInvalidTopicException));
}

TEST(Metadata, ATopicCreatedOnDemandIsThereFromTheNextRequestOn) {
  ClusterSpec spec = spec_for_test();
  spec.auto_create_topics = true;
  spec.default_partitions = 4;
  ClusterForTest cluster(std::move(spec));
  ClientForTest client(cluster.broker());
  EXPECT_EQ(client.call<MetadataResponse>(a_metadata("new", false), 9).topics.at(0).error_code, 3);
  EXPECT_EQ(client.call<MetadataResponse>(a_metadata("new", false), 9).topics.at(0).error_code, 3);
  EXPECT_EQ(client.call<MetadataResponse>(a_metadata("new", true), 9).topics.at(0).error_code, 3);
  EXPECT_EQ(
      client.call<MetadataResponse>(a_metadata("new", true), 9).topics.at(0).partitions.size(), 4U);
}

// --- Topics

protocol::create_topics_response::CreatableTopicResult create(ClientForTest& client,
                                                              const std::string& name,
                                                              std::int32_t partitions,
                                                              std::int16_t replicas = -1) {
  protocol::CreateTopicsRequest request;
  auto& topic = request.topics.emplace_back();
  topic.name = name;
  topic.num_partitions = partitions;
  topic.replication_factor = replicas;
  return client.call<protocol::CreateTopicsResponse>(request, 7).topics.at(0);
}

TEST_F(AdminTest, TopicsAreCreated) {
  EXPECT_EQ(create(client, "new", 5, 3).error_code, 0);
  EXPECT_EQ(client.call<MetadataResponse>(a_metadata("new"), 9).topics.at(0).partitions.size(), 5U);
  EXPECT_EQ(create(client, "new", 5).error_code, code(KafkaError::kTopicAlreadyExists));
  EXPECT_EQ(create(client, "x", 0).error_code, code(KafkaError::kInvalidPartitions));
  EXPECT_EQ(create(client, "x", 1, 9).error_code, code(KafkaError::kInvalidReplicationFactor));
  EXPECT_EQ(create(client, "x y", 1).error_code, code(KafkaError::kInvalidTopicException));
}

TEST_F(AdminTest, TopicsAreDeletedByNameOrId) {
  const auto id = create(client, "new", 1).topic_id;
  protocol::DeleteTopicsRequest by_id;
  by_id.topics.emplace_back().topic_id = id;
  EXPECT_EQ(client.call<protocol::DeleteTopicsResponse>(by_id, 6).responses.at(0).name, "new");
  EXPECT_EQ(client.call<protocol::DeleteTopicsResponse>(by_id, 6).responses.at(0).error_code,
            code(KafkaError::kUnknownTopicId));
  protocol::DeleteTopicsRequest by_name;
  by_name.topic_names = {"t"};
  EXPECT_EQ(client.call<protocol::DeleteTopicsResponse>(by_name, 1).responses.at(0).error_code, 0);
  EXPECT_EQ(client.call<protocol::DeleteTopicsResponse>(by_name, 1).responses.at(0).error_code,
            code(KafkaError::kUnknownTopicOrPartition));
}

TEST_F(AdminTest, TopicsGrow) {
  protocol::CreatePartitionsRequest request;
  auto& topic = request.topics.emplace_back();
  topic.name = "t";
  topic.count = 4;
  topic.assignments = std::nullopt;
  EXPECT_EQ(client.call<protocol::CreatePartitionsResponse>(request, 3).results.at(0).error_code,
            0);
  EXPECT_EQ(client.call<protocol::CreatePartitionsResponse>(request, 3).results.at(0).error_code,
            code(KafkaError::kInvalidPartitions));
  EXPECT_EQ(client.call<MetadataResponse>(a_metadata(), 9).topics.at(0).partitions.size(), 4U);
}

TEST_F(AdminTest, ConfigsOfTopicsAndTheBrokerAreDescribed) {
  protocol::DescribeConfigsRequest request;
  auto& topic = request.resources.emplace_back();
  topic.resource_type = 2;
  topic.resource_name = "t";
  topic.configuration_keys = {"max.message.bytes"};
  auto& broker = request.resources.emplace_back();
  broker.resource_type = 4;
  broker.resource_name = "1";
  broker.configuration_keys = std::nullopt;
  const auto response = client.call<protocol::DescribeConfigsResponse>(request, 4);
  ASSERT_EQ(response.results.at(0).configs.size(), 1U);
  EXPECT_EQ(response.results[0].configs[0].value, "1048588");
  EXPECT_GT(response.results.at(1).configs.size(), 3U);
}

TEST_F(AdminTest, TheClusterIsDescribed) {
  const auto response =
      client.call<protocol::DescribeClusterResponse>(protocol::DescribeClusterRequest(), 2);
  EXPECT_EQ(response.cluster_id, "ktrial");
  EXPECT_EQ(response.controller_id, 1);
  EXPECT_EQ(response.brokers.size(), 3U);
}

TEST_F(AdminTest, TopicPartitionsComeInPages) {
  protocol::DescribeTopicPartitionsRequest request;
  request.response_partition_limit = 1;
  const auto first = client.call<protocol::DescribeTopicPartitionsResponse>(request, 0);
  ASSERT_TRUE(first.next_cursor);
  EXPECT_EQ(first.next_cursor->partition_index, 1);
  request.cursor.emplace();
  request.cursor->topic_name = first.next_cursor->topic_name;
  request.cursor->partition_index = first.next_cursor->partition_index;
  const auto second = client.call<protocol::DescribeTopicPartitionsResponse>(request, 0);
  EXPECT_EQ(second.topics.at(0).partitions.at(0).partition_index, 1);
  EXPECT_FALSE(second.next_cursor);
}

}  // namespace
}  // namespace ktrial::fakebroker
