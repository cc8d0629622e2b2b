// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/state/configs.h"

#include "fakebroker/state/config_rules.h"
#include "fakebroker/state/topics.h"

#include <gtest/gtest.h>

namespace ktrial::fakebroker {
namespace {

struct ConfigsState : testing::Test {
  Configs configs{ClusterSpec{.partition_bytes = 5000}};
  Topic topic;
};

TEST_F(ConfigsState, TheNearestSettingHolds) {
  EXPECT_EQ(configs.retention_bytes(topic, 1), 5000);
  configs.set(ConfigResource::kBroker, "", {{"log.retention.bytes", "3"}});
  EXPECT_EQ(configs.retention_bytes(topic, 1), 3);
  configs.set(ConfigResource::kBroker, "1", {{"log.retention.bytes", "2"}});
  EXPECT_EQ(configs.retention_bytes(topic, 1), 2);
  EXPECT_EQ(configs.retention_bytes(topic, 2), 3);
  topic.configs["retention.bytes"] = "1";
  EXPECT_EQ(configs.retention_bytes(topic, 1), 1);
}

TEST_F(ConfigsState, AResourceWithoutValuesIsForgotten) {
  configs.set(ConfigResource::kGroup, "g", {{"consumer.session.timeout.ms", "50000"}});
  EXPECT_EQ(configs.names(ConfigResource::kGroup), std::vector<std::string>{"g"});
  configs.set(ConfigResource::kGroup, "g", {});
  EXPECT_TRUE(configs.names(ConfigResource::kGroup).empty());
}

TEST(ConfigKeys, EveryDefaultIsAValueThatItsKeyTakes) {
  for (const auto keys :
       {topic_config_keys(), broker_config_keys(), client_metrics_config_keys()}) {
    for (const ConfigKey& key : keys) {
      if (!key.fallback) continue;
      EXPECT_EQ(fault_of_value(key, std::string(*key.fallback)), std::nullopt) << key.name;
    }
  }
}

TEST(ConfigKeys, WhatATopicInheritsIsAConfigOfBrokers) {
  for (const ConfigKey& key : topic_config_keys()) {
    if (key.broker_key.empty()) continue;
    EXPECT_NE(find_config_key(broker_config_keys(), key.broker_key), nullptr) << key.name;
  }
}

TEST(ConfigRules, ListsHaveNoEmptyElements) {
  EXPECT_EQ(config_list("a,,b,"), (std::vector<std::string>{"a", "b"}));
  EXPECT_TRUE(config_list("").empty());
}

}  // namespace
}  // namespace ktrial::fakebroker
