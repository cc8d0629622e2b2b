// SPDX-License-Identifier: Apache-2.0
#include "harness/run/cluster_of.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace ktrial::harness {
namespace {

ClusterPart three_brokers() {
  ClusterPart part;
  part.brokers = 3;
  part.bootstrap = {2};
  part.coordinator = 3;
  part.topics.push_back({"t", 2, {1, 3}, {}});
  return part;
}

TEST(ClusterOf, GivesEveryBrokerAnAddressOfItsOwn) {
  ClusterPart part;
  part.brokers = 1000;
  const auto spec = cluster_of(part, 7);
  std::set<std::string> hosts;
  for (const auto& broker : spec.brokers) {
    EXPECT_TRUE(broker.host.starts_with("127.7."));
    EXPECT_EQ(broker.port, 9092);
    hosts.insert(broker.host);
  }
  EXPECT_EQ(hosts.size(), 1000U);
}

TEST(ClusterOf, SlotsDoNotShareAddresses) {
  EXPECT_NE(cluster_of(three_brokers(), 1).brokers[0].host,
            cluster_of(three_brokers(), 2).brokers[0].host);
}

TEST(ClusterOf, BootstrapIsWhatTheScenarioNames) {
  const auto spec = cluster_of(three_brokers(), 1);
  EXPECT_EQ(bootstrap_of(three_brokers(), spec), spec.brokers[1].host + ":9092");
}

TEST(ClusterOf, BootstrapKeepsOrderAndDuplicatesBeforeWhatIsNoBroker) {
  ClusterPart part = three_brokers();
  part.bootstrap = {3, 1, 3};
  part.bootstrap_extra = {"nowhere.invalid:9092"};
  const auto spec = cluster_of(part, 1);
  const std::string first = spec.brokers[0].host + ":9092";
  const std::string third = spec.brokers[2].host + ":9092";
  EXPECT_EQ(bootstrap_of(part, spec), third + "," + first + "," + third + ",nowhere.invalid:9092");
}

TEST(ClusterOf, AnUnlistedBrokerIsServedAllTheSame) {
  ClusterPart part = three_brokers();
  part.unlisted = {2};
  const auto spec = cluster_of(part, 1);
  EXPECT_EQ(spec.brokers.size(), 3U);
  EXPECT_TRUE(spec.brokers[0].listed);
  EXPECT_FALSE(spec.brokers[1].listed);
}

TEST(ClusterOf, BootstrapWithoutNamesIsEverybody) {
  ClusterPart part = three_brokers();
  part.bootstrap.clear();
  const std::string servers = bootstrap_of(part, cluster_of(part, 1));
  EXPECT_EQ(std::count(servers.begin(), servers.end(), ','), 2);
}

TEST(ClusterOf, LayoutNoteTellsWhoIsWho) {
  const auto part = three_brokers();
  const auto note = layout_note(part, cluster_of(part, 1));
  EXPECT_EQ(note.at("e"), "layout");
  EXPECT_EQ(note.at("brokers").as_array().size(), 3U);
  EXPECT_EQ(note.at("bootstrap").as_array().size(), 1U);
  EXPECT_EQ(note.at("coordinator"), 3);
  EXPECT_EQ(note.at("topics").at("t").at("leaders"), (boost::json::array{1, 3}));
}

}  // namespace
}  // namespace ktrial::harness
