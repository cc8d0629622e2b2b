// SPDX-License-Identifier: Apache-2.0
// End to end: configs of topics, brokers, groups and client metrics subscriptions.
#include "fakebroker/cluster_for_test.h"
#include "fakebroker/requests_for_test.h"
#include "protocol/errors.h"
#include "protocol/messages/alter_configs_request.h"
#include "protocol/messages/alter_configs_response.h"
#include "protocol/messages/create_topics_request.h"
#include "protocol/messages/create_topics_response.h"
#include "protocol/messages/describe_configs_request.h"
#include "protocol/messages/describe_configs_response.h"
#include "protocol/messages/incremental_alter_configs_request.h"
#include "protocol/messages/incremental_alter_configs_response.h"
#include "protocol/messages/list_config_resources_request.h"
#include "protocol/messages/list_config_resources_response.h"

#include <gtest/gtest.h>

#include <utility>

namespace ktrial::fakebroker {
namespace {

using namespace protocol;  // NOLINT: this file is little else than messages

constexpr std::int8_t kTopicType = 2;
constexpr std::int8_t kBrokerType = 4;
constexpr std::int8_t kClientMetricsType = 16;
constexpr std::int8_t kGroupType = 32;
enum Operation : std::int8_t { kSet, kDelete, kAppend, kSubtract };

struct ConfigsTest : testing::Test {
  ClusterForTest cluster{spec_for_test(2)};
  ClientForTest client{cluster.broker(1)};

