// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/cluster_file.h"

#include <gtest/gtest.h>

namespace ktrial::harness {
namespace {

std::string fault(std::string_view text) {
  const auto cluster = parse_cluster(text, "c.yaml");
  return cluster ? "none" : cluster.error().to_string();
}

TEST(ClusterFile, HasWhatAScenarioHasUnderCluster) {
  const auto cluster = parse_cluster(R"(
brokers: 3
release: "2.8"
releases: {2: "3.9"}
racks: [a, b]
rack_aware_replicas: true
seed: 7
topics: {orders: {partitions: 6, configs: {retention.ms: 1000}}}
rules:
- id: moved
  when: {api: Produce, times: 2}
  do: {error: NOT_LEADER_OR_FOLLOWER}
)",
                                     "c.yaml");
  ASSERT_TRUE(cluster) << cluster.error().to_string();
  EXPECT_EQ(cluster->brokers, 3);
  EXPECT_EQ(cluster->release, "2.8");
  EXPECT_EQ(cluster->releases.at(2), "3.9");
  EXPECT_EQ(cluster->racks.size(), 2U);
  EXPECT_EQ(cluster->seed, 7U);
  EXPECT_EQ(cluster->topics.at(0).partitions, 6);
  EXPECT_EQ(cluster->rules.at(0).rule.action.error, 6);
}

TEST(ClusterFile, HasLimitsAndSecurity) {
  const auto cluster = parse_cluster(R"(
config: {max.connections: 100, connections.max.idle.ms: 3s}
record_memory: 1000000
topics: {load: {discard: true}, kept: {}}
security:
  listeners: [SASL_PLAINTEXT, {protocol: PLAINTEXT, name: inside, port: 9192}]
  mechanisms: [PLAIN]
  users: {alice: 'a"b'}
  max_reauth: 3s
  authorizer: true
  super_users: ["User:admin"]
)",
                                     "c.yaml");
  ASSERT_TRUE(cluster) << cluster.error().to_string();
  EXPECT_EQ(cluster->config.at("max.connections"), "100");
  EXPECT_EQ(cluster->config.at("connections.max.idle.ms"), "3000");
  EXPECT_EQ(cluster->record_memory, 1'000'000);
  EXPECT_TRUE(cluster->topics.at(0).discard);
  EXPECT_FALSE(cluster->topics.at(1).discard);
  const fakebroker::SecuritySpec& spec = cluster->security.spec;
  ASSERT_EQ(spec.listeners.size(), 2U);
  EXPECT_EQ(spec.listeners[1].name, "inside");
  EXPECT_EQ(spec.listeners[1].port, 9192);
  EXPECT_EQ(spec.sasl.users.at(0).password, "a\"b");
  EXPECT_EQ(spec.sasl.max_reauth, Millis(3000));
  EXPECT_TRUE(spec.authorizer.enabled);
  const auto& client = cluster->security.client;
  EXPECT_EQ(client.at("security.protocol"), "SASL_PLAINTEXT");
  EXPECT_EQ(client.at("sasl.mechanism"), "PLAIN");
  EXPECT_EQ(client.at("sasl.jaas.config"),
            "org.apache.kafka.common.security.plain.PlainLoginModule required username=\"alice\" "
            "password=\"a\\\"b\";");
}

TEST(ClusterFile, LimitsAndSecurityAreChecked) {
  EXPECT_EQ(fault("config: {max.connections: x}").substr(0, 48),
            "c.yaml:1:27: Invalid value x for configuration m");
  EXPECT_EQ(fault("config: {node.id: 3}"), "c.yaml:1:19: node.id is not set this way");
  EXPECT_NE(fault("security: {listeners: [SASL]}").find("security protocol"), std::string::npos);
  EXPECT_NE(fault("security: {users: {a: b}}").find("listeners"), std::string::npos);
}

TEST(ClusterFile, VersionsOfSingleApisGoByAllBrokers) {
  const auto cluster = parse_cluster(
      "brokers: 2\nreleases: {2: \"3.9 Metadata=9\"}\napi_versions: {Produce: 3-7, Fetch: off}",
      "c.yaml");
  ASSERT_TRUE(cluster) << cluster.error().to_string();
  EXPECT_EQ(cluster->release, " Produce=3-7 Fetch=off");
  EXPECT_EQ(cluster->releases.at(2), "3.9 Metadata=9 Produce=3-7 Fetch=off");
  EXPECT_EQ(fault("brokers: 1\napi_versions: {Fetch: 99}"),
            "c.yaml:2:16: '99' are no versions of Fetch: 4-18 or some of these, or off");
}

TEST(ClusterFile, FaultsHaveTheirPlace) {
  EXPECT_EQ(fault("brokers: 0").substr(0, 12), "c.yaml:1:10:");
  EXPECT_EQ(fault("brokers: 1\nrelease: \"1.9\"").substr(0, 11), "c.yaml:2:10");
  EXPECT_EQ(fault("brokers: 2\nrules:\n- {id: r, do: {dorp: true}}"),
            "c.yaml:3:22: a rule's do: dorp is unknown; did you mean 'drop'?");
  EXPECT_EQ(fault("brokers: 2\nrules:\n- {id: r, when: {broker: 3}, do: {drop: true}}"),
            "c.yaml:3:26: there is no broker 3: ids are 1 to 2");
  EXPECT_EQ(fault("brokers: 2\nrules:\n- {id: r, do: {tags: {1: \"0\"}}}").substr(0, 12),
            "c.yaml:3:16:");
}

TEST(ClusterFile, TextInQuotesStaysText) {
  const auto cluster = parse_cluster(
      "brokers: 1\nrules: [{id: r, when: {client_id: \"7\"}, do: {bytes: {append: \"00\"}}}]",
      "c.yaml");
  ASSERT_TRUE(cluster) << cluster.error().to_string();
  EXPECT_EQ(cluster->rules.at(0).rule.match.client_id, "7");
  EXPECT_EQ(cluster->rules.at(0).rule.action.bytes.append, std::string(1, '\0'));
}

}  // namespace
}  // namespace ktrial::harness
