// SPDX-License-Identifier: Apache-2.0
// End to end: what a connection does, whatever is asked on it.
#include "fakebroker/connection.h"

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
using protocol::FetchResponse;
using protocol::KafkaError;
using protocol::MetadataResponse;
using Ending = ClientForTest::Ending;

ApiVersionsRequest an_api_versions() {
  ApiVersionsRequest request;
  request.client_software_name = "test";
  request.client_software_version = "1.0";
  return request;
}

std::vector<std::uint8_t> bytes_of(std::initializer_list<int> values) {
  std::vector<std::uint8_t> bytes;
  for (const int value : values) bytes.push_back(static_cast<std::uint8_t>(value));
  return bytes;
}

TEST(Connection, AnswersPipelinedRequestsInOrder) {
  ClusterForTest cluster;
  ClientForTest client(cluster.broker());
  std::vector<std::int32_t> ids;
  for (int i = 0; i < 500; ++i) ids.push_back(client.send(a_metadata(), 9));
  for (const std::int32_t id : ids)
    EXPECT_EQ(client.receive<MetadataResponse>(id, 9).topics.size(), 1U);
}

TEST(Connection, RequestsBehindALongPollWaitForIt) {
  ClusterForTest cluster;
  ClientForTest client(cluster.broker());
  const auto fetch_id = client.send(a_fetch({.max_wait_ms = 4000}), 12);
  const auto metadata_id = client.send(a_metadata(), 9);
  ASSERT_TRUE(cluster.saw_request(1));
  ClientForTest producer(cluster.broker());
  produce(producer, a_produce(a_batch()));
  EXPECT_EQ(client.receive<FetchResponse>(fetch_id, 12).responses.size(), 1U);
  EXPECT_EQ(client.receive<MetadataResponse>(metadata_id, 9).topics.size(), 1U);
}

TEST(Connection, ARequestMayArriveByteByByte) {
  ClusterForTest cluster;
  ClientForTest client(cluster.broker());
  protocol::Writer writer;
  writer.integer(std::int32_t{0});
  protocol::encode_request_header({3, 9, 77, "slow"}, writer);
  protocol::encode(a_metadata(), 9, writer);
  writer.patch_int32(0, static_cast<std::int32_t>(writer.size() - 4));
  for (const std::uint8_t byte : writer.span()) client.send_raw({&byte, 1});
  EXPECT_EQ(client.receive<MetadataResponse>(77, 9).topics.size(), 1U);
}