  using Altered = incremental_alter_configs_response::AlterConfigsResourceResponse;
  Altered alter(std::int8_t type, const std::string& name, Operation operation,
                const std::string& key, std::optional<std::string> value,
                bool validate_only = false) {
    IncrementalAlterConfigsRequest request;
    auto& resource = request.resources.emplace_back();
    resource.resource_type = type;
    resource.resource_name = name;
    auto& config = resource.configs.emplace_back();
    config.name = key;
    config.config_operation = operation;
    config.value = std::move(value);
    request.validate_only = validate_only;
    return client.call<IncrementalAlterConfigsResponse>(request, 1).responses.at(0);
  }
  KafkaError set(const std::string& key, const std::string& value) {
    return static_cast<KafkaError>(alter(kTopicType, "t", kSet, key, value).error_code);
  }
  // The message that a value of the topic is refused with.
  std::string why_not(const std::string& key, const std::string& value) {
    const Altered answer = alter(kTopicType, "t", kSet, key, value);
    EXPECT_EQ(answer.error_code, code(KafkaError::kInvalidConfig)) << key;
    return answer.error_message.value_or("");
  }
  std::vector<describe_configs_response::DescribeConfigsResourceResult> describe(
      std::int8_t type, const std::string& name, std::optional<std::string> key = {}) {
    DescribeConfigsRequest request;
    request.include_synonyms = true;
    auto& resource = request.resources.emplace_back();
    resource.resource_type = type;
    resource.resource_name = name;
    resource.configuration_keys = std::nullopt;
    if (key) resource.configuration_keys = {*key};
    return client.call<DescribeConfigsResponse>(request, 4).results.at(0).configs;
  }
  std::optional<std::string> value(const std::string& key) {
    return describe(kTopicType, "t", key).at(0).value;
  }
};

TEST_F(ConfigsTest, WhatIsSetOnATopicIsDescribed) {
  EXPECT_EQ(set("retention.ms", "1000"), KafkaError::kNone);
  const auto config = describe(kTopicType, "t", "retention.ms").at(0);
  EXPECT_EQ(config.value, "1000");
  EXPECT_EQ(config.config_source, 1);
  EXPECT_EQ(config.config_type, 5);
  EXPECT_FALSE(config.read_only);
  EXPECT_EQ(alter(kTopicType, "t", kDelete, "retention.ms", std::nullopt).error_code, 0);
  EXPECT_EQ(value("retention.ms"), "604800000");
}

TEST_F(ConfigsTest, ListsAreAddedToAndTakenFrom) {
  EXPECT_EQ(alter(kTopicType, "t", kAppend, "cleanup.policy", "compact").error_code, 0);
  EXPECT_EQ(value("cleanup.policy"), "delete,compact");
  EXPECT_EQ(alter(kTopicType, "t", kAppend, "cleanup.policy", "compact").error_code, 0);
  EXPECT_EQ(alter(kTopicType, "t", kSubtract, "cleanup.policy", "delete").error_code, 0);
  EXPECT_EQ(value("cleanup.policy"), "compact");
  EXPECT_EQ(alter(kTopicType, "t", kAppend, "retention.ms", "1").error_message,
            "Can't APPEND to key retention.ms because its type is not LIST.");
}

TEST_F(ConfigsTest, ValuesAreCheckedInKafkasWords) {
  EXPECT_EQ(why_not("foo", "1"), "Unknown topic config name: foo");
  EXPECT_EQ(why_not("max.message.bytes", "abc"),
            "Invalid value abc for configuration max.message.bytes: Not a number of type INT");
  EXPECT_EQ(why_not("max.message.bytes", "5000000000"),
            "Invalid value 5000000000 for configuration max.message.bytes: Not a number of type "
            "INT");
  EXPECT_EQ(why_not("retention.ms", "-2"),
            "Invalid value -2 for configuration retention.ms: Value must be at least -1");
  EXPECT_EQ(why_not("cleanup.policy", "delete,foo"),
            "Invalid value foo for configuration cleanup.policy: String must be one of: compact, "
            "delete");
  EXPECT_EQ(why_not("preallocate", "maybe"),
            "Invalid value maybe for configuration preallocate: Expected value to be either true "
            "or false");
  EXPECT_EQ(why_not("remote.storage.enable", "true").substr(0, 37),
            "Tiered Storage functionality is disab");
}

TEST_F(ConfigsTest, OnlyTopicsThatAreThereAreAltered) {
  const auto absent = alter(kTopicType, "none", kSet, "retention.ms", "1");
  EXPECT_EQ(absent.error_code, code(KafkaError::kUnknownTopicOrPartition));
  EXPECT_EQ(absent.error_message, "The topic 'none' does not exist.");
  EXPECT_EQ(alter(kTopicType, "", kSet, "retention.ms", "1").error_code,
            code(KafkaError::kInvalidRequest));
  EXPECT_EQ(alter(kTopicType, "a b", kSet, "retention.ms", "1").error_code,
            code(KafkaError::kInvalidTopicException));
  EXPECT_EQ(alter(99, "x", kSet, "retention.ms", "1").error_message, "Unknown resource type 99");
}

TEST_F(ConfigsTest, AResourceOrKeyThatComesTwiceIsRefused) {
  IncrementalAlterConfigsRequest request;
  for (int i = 0; i < 2; ++i) {
    auto& resource = request.resources.emplace_back();
    resource.resource_type = kTopicType;
    resource.resource_name = "t";
  }
  auto response = client.call<IncrementalAlterConfigsResponse>(request, 1);
  ASSERT_EQ(response.responses.size(), 2U);
  EXPECT_EQ(response.responses[1].error_message, "Each resource must appear at most once.");
  request.resources.pop_back();
  for (int i = 0; i < 2; ++i) {
    request.resources[0].configs.emplace_back().name = "retention.ms";
    request.resources[0].configs.back().value = "1";
  }
  response = client.call<IncrementalAlterConfigsResponse>(request, 1);
  EXPECT_EQ(response.responses.at(0).error_message, "Error due to duplicate config keys");
  EXPECT_EQ(alter(kTopicType, "t", kSet, "retention.ms", std::nullopt).error_message,
            "Null value not supported for : retention.ms");
}

TEST_F(ConfigsTest, ValidatingChangesNothing) {
  EXPECT_EQ(alter(kTopicType, "t", kSet, "retention.ms", "1", true).error_code, 0);
  EXPECT_EQ(value("retention.ms"), "604800000");
}

TEST_F(ConfigsTest, AlterConfigsReplacesAllThatIsSet) {
  set("retention.ms", "1000");
  AlterConfigsRequest request;
  auto& resource = request.resources.emplace_back();
  resource.resource_type = kTopicType;
  resource.resource_name = "t";
  auto& config = resource.configs.emplace_back();
  config.name = "segment.ms";
  config.value = "5000";
  for (std::int16_t version = 0; version <= 2; ++version) {
    EXPECT_EQ(client.call<AlterConfigsResponse>(request, version).responses.at(0).error_code, 0);
  }
  EXPECT_EQ(value("segment.ms"), "5000");
  EXPECT_EQ(value("retention.ms"), "604800000");
}

TEST_F(ConfigsTest, TheLargestMessageIsTheTopicsThenTheBrokersThenThatOfAllBrokers) {
  const auto produced = [this] { return produce(client, a_produce(a_batch())).error_code; };
  EXPECT_EQ(alter(kBrokerType, "", kSet, "message.max.bytes", "10").error_code, 0);
  EXPECT_EQ(produced(), code(KafkaError::kMessageTooLarge));
  EXPECT_EQ(alter(kBrokerType, "1", kSet, "message.max.bytes", "1000").error_code, 0);
  EXPECT_EQ(produced(), 0);
  EXPECT_EQ(set("max.message.bytes", "20"), KafkaError::kNone);
  EXPECT_EQ(produced(), code(KafkaError::kMessageTooLarge));
  const auto config = describe(kTopicType, "t", "max.message.bytes").at(0);
  ASSERT_EQ(config.synonyms.size(), 4U);
  EXPECT_EQ(config.synonyms[1].name, "message.max.bytes");
  EXPECT_EQ(config.synonyms[1].source, 2);
  EXPECT_EQ(config.synonyms[2].value, "10");
  EXPECT_EQ(config.synonyms[3].source, 5);
}

TEST_F(ConfigsTest, TheBrokersTimeIsUsedFromTheNextBatchOn) {
  EXPECT_EQ(produce(client, a_produce(a_batch())).log_append_time_ms, -1);
  set("message.timestamp.type", "LogAppendTime");
  EXPECT_GT(produce(client, a_produce(a_batch())).log_append_time_ms, 1'600'000'000'000);
}

TEST_F(ConfigsTest, RetentionDropsWhatIsOverIt) {
  for (int i = 0; i < 10; ++i) produce(client, a_produce(a_batch()));
  set("retention.bytes", std::to_string(a_batch().size() * 3));
  EXPECT_EQ(fetch(client, {.offset = 7}).log_start_offset, 7);
  produce(client, a_produce(a_batch()));
  EXPECT_EQ(fetch(client, {.offset = 8}).log_start_offset, 8);
}

TEST_F(ConfigsTest, ABrokerTakesChangesOfItselfAndOfAll) {
  EXPECT_EQ(alter(kBrokerType, "2", kSet, "message.max.bytes", "1").error_message,
            "Unexpected broker id, expected 1, but received 2");
  EXPECT_EQ(alter(kBrokerType, "x", kSet, "message.max.bytes", "1").error_message,
            "Node id must be an integer, but it is: x");
  EXPECT_EQ(alter(kBrokerType, "1", kSet, "node.id", "1").error_message,
            "Cannot update these configs dynamically: [node.id]");
  EXPECT_EQ(alter(kBrokerType, "1", kSet, "message.max.bytes", "x").error_code,
            code(KafkaError::kInvalidRequest));
  EXPECT_EQ(alter(kBrokerType, "1", kAppend, "message.max.bytes", "1").error_message,
            "Config value append is not allowed for config key: message.max.bytes");
  EXPECT_EQ(alter(kBrokerType, "", kSet, "a.plugins.own", "x").error_code, 0);
  EXPECT_TRUE(describe(kBrokerType, "").empty());
  EXPECT_TRUE(describe(kBrokerType, "1", "node.id").at(0).read_only);
  EXPECT_EQ(describe(kBrokerType, "1", "node.id").at(0).value, "1");
}

TEST_F(ConfigsTest, GroupsAndSubscriptionsHaveConfigs) {
  EXPECT_EQ(alter(kGroupType, "g", kSet, "consumer.session.timeout.ms", "50000").error_code, 0);
  EXPECT_EQ(describe(kGroupType, "g", "consumer.session.timeout.ms").at(0).config_source, 8);
  EXPECT_EQ(alter(kGroupType, "g", kSet, "consumer.session.timeout.ms", "5").error_message,
            "consumer.session.timeout.ms must be in the range 45000 to 60000 inclusive.");
  EXPECT_EQ(alter(kClientMetricsType, "m", kSet, "interval.ms", "5").error_code,
            code(KafkaError::kInvalidRequest));
  EXPECT_EQ(alter(kClientMetricsType, "m", kSet, "match", "x=y").error_message,
            "Illegal client matching pattern: x=y");
  EXPECT_EQ(alter(kClientMetricsType, "m", kSet, "match", "client_id=a.*").error_code, 0);
  EXPECT_EQ(describe(kClientMetricsType, "m", "match").at(0).value, "client_id=a.*");
  EXPECT_EQ(describe(kClientMetricsType, "m", "interval.ms").at(0).value, "300000");
}

TEST_F(ConfigsTest, ResourcesAreListed) {
  alter(kClientMetricsType, "m", kSet, "metrics", "a.b");
  alter(kGroupType, "g", kSet, "consumer.session.timeout.ms", "50000");
  ListConfigResourcesRequest request;
  const auto of_v0 = client.call<ListConfigResourcesResponse>(request, 0).config_resources;
  ASSERT_EQ(of_v0.size(), 1U);
  EXPECT_EQ(of_v0[0].resource_name, "m");
  // A topic, two brokers and their loggers, a subscription, a group.
  EXPECT_EQ(client.call<ListConfigResourcesResponse>(request, 1).config_resources.size(), 7U);
  request.resource_types = {kGroupType};
  EXPECT_EQ(client.call<ListConfigResourcesResponse>(request, 1).config_resources.size(), 1U);
  request.resource_types = {5};
  EXPECT_EQ(client.call<ListConfigResourcesResponse>(request, 1).error_code,
            code(KafkaError::kUnsupportedVersion));
}

TEST_F(ConfigsTest, ATopicIsNotCreatedWithAConfigThatItCannotHave) {
  CreateTopicsRequest request;
  auto& topic = request.topics.emplace_back();
  topic.name = "new";
  topic.num_partitions = 1;
  topic.replication_factor = -1;
  auto& config = topic.configs.emplace_back();
  config.name = "foo";
  config.value = "1";
  EXPECT_EQ(client.call<CreateTopicsResponse>(request, 7).topics.at(0).error_message,
            "Unknown topic config name: foo");
  config.name = "retention.ms";
  const auto created = client.call<CreateTopicsResponse>(request, 7).topics.at(0);
  EXPECT_EQ(created.error_code, 0);
  EXPECT_GT(created.configs->size(), 30U);
}

TEST_F(ConfigsTest, ARuleRefusesWithoutAnythingBeingApplied) {
  ASSERT_TRUE(
      cluster->add_rule({.id = "r",
                         .match = {.apis = {"IncrementalAlterConfigs"}},
                         .action = {.apply = false, .error = code(KafkaError::kPolicyViolation)}}));
  EXPECT_EQ(set("retention.ms", "1"), KafkaError::kPolicyViolation);
  EXPECT_EQ(value("retention.ms"), "604800000");
}

}  // namespace
}  // namespace ktrial::fakebroker
