// SPDX-License-Identifier: Apache-2.0
// The reference client against the fake cluster.
#include "clients/reference/consumer.h"
#include "clients/reference/producer.h"
#include "fakebroker/cluster.h"

#include <gtest/gtest.h>

#include <future>

namespace ktrial::client {
namespace {

using fakebroker::Cluster;

std::unique_ptr<Cluster> cluster_with_topic() {
  fakebroker::ClusterSpec spec;
  for (int id = 1; id <= 3; ++id) spec.brokers.push_back({.id = id});
  spec.topics.push_back({.name = "t", .partitions = 3});
  auto cluster = Cluster::start(std::move(spec));
  EXPECT_TRUE(cluster);
  return std::move(*cluster);
}

std::size_t open_connections(Cluster& cluster) {
  std::size_t open = 0;
  for (const auto& broker : cluster.brokers()) open += broker.connections;
  return open;
}

TEST(ReferenceClient, WhatIsProducedIsConsumed) {
  const auto cluster = cluster_with_topic();
  auto producer = Producer::create({{"bootstrap.servers", cluster->bootstrap_servers()}});
  ASSERT_TRUE(producer);
  std::atomic<int> delivered = 0;
  for (int i = 0; i < 100; ++i) {
    (*producer)->send({.topic = "t", .partition = i % 3, .value = "v"},
                      [&](const auto& outcome) { delivered += outcome ? 1 : 0; });
  }
  (*producer)->close(std::chrono::seconds(20));
  EXPECT_EQ(delivered, 100);

  auto consumer = Consumer::create(
      {{"bootstrap.servers", cluster->bootstrap_servers()}, {"auto.offset.reset", "earliest"}}, {});
  ASSERT_TRUE(consumer);
  (*consumer)->assign({{{"t", 0}, {}}, {{"t", 1}, {}}, {{"t", 2}, {}}});
  std::size_t consumed = 0;
  for (int poll = 0; poll < 100 && consumed < 100; ++poll) {
    consumed += (*consumer)->poll(Millis(200)).size();
  }
  (*consumer)->close(std::chrono::seconds(5));
  EXPECT_EQ(consumed, 100U);
}

TEST(ReferenceClient, AConsumerConnectsToNobodyBeforeItPolls) {
  const auto cluster = cluster_with_topic();
  auto consumer = Consumer::create({{"bootstrap.servers", cluster->bootstrap_servers()}}, {});
  ASSERT_TRUE(consumer);
  (*consumer)->assign({{{"t", 0}, {}}});
  (*consumer)->close(std::chrono::seconds(5));
  EXPECT_EQ(open_connections(*cluster), 0U);
  EXPECT_TRUE(cluster->ledger().empty());
}

TEST(ReferenceClient, AnUnknownPartitionFailsAtOnce) {
  const auto cluster = cluster_with_topic();
  auto producer = Producer::create({{"bootstrap.servers", cluster->bootstrap_servers()}});
  ASSERT_TRUE(producer);
  std::promise<std::string> code;
  (*producer)->send({.topic = "t", .partition = 7, .value = "v"}, [&](const auto& outcome) {
    code.set_value(outcome ? "" : outcome.error().code);
  });
  EXPECT_EQ(code.get_future().get(), "INVALID_PARTITIONS");
  (*producer)->close(std::chrono::seconds(5));
}

std::size_t count_readable(Cluster& cluster, const std::string& isolation) {
  auto consumer = Consumer::create({{"bootstrap.servers", cluster.bootstrap_servers()},
                                    {"auto.offset.reset", "earliest"},
                                    {"isolation.level", isolation}},
                                   {});
  EXPECT_TRUE(consumer);
  (*consumer)->assign({{{"t", 0}, {}}, {{"t", 1}, {}}, {{"t", 2}, {}}});
  std::size_t count = 0;
  for (int quiet = 0; quiet < 5;) {
    const std::size_t polled = (*consumer)->poll(Millis(100)).size();
    count += polled;
    quiet = polled > 0 ? 0 : quiet + 1;
  }
  (*consumer)->close(std::chrono::seconds(5));
  return count;
}

TEST(ReferenceClient, OnlyWhatATransactionCommittedIsReadAsCommitted) {
  const auto cluster = cluster_with_topic();
  auto producer = Producer::create(
      {{"bootstrap.servers", cluster->bootstrap_servers()}, {"transactional.id", "tx"}});
  ASSERT_TRUE(producer);
  ASSERT_EQ((*producer)->init_transactions(), std::nullopt);
  for (const bool commit : {true, false, true}) {
    ASSERT_EQ((*producer)->begin_transaction(), std::nullopt);
    for (int i = 0; i < 6; ++i)
      (*producer)->send({.topic = "t", .partition = i % 3, .value = "v"}, [](const auto&) {});
    ASSERT_TRUE((*producer)->flush(std::chrono::seconds(10)));
    ASSERT_EQ(commit ? (*producer)->commit_transaction() : (*producer)->abort_transaction(),
              std::nullopt);
  }
  (*producer)->close(std::chrono::seconds(5));
  EXPECT_EQ(count_readable(*cluster, "read_committed"), 12U);
  EXPECT_EQ(count_readable(*cluster, "read_uncommitted"), 18U);
}

}  // namespace
}  // namespace ktrial::client