TEST(Connection, AClientThatLeavesDuringALongPollIsNoticed) {
  ClusterForTest cluster;
  ClientForTest client(cluster.broker());
  client.send(a_fetch({.max_wait_ms = 600'000}), 12);
  ASSERT_TRUE(cluster.saw_request(1));
  client.send_fin();
  EXPECT_EQ(cluster.close_reason(), "client FIN");
  EXPECT_EQ(client.ending(), Ending::kFin);
}

TEST(Connection, AClientThatResetsDuringALongPollIsNoticed) {
  ClusterForTest cluster;
  ClientForTest client(cluster.broker());
  client.send(a_fetch({.max_wait_ms = 600'000}), 12);
  ASSERT_TRUE(cluster.saw_request(1));
  client.reset();
  EXPECT_EQ(cluster.close_reason(), "client RST");
}

TEST(Connection, AnUnknownApiClosesWithoutAnAnswer) {
  ClusterForTest cluster;
  ClientForTest client(cluster.broker());
  client.send_body(999, 0, {});
  EXPECT_EQ(client.ending(), Ending::kFin);
  EXPECT_EQ(cluster.close_reason(), "unsupported API key 999 version 0");
}

TEST(Connection, AnUnsupportedVersionClosesWithoutAnAnswer) {
  ClusterForTest cluster;
  ClientForTest client(cluster.broker());
  client.send_body(3, 99, {});
  EXPECT_EQ(client.ending(), Ending::kFin);
}

TEST(Connection, ApiVersionsOfAnUnknownVersionIsAnsweredInVersionZero) {
  ClusterForTest cluster;
  ClientForTest client(cluster.broker());
  const auto garbage = bytes_of({0xff, 0xff, 0xff});
  const auto response =
      client.receive<ApiVersionsResponse>(client.send_body(18, 99, garbage), 99, 0);
  EXPECT_EQ(response.error_code, code(KafkaError::kUnsupportedVersion));
  ASSERT_EQ(response.api_keys.size(), 1U);
  EXPECT_EQ(response.api_keys[0].api_key, 18);
  EXPECT_EQ(client.call<ApiVersionsResponse>(an_api_versions(), 3).error_code, 0);
}

TEST(Connection, OversizedAndNegativeLengthsClose) {
  for (const auto& length : {bytes_of({0x7f, 0xff, 0xff, 0xff}), bytes_of({0xff, 0xff, 0xff, 0xff}),
                             bytes_of({'G', 'E', 'T', ' '})}) {
    ClusterForTest cluster;
    ClientForTest client(cluster.broker());
    client.send_raw(length);
    EXPECT_EQ(client.ending(), Ending::kFin);
  }
}

TEST(Connection, TheLargestRequestIsASetting) {
  ClusterSpec spec = spec_for_test();
  spec.max_request_bytes = 100;
  ClusterForTest cluster(std::move(spec));
  ClientForTest client(cluster.broker());
  client.call<MetadataResponse>(a_metadata(), 9);
  client.send_raw(bytes_of({0, 0, 0, 101}));
  EXPECT_EQ(client.ending(), Ending::kFin);
}

TEST(Connection, EveryTruncatedPrefixOfARequestClosesOrIsRefused) {
  ClusterForTest cluster;
  const auto body = protocol::encode_to_bytes(a_produce(a_batch()), 9);
  for (std::size_t length = 0; length < body.size(); ++length) {
    ClientForTest client(cluster.broker());
    client.send_body(0, 9, std::span(body).first(length));
    EXPECT_EQ(client.ending(), Ending::kFin) << length;
  }
}

TEST(Connection, GarbageNeverStopsTheCluster) {
  ClusterForTest cluster;
  std::uint32_t seed = 1;
  const auto next = [&seed] {
    seed = seed * 1664525U + 1013904223U;
    return static_cast<std::uint8_t>(seed >> 24U);
  };
  for (int round = 0; round < 300; ++round) {
    ClientForTest client(cluster.broker());
    std::vector<std::uint8_t> body(static_cast<std::size_t>(next()));
    for (std::uint8_t& byte : body) byte = next();
    client.send_body(static_cast<std::int16_t>(next() % 80), static_cast<std::int16_t>(next() % 14),
                     body);
  }
  ClientForTest client(cluster.broker());
  EXPECT_EQ(client.call<ApiVersionsResponse>(an_api_versions(), 3).error_code, 0);
}

TEST(Connection, AnIdleOneIsClosedByFin) {
  ClusterSpec spec = spec_for_test();
  spec.idle_close = Millis(60);
  ClusterForTest cluster(std::move(spec));
  ClientForTest client(cluster.broker());
  client.call<MetadataResponse>(a_metadata(), 9);
  EXPECT_EQ(client.ending(), Ending::kFin);
  EXPECT_EQ(cluster.close_reason(), "idle");
}

TEST(Connection, IdleCloseCanBeTurnedOnForThoseThatAreOpen) {
  ClusterForTest cluster;
  ClientForTest client(cluster.broker());
  client.call<MetadataResponse>(a_metadata(), 9);
  ASSERT_TRUE(cluster->set_idle_close(1, Millis(10)));
  EXPECT_EQ(client.ending(), Ending::kFin);
}

TEST(Connection, LargeAnswersReachASlowReader) {
  ClusterForTest cluster;
  ClientForTest client(cluster.broker());
  for (int i = 0; i < 20; ++i)
    produce(client, a_produce(a_batch({.value = std::string(900'000, 'x')})));
  std::vector<std::int32_t> ids;
  for (int i = 0; i < 20; ++i)
    ids.push_back(client.send(
        a_fetch({.offset = i, .max_bytes = 8 << 20, .partition_max_bytes = 8 << 20}), 12));
  for (const std::int32_t id : ids) {
    const auto response = client.receive<FetchResponse>(id, 12);
    EXPECT_GE(response.responses.at(0).partitions.at(0).records->size(), 900'000U);
  }
}

}  // namespace
}  // namespace ktrial::fakebroker
