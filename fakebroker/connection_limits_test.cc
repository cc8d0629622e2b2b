// SPDX-License-Identifier: Apache-2.0
// End to end: what a broker does with connections and requests that are too many.
#include "fakebroker/cluster_for_test.h"
#include "fakebroker/requests_for_test.h"
#include "protocol/messages/incremental_alter_configs_request.h"
#include "protocol/messages/incremental_alter_configs_response.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <thread>
#include <vector>

namespace ktrial::fakebroker {
namespace {

using protocol::MetadataResponse;
using Ending = ClientForTest::Ending;

constexpr Millis kAWhile{100};  // in which nothing must happen

ClusterSpec with(const std::string& key, const std::string& value, int brokers = 1) {
  ClusterSpec spec = spec_for_test(brokers);
  spec.broker_configs[key] = value;
  return spec;
}

void expect_answer(ClientForTest& client) {
  EXPECT_EQ(client.call<MetadataResponse>(a_metadata(), 9).topics.size(), 1U);
}

std::string alter_broker(ClientForTest& client, const std::string& key, const std::string& value) {
  protocol::IncrementalAlterConfigsRequest request;
  auto& resource = request.resources.emplace_back();
  resource.resource_type = 4;
  resource.resource_name = "1";
  auto& config = resource.configs.emplace_back();
  config.name = key;
  config.value = value;
  const auto answer = client.call<protocol::IncrementalAlterConfigsResponse>(request, 1);
  return answer.responses.at(0).error_message.value_or("");
}

TEST(ConnectionLimit, OneTooManyIsLeftWaitingUntilAnotherGoes) {
  ClusterForTest cluster(with("max.connections", "2"));
  auto first = std::make_unique<ClientForTest>(cluster.broker());
  ClientForTest second(cluster.broker());
  expect_answer(*first);
  expect_answer(second);
  ClientForTest third(cluster.broker());
  const std::int32_t id = third.send(a_metadata(), 9);
  EXPECT_EQ(third.ending(kAWhile), Ending::kSilence);
  EXPECT_EQ(cluster.broker().connections, 2U);
  first.reset();
  EXPECT_EQ(third.receive<MetadataResponse>(id, 9).topics.size(), 1U);
  expect_answer(second);
}

TEST(ConnectionLimit, IsOfEachBroker) {
  ClusterForTest cluster(with("max.connections", "1", 2));
  ClientForTest first(cluster.broker(1));
  ClientForTest second(cluster.broker(2));
  expect_answer(first);
  expect_answer(second);
}

TEST(ConnectionLimit, WhoWaitsGoesWithTheListener) {
  ClusterForTest cluster(with("max.connections", "1"));
  ClientForTest first(cluster.broker());
  expect_answer(first);
  ClientForTest second(cluster.broker());
  EXPECT_EQ(second.ending(kAWhile), Ending::kSilence);
  ASSERT_TRUE(cluster->refuse(1));
  EXPECT_NE(second.ending(), Ending::kSilence);
  expect_answer(first);
}

TEST(ConnectionLimit, WhenItIsRaisedWhoWaitsIsLetIn) {
  ClusterForTest cluster(with("max.connections", "1"));
  ClientForTest first(cluster.broker());
  expect_answer(first);
  ClientForTest second(cluster.broker());
  const std::int32_t id = second.send(a_metadata(), 9);
  EXPECT_EQ(second.ending(kAWhile), Ending::kSilence);
  EXPECT_EQ(alter_broker(first, "max.connections", "2"), "");
  EXPECT_EQ(second.receive<MetadataResponse>(id, 9).topics.size(), 1U);
}

TEST(ConnectionLimit, WhenItIsLoweredTheLongestIdleGo) {
  ClusterForTest cluster;
  ClientForTest oldest(cluster.broker());
  expect_answer(oldest);
  ClientForTest newest(cluster.broker());
  expect_answer(newest);
  expect_answer(oldest);
  ClientForTest admin(cluster.broker());
  EXPECT_EQ(alter_broker(admin, "max.connections", "2"), "");
  EXPECT_EQ(newest.ending(), Ending::kFin);
  EXPECT_EQ(cluster.close_reason(), "too many connections");
  expect_answer(oldest);
  expect_answer(admin);
}

TEST(ConnectionLimit, OneTooManyOfAnAddressIsClosedAtOnce) {
  ClusterForTest cluster(with("max.connections.per.ip", "2"));
  auto first = std::make_unique<ClientForTest>(cluster.broker());
  ClientForTest second(cluster.broker());
  expect_answer(*first);
  expect_answer(second);
  EXPECT_EQ(ClientForTest(cluster.broker()).ending(), Ending::kFin);
  EXPECT_EQ(cluster.close_reason(), "too many connections from 127.0.0.1");
  EXPECT_EQ(cluster.broker().connections, 2U);
  first->send_fin();
  EXPECT_EQ(first->ending(), Ending::kFin);
  ClientForTest third(cluster.broker());
  expect_answer(third);
}

TEST(ConnectionLimit, AnAddressMayHaveAnotherLimit) {
  ClusterSpec spec = with("max.connections.per.ip", "100");
  spec.broker_configs["max.connections.per.ip.overrides"] = "127.0.0.1:1";
  ClusterForTest cluster(std::move(spec));
  ClientForTest first(cluster.broker());
  expect_answer(first);
  EXPECT_EQ(ClientForTest(cluster.broker()).ending(), Ending::kFin);
  EXPECT_EQ(alter_broker(first, "max.connections.per.ip.overrides", "127.0.0.1:2"), "");
  ClientForTest second(cluster.broker());
  expect_answer(second);
  EXPECT_EQ(alter_broker(first, "max.connections.per.ip.overrides", "nowhere"),
            "'nowhere' in max.connections.per.ip.overrides is not ADDRESS:COUNT");
}

// Ten times the rate may come at once (see RateWindow); the next waits half a second.
TEST(ConnectionLimit, NewConnectionsWaitForTheirRate) {
  ClusterForTest cluster(with("max.connection.creation.rate", "2"));
  std::vector<std::unique_ptr<ClientForTest>> clients;
  for (int i = 0; i < 20; ++i) {
    clients.push_back(std::make_unique<ClientForTest>(cluster.broker()));
    expect_answer(*clients.back());
  }
  const auto before = std::chrono::steady_clock::now();
  ClientForTest late(cluster.broker());
  expect_answer(late);
  EXPECT_GE(std::chrono::steady_clock::now() - before, Millis(300));
  expect_answer(*clients.front());
}

// --- memory for requests

std::vector<std::uint8_t> length_prefix(std::uint32_t length) {
  return {static_cast<std::uint8_t>(length >> 24U), static_cast<std::uint8_t>(length >> 16U),
          static_cast<std::uint8_t>(length >> 8U), static_cast<std::uint8_t>(length)};
}

// A request that says it is this long, and of it a part.
void send_part(ClientForTest& client, std::uint32_t length, std::size_t part) {
  std::vector<std::uint8_t> bytes = length_prefix(length);
  bytes.resize(bytes.size() + part);
  client.send_raw(bytes);
}

template <class Condition>
bool comes_true(Condition condition) {
  for (int i = 0; i < 500 && !condition(); ++i) std::this_thread::sleep_for(Millis(10));
  return condition();
}

TEST(RequestMemoryLimit, WhatIsClaimedBeyondItIsNotRead) {
  constexpr std::uint32_t kLength = 50 << 20;
  ClusterSpec spec = spec_for_test();
  spec.request_bytes = 1 << 20;
  ClusterForTest cluster(std::move(spec));
  ClientForTest first(cluster.broker());
  send_part(first, kLength, 1000);
  ASSERT_TRUE(comes_true([&] { return cluster->memory().requests == kLength; }));
  std::vector<std::unique_ptr<ClientForTest>> others;
  for (int i = 0; i < 20; ++i) {
    others.push_back(std::make_unique<ClientForTest>(cluster.broker()));
    send_part(*others.back(), kLength, 20'000);
  }
  ASSERT_TRUE(comes_true([&] { return cluster->memory().waiting_connections == 20; }));
  EXPECT_EQ(cluster->memory().requests, kLength);
  // A request that comes at once is answered all the same.
  ClientForTest small(cluster.broker());
  expect_answer(small);
  first.reset();
  ASSERT_TRUE(comes_true([&] { return cluster->memory().waiting_connections == 19; }));
  others.clear();
  ASSERT_TRUE(comes_true([&] { return cluster->memory().requests == 0; }));
  EXPECT_EQ(cluster->memory().waiting_connections, 0U);
}

TEST(RequestMemoryLimit, WhoHadToWaitIsAnsweredInTheEnd) {
  ClusterSpec spec = spec_for_test();
  spec.request_bytes = 1;
  ClusterForTest cluster(std::move(spec));
  ClientForTest blocker(cluster.broker());
  send_part(blocker, 1 << 20, 10);
  ASSERT_TRUE(comes_true([&] { return cluster->memory().requests > 0; }));
  std::vector<std::unique_ptr<ClientForTest>> clients;
  std::vector<std::int32_t> ids;
  for (int i = 0; i < 5; ++i) {
    clients.push_back(std::make_unique<ClientForTest>(cluster.broker()));
    ids.push_back(
        clients.back()->send(a_produce(a_batch({.value = std::string(200'000, 'x')})), 9));
  }
  ASSERT_TRUE(comes_true([&] { return cluster->memory().waiting_connections == 5; }));
  blocker.reset();
  for (std::size_t i = 0; i < clients.size(); ++i) {
    const auto answer = clients[i]->receive<protocol::ProduceResponse>(ids[i], 9);
    EXPECT_EQ(answer.responses.at(0).partition_responses.at(0).error_code, 0);
  }
  EXPECT_EQ(cluster->memory().requests, 0);
}

TEST(RequestMemoryLimit, WhatWaitsBehindALongPollCounts) {
  ClusterForTest cluster;
  ClientForTest client(cluster.broker());
  client.send(a_fetch({.max_wait_ms = 600'000}), 12);
  ASSERT_TRUE(cluster.saw_request(1));
  for (int i = 0; i < 10; ++i) client.send(a_metadata(), 9);
  ASSERT_TRUE(comes_true([&] { return cluster->memory().requests > 100; }));
  client.reset();
  ASSERT_TRUE(comes_true([&] { return cluster->memory().requests == 0; }));
}

}  // namespace
}  // namespace ktrial::fakebroker
