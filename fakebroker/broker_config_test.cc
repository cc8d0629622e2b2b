// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/broker_config.h"

#include "fakebroker/state/configs.h"
#include "fakebroker/state/topics.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace ktrial::fakebroker {
namespace {

TEST(BrokerConfig, WhatTheClusterHasAPlaceForGoesThere) {
  ClusterSpec spec = loopback_cluster(1);
  ASSERT_TRUE(set_broker_config(spec, "connections.max.idle.ms", "1500"));
  ASSERT_TRUE(set_broker_config(spec, "socket.request.max.bytes", "1000"));
  ASSERT_TRUE(set_broker_config(spec, "auto.create.topics.enable", "true"));
  ASSERT_TRUE(set_broker_config(spec, "num.partitions", "4"));
  ASSERT_TRUE(set_broker_config(spec, "queued.max.request.bytes", "-1"));
  EXPECT_EQ(spec.idle_close, Millis(1500));
  EXPECT_EQ(spec.max_request_bytes, 1000);
  EXPECT_TRUE(spec.auto_create_topics);
  EXPECT_EQ(spec.default_partitions, 4);
  EXPECT_EQ(spec.request_bytes, INT64_MAX);
  ASSERT_TRUE(set_broker_config(spec, "connections.max.idle.ms", "-1"));
  EXPECT_FALSE(spec.idle_close);
}

TEST(BrokerConfig, IsDescribedAsWhatTheBrokerWasStartedWith) {
  ClusterSpec spec = loopback_cluster(1);
  ASSERT_TRUE(set_broker_config(spec, "max.connections", "9"));
  ASSERT_TRUE(set_broker_config(spec, "queued.max.request.bytes", "-1"));
  const Configs configs(spec);
  const auto described = configs.of_broker(1);
  const auto most = std::ranges::find(described, "max.connections",
                                      [](const DescribedConfig& one) { return one.key->name; });
  ASSERT_NE(most, described.end());
  EXPECT_EQ(most->value, "9");
  EXPECT_EQ(most->source, ConfigSource::kStartedWith);
  EXPECT_EQ(configs.broker_value("queued.max.request.bytes", 1), "-1");
}

TEST(BrokerConfig, TopicsInheritIt) {
  ClusterSpec spec = loopback_cluster(1);
  ASSERT_TRUE(set_broker_config(spec, "message.max.bytes", "100"));
  EXPECT_EQ(Configs(spec).max_message_bytes(Topic(), 1), 100);
}

TEST(BrokerConfig, WhatIsWrongIsSaidInKafkasWords) {
  ClusterSpec spec = loopback_cluster(1);
  const auto why = [&](const std::string& key, const std::string& value) {
    const auto set = set_broker_config(spec, key, value);
    return set ? "" : set.error().message;
  };
  EXPECT_EQ(why("max.conections", "1"), "Unknown broker config name: max.conections");
  EXPECT_EQ(why("max.connections", "x"),
            "Invalid value x for configuration max.connections: Not a number of type INT");
  EXPECT_EQ(why("node.id", "4"), "node.id is not set this way");
  EXPECT_EQ(why("max.connections.per.ip.overrides", "nowhere"),
            "'nowhere' in max.connections.per.ip.overrides is not ADDRESS:COUNT");
  EXPECT_TRUE(spec.broker_configs.empty());
}

}  // namespace
}  // namespace ktrial::fakebroker
