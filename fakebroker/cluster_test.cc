// SPDX-License-Identifier: Apache-2.0
// End to end: the cluster's verbs, rules and ledger.
#include "fakebroker/cluster.h"

#include "fakebroker/cluster_for_test.h"
#include "fakebroker/requests_for_test.h"
#include "protocol/errors.h"
#include "protocol/messages/api_versions_request.h"
#include "protocol/messages/api_versions_response.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

namespace ktrial::fakebroker {
namespace {

using protocol::FetchResponse;
using protocol::KafkaError;
using protocol::MetadataResponse;
using Ending = ClientForTest::Ending;

TEST(Cluster, AThousandBrokersAccept) {
  ClusterSpec spec = loopback_cluster(1000, 0);
  auto cluster = Cluster::start(std::move(spec));
  ASSERT_TRUE(cluster);
  const auto brokers = (*cluster)->brokers();
  ASSERT_EQ(brokers.size(), 1000U);
  ClientForTest first(brokers.front());
  ClientForTest last(brokers.back());
  EXPECT_EQ(last.call<MetadataResponse>(a_metadata("none"), 9).brokers.size(), 1000U);
}

TEST(Cluster, SpecsThatCannotBeAreRefused) {
  EXPECT_EQ(Cluster::start({}).error().code, Errc::kInvalidArgument);
  ClusterSpec twins = spec_for_test(2);
  twins.brokers[1].id = 1;
  EXPECT_EQ(Cluster::start(std::move(twins)).error().message, "two brokers have the id 1");
  ClusterSpec topic = spec_for_test();
  topic.topics[0].leaders = {9};
  EXPECT_EQ(Cluster::start(std::move(topic)).error().where, "topic t");
  ClusterSpec address = spec_for_test();
  address.brokers[0].host = "localhost";
  EXPECT_EQ(Cluster::start(std::move(address)).error().code, Errc::kInvalidArgument);
}

TEST(Cluster, ATakenPortIsNamed) {
  ClusterForTest cluster;
  ClusterSpec spec = spec_for_test();
  spec.brokers[0].port = cluster.broker().port;
  const auto second = Cluster::start(std::move(spec));
  ASSERT_FALSE(second);
  EXPECT_NE(second.error().message.find("Address already in use"), std::string::npos);
}

TEST(Cluster, RefusingLeavesLiveConnections) {
  ClusterForTest cluster;
  ClientForTest client(cluster.broker());
  client.call<MetadataResponse>(a_metadata(), 9);
  ASSERT_TRUE(cluster->refuse(1));
  EXPECT_THROW(ClientForTest{cluster.broker()}, std::runtime_error);
  EXPECT_EQ(client.call<MetadataResponse>(a_metadata(), 9).topics.size(), 1U);
  ASSERT_TRUE(cluster->start_broker(1));
  ClientForTest again(cluster.broker());
  EXPECT_EQ(again.call<MetadataResponse>(a_metadata(), 9).topics.size(), 1U);
}

TEST(Cluster, StoppingClosesConnectionsAsTold) {
  ClusterForTest cluster(spec_for_test(2));
  ClientForTest fin(cluster.broker(1));
  ClientForTest rst(cluster.broker(2));
  fin.call<MetadataResponse>(a_metadata(), 9);
  rst.call<MetadataResponse>(a_metadata(), 9);
  ASSERT_TRUE(cluster->stop_broker(1, CloseKind::kFin));
  ASSERT_TRUE(cluster->stop_broker(2, CloseKind::kRst));
  EXPECT_EQ(fin.ending(), Ending::kFin);
  EXPECT_EQ(rst.ending(), Ending::kRst);
  EXPECT_EQ(cluster.close_reason(), "broker stopped");
}

TEST(Cluster, ClosesTheConnectionsOfOneBrokerOrAll) {
  ClusterForTest cluster(spec_for_test(2));
  ClientForTest one(cluster.broker(1));
  ClientForTest two(cluster.broker(2));
  one.call<MetadataResponse>(a_metadata(), 9);
  two.call<MetadataResponse>(a_metadata(), 9);
  EXPECT_EQ(cluster->close_connections(1, CloseKind::kFin).value(), 1U);
  EXPECT_EQ(one.ending(), Ending::kFin);
  EXPECT_EQ(cluster->close_connections(std::nullopt, CloseKind::kRst).value(), 1U);
  EXPECT_EQ(two.ending(), Ending::kRst);
}

TEST(Cluster, AMovedLeaderEndsLongPollsAndRaisesTheEpoch) {
  ClusterForTest cluster(spec_for_test(2));
  ClientForTest client(cluster.broker(1));
  const auto id = client.send(a_fetch({.max_wait_ms = 600'000, .leader_epoch = 0}), 12);
  ASSERT_TRUE(cluster.saw_request(1));
  ASSERT_TRUE(cluster->move_leader("t", 0, 2));
  const auto partition = client.receive<FetchResponse>(id, 12).responses.at(0).partitions.at(0);
  EXPECT_EQ(partition.error_code, code(KafkaError::kFencedLeaderEpoch));
  const auto metadata =
      client.call<MetadataResponse>(a_metadata(), 9).topics.at(0).partitions.at(0);
  EXPECT_EQ(metadata.leader_id, 2);
  EXPECT_EQ(metadata.leader_epoch, 1);
}

TEST(Cluster, ALeaderlessPartitionIsToldAsSuch) {
  ClusterForTest cluster;
  ClientForTest client(cluster.broker());
  ASSERT_TRUE(cluster->move_leader("t", 0, -1));
  const auto partition =
      client.call<MetadataResponse>(a_metadata(), 9).topics.at(0).partitions.at(0);
  EXPECT_EQ(partition.error_code, code(KafkaError::kLeaderNotAvailable));
  EXPECT_EQ(partition.leader_id, -1);
  EXPECT_EQ(produce(client, a_produce(a_batch())).error_code,
            code(KafkaError::kNotLeaderOrFollower));
  ASSERT_TRUE(cluster->move_leader("t", 0, 1));
  EXPECT_EQ(produce(client, a_produce(a_batch())).error_code, 0);
}

TEST(Cluster, ABrokerThatIsDownKeepsItsPartitions) {
  ClusterForTest cluster(spec_for_test(2));
  ClientForTest client(cluster.broker(1));
  const auto second = [&] {
    return client.call<MetadataResponse>(a_metadata(), 9).topics.at(0).partitions.at(1);
  };
  ASSERT_TRUE(cluster->stop_broker(2, CloseKind::kFin));
  EXPECT_EQ(second().leader_id, 2);
  ASSERT_TRUE(cluster->start_broker(2));
  EXPECT_EQ(second().leader_id, 2);
  EXPECT_EQ(second().leader_epoch, 0);
}

TEST(Cluster, ABrokerThatIsNotListedServesAllTheSame) {
  ClusterSpec spec = spec_for_test(2);
  spec.brokers[1].listed = false;
  ClusterForTest cluster(std::move(spec));
  ClientForTest client(cluster.broker(2));
  const auto brokers = client.call<MetadataResponse>(a_metadata(), 9).brokers;
  ASSERT_EQ(brokers.size(), 1U);
  EXPECT_EQ(brokers[0].node_id, 1);
}

TEST(Cluster, SeveralInOneProcessShareNothing) {
  ClusterForTest one;
  ClusterForTest other;
  ClientForTest client(one.broker());
  produce(client, a_produce(a_batch()));
  EXPECT_EQ(one->topics().at(0).partitions.at(0).end_offset, 1);
  EXPECT_EQ(other->topics().at(0).partitions.at(0).end_offset, 0);
  ASSERT_TRUE(one->stop_broker(1, CloseKind::kRst));
  ClientForTest of_the_other(other.broker());
  EXPECT_EQ(produce(of_the_other, a_produce(a_batch())).base_offset, 0);
}

TEST(Cluster, VerbsOnWhatIsNotThereSaySo) {
  ClusterForTest cluster;
  EXPECT_EQ(cluster->refuse(9).error().code, Errc::kNotFound);
  EXPECT_EQ(cluster->move_leader("t", 7, 1).error().message, "there is no partition t-7");
  EXPECT_EQ(cluster->move_coordinator(9).error().code, Errc::kNotFound);
  EXPECT_EQ(cluster->delete_topic("none").error().code, Errc::kNotFound);
  EXPECT_EQ(cluster->create_topic({.name = "t"}).error().code, Errc::kInvalidArgument);
}

TEST(Cluster, ATopicWithAConfigThatNoBrokerTakesIsRefusedAtTheStartAndLater) {
  const TopicSpec topic{.name = "new", .configs = {{"cleanup.policy", "sweep"}}};
  ClusterForTest cluster;
  EXPECT_THAT(cluster->create_topic(topic).error().to_string(),
              testing::HasSubstr("topic new: Invalid value sweep"));
  ClusterSpec spec;
  spec.brokers.emplace_back();
  spec.topics = {topic};
  EXPECT_EQ(Cluster::start(spec).error().code, Errc::kInvalidArgument);
}

TEST(Ledger, TellsOfConnectionsRequestsAndAnswers) {
  ClusterForTest cluster;
  {
    ClientForTest client(cluster.broker(), "me");
    client.call<MetadataResponse>(a_metadata(), 9);
  }
  EXPECT_EQ(cluster.close_reason(), "client FIN");
  const auto entries = cluster->ledger();
  ASSERT_EQ(entries.size(), 4U);
  EXPECT_EQ(entries[0].kind, LedgerEntry::Kind::kAccept);
  EXPECT_EQ(entries[1].kind, LedgerEntry::Kind::kRequest);
  EXPECT_EQ(entries[1].api_key, 3);
  EXPECT_EQ(entries[1].api_version, 9);
  EXPECT_EQ(entries[1].client_id, "me");
  EXPECT_GT(entries[1].bytes, 10U);
  EXPECT_EQ(entries[2].kind, LedgerEntry::Kind::kResponse);
  EXPECT_EQ(entries[2].correlation_id, entries[1].correlation_id);
  EXPECT_EQ(entries[3].kind, LedgerEntry::Kind::kClose);
  EXPECT_EQ(entries[3].connection, entries[0].connection);
}

TEST(Ledger, KeepsNoMoreThanItsLimit) {
  ClusterSpec spec = spec_for_test();
  spec.ledger_limit = 3;
  ClusterForTest cluster(std::move(spec));
  ClientForTest client(cluster.broker());
  for (int i = 0; i < 5; ++i) client.call<MetadataResponse>(a_metadata(), 9);
  EXPECT_EQ(cluster->ledger().size(), 3U);
}

}  // namespace
}  // namespace ktrial::fakebroker
