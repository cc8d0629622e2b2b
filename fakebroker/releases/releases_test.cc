// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/releases/releases.h"

#include "fakebroker/cluster_for_test.h"
#include "fakebroker/requests_for_test.h"
#include "protocol/errors.h"
#include "protocol/messages/api_versions_request.h"
#include "protocol/messages/api_versions_response.h"

#include <gtest/gtest.h>

namespace ktrial::fakebroker {
namespace {

using protocol::ApiVersionsRequest;
using protocol::ApiVersionsResponse;

constexpr std::int16_t kProduce = 0;
constexpr std::int16_t kFetch = 1;
constexpr std::int16_t kMetadata = 3;
constexpr std::int16_t kConsumerGroupHeartbeat = 68;

ApiVersionsRequest an_api_versions() {
  ApiVersionsRequest request;
  request.client_software_name = "test";
  request.client_software_version = "1";
  return request;
}

std::map<std::int16_t, std::pair<int, int>> ranges(const ApiVersionsResponse& response) {
  std::map<std::int16_t, std::pair<int, int>> all;
  for (const auto& api : response.api_keys) all[api.api_key] = {api.min_version, api.max_version};
  return all;
}

TEST(Release, SaysWhatItsJarSays) {
  const auto release = Release::find("2.8");
  ASSERT_TRUE(release);
  EXPECT_EQ((*release)->range(kMetadata)->max, 11);
  EXPECT_EQ((*release)->range(kProduce)->max, 9);
  EXPECT_FALSE((*release)->range(kConsumerGroupHeartbeat));
  EXPECT_FALSE((*release)->has_features());
}

TEST(Release, OneThatIsNotKnownIsToldWithThoseThatAre) {
  const auto release = Release::find("2.9");
  ASSERT_FALSE(release);
  EXPECT_NE(release.error().message.find("2.8, 3.0"), std::string::npos);
}

TEST(Release, MayHaveVersionsOfSingleApisAsOneLikes) {
  const auto release = Release::described("2.8 Produce=3-7 Fetch=off Metadata=9");
  ASSERT_TRUE(release) << release.error().message;
  EXPECT_EQ(release->name(), "2.8");
  EXPECT_EQ(offered(*find_row(kProduce), &*release)->max, 7);
  EXPECT_FALSE(offered(*find_row(kFetch), &*release));
  EXPECT_EQ(offered(*find_row(kMetadata), &*release)->min, 9);
  EXPECT_EQ(offered(*find_row(kMetadata), &*release)->max, 9);
  EXPECT_FALSE(offered(*find_row(kConsumerGroupHeartbeat), &*release));
  EXPECT_EQ(offered(*find_row(2), &*release)->max, 6);  // ListOffsets, as 2.8 has it
}

TEST(Release, VersionsThatAreNotServedAreToldWithThoseThatAre) {
  const auto fault = [](std::string_view text) {
    const auto release = Release::described(text);
    return release ? "none" : release.error().message;
  };
  EXPECT_EQ(fault("Fetch=3-18"), "'3-18' are no versions of Fetch: 4-18 or some of these, or off");
  EXPECT_EQ(fault("Fetch=9-8"), "'9-8' are no versions of Fetch: 4-18 or some of these, or off");
  EXPECT_NE(fault("Fetch=x"), "none");
  EXPECT_NE(fault("Fetch=4-18-"), "none");
  EXPECT_NE(fault("Produce=0-2"), "none");  // offered, not served
  EXPECT_EQ(fault("Produce=0-9"), "none");
  EXPECT_NE(fault("ApiVersions=off"), "none");
  EXPECT_EQ(fault("Fecth=4"), "no API that is served: 'Fecth'");
  EXPECT_EQ(fault("2.8 3.0"), "'2.8 3.0' names two releases: '2.8' and '3.0'");
}

TEST(BrokerOfARelease, OffersAndServesSingleApisAsItIsTold) {
  ClusterSpec spec = spec_for_test(2);
  spec.release = "Metadata=0-8 Fetch=off ApiVersions=0-2";
  spec.brokers[1].release = "4.0 Metadata=1-9";
  ClusterForTest cluster(spec);
  ClientForTest client(cluster.broker(1));
  const auto refused = client.receive<ApiVersionsResponse>(client.send(an_api_versions(), 3), 3, 0);
  EXPECT_EQ(refused.error_code, code(protocol::KafkaError::kUnsupportedVersion));
  const auto here = ranges(client.call<ApiVersionsResponse>(an_api_versions(), 2));
  EXPECT_EQ(here.at(kMetadata), (std::pair{0, 8}));
  EXPECT_EQ(here.at(kProduce), (std::pair{0, 13}));
  EXPECT_FALSE(here.contains(kFetch));
  EXPECT_TRUE(here.contains(kConsumerGroupHeartbeat));
  client.call<protocol::MetadataResponse>(a_metadata(), 8);
  client.send(a_metadata(), 9);
  EXPECT_EQ(client.ending(), ClientForTest::Ending::kFin);
  ClientForTest fetching(cluster.broker(1));
  fetching.send(a_fetch(), 12);
  EXPECT_EQ(fetching.ending(), ClientForTest::Ending::kFin);
  ClientForTest other(cluster.broker(2));
  const auto there = ranges(other.call<ApiVersionsResponse>(an_api_versions(), 3));
  EXPECT_EQ(there.at(kMetadata), (std::pair{1, 9}));
  EXPECT_TRUE(there.contains(kFetch));
}

TEST(BrokerOfARelease, OffersItsVersionsAndClosesOnOthers) {
  ClusterSpec spec = spec_for_test(1);
  spec.release = "2.8";
  ClusterForTest cluster(spec);
  ClientForTest client(cluster.broker());
  const auto response = client.call<ApiVersionsResponse>(an_api_versions(), 3);
  const auto offered = ranges(response);
  EXPECT_EQ(offered.at(kFetch), (std::pair{4, 12}));
  EXPECT_EQ(offered.at(kProduce), (std::pair{0, 9}));
  EXPECT_FALSE(offered.contains(kConsumerGroupHeartbeat));
  EXPECT_TRUE(response.finalized_features.empty());
  client.call<protocol::MetadataResponse>(a_metadata(), 11);
  client.send(a_metadata(), 12);
  EXPECT_EQ(client.ending(), ClientForTest::Ending::kFin);
}

TEST(BrokerOfARelease, AnswersANewerApiVersionsAsThatReleaseDid) {
  ClusterSpec spec = spec_for_test(1);
  spec.release = "2.1";
  ClusterForTest cluster(spec);
  ClientForTest client(cluster.broker());
  const auto refused = client.receive<ApiVersionsResponse>(client.send(an_api_versions(), 3), 3, 0);
  EXPECT_EQ(refused.error_code, code(protocol::KafkaError::kUnsupportedVersion));
  EXPECT_EQ(ranges(refused).at(18), (std::pair{0, 2}));
  EXPECT_EQ(ranges(client.call<ApiVersionsResponse>(an_api_versions(), 2)).at(kMetadata),
            (std::pair{0, 7}));
}

TEST(BrokerOfARelease, MayBeAnotherThanItsNeighboursInTheMiddleOfAnUpgrade) {
  ClusterSpec spec = spec_for_test(2);
  spec.brokers[1].release = "3.9";
  ClusterForTest cluster(spec);
  ClientForTest newest(cluster.broker(1));
  ClientForTest older(cluster.broker(2));
  EXPECT_EQ(ranges(newest.call<ApiVersionsResponse>(an_api_versions(), 3)).at(kMetadata).second,
            13);
  EXPECT_EQ(ranges(older.call<ApiVersionsResponse>(an_api_versions(), 3)).at(kMetadata).second, 12);
}

TEST(BrokerOfARelease, AnUnknownOneKeepsTheClusterFromStarting) {
  ClusterSpec spec = spec_for_test(1);
  spec.release = "9.9";
  EXPECT_FALSE(Cluster::start(spec));
}

}  // namespace
}  // namespace ktrial::fakebroker
