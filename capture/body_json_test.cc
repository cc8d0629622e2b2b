// SPDX-License-Identifier: Apache-2.0
#include "capture/body_json.h"

#include "capture/test_support.h"
#include "protocol/codec.h"
#include "protocol/messages/produce_request.h"
#include "protocol/messages/produce_response.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ktrial::capture {
namespace {

using ::testing::HasSubstr;

// A batch header of magic 2 with two zstd records.
std::vector<std::uint8_t> batch() {
  std::vector<std::uint8_t> out(61, 0);
  out[11] = 49;
  out[16] = 2;
  out[22] = 4;
  out[60] = 2;
  return out;
}

protocol::ProduceRequest produce(std::int16_t acks) {
  protocol::ProduceRequest request;
  request.acks = acks;
  request.timeout_ms = 30000;
  auto& topic = request.topic_data.emplace_back();
  topic.name = "t";
  topic.partition_data.emplace_back().index = 1;
  topic.partition_data[0].records = Slice(batch());
  return request;
}

TEST(BodyJson, ProduceShowsWhatItsBatchesHold) {
  const auto body = protocol::encode_to_bytes(produce(-1), 9);
  boost::json::object data;
  add_request_fields(data, 0, 9, body, true);
  EXPECT_FALSE(data.contains("undecoded")) << data;
  const auto& partition = data.at("fields").at_pointer("/topicData/0/partitionData/0").get_object();
  EXPECT_EQ(partition.at("index"), 1);
  EXPECT_EQ(partition.at("records").at("bytes").to_number<int>(), 61);
  EXPECT_EQ(partition.at("records").at_pointer("/batches/0/codec"), "zstd");
  EXPECT_EQ(partition.at("records").at_pointer("/batches/0/count"), 2);
}

TEST(BodyJson, FirstErrorOfAResponseIsNamed) {
  protocol::ProduceResponse response;
  auto& topic = response.responses.emplace_back();
  topic.name = "t";
  topic.partition_responses.resize(2);
  topic.partition_responses[1].error_code = 6;
  const auto body = protocol::encode_to_bytes(response, 9);
  boost::json::object data;
  add_response_fields(data, 0, 9, body, true);
  EXPECT_EQ(data.at("error"), 6);
  EXPECT_EQ(data.at("error_name"), "NOT_LEADER_OR_FOLLOWER");
}

TEST(BodyJson, FirstErrorMayBeAPartitionsInTheWordsOfAddPartitionsToTxn) {
  const auto fields =
      boost::json::parse(R"({"results":[{"partitionErrorCode":0},{"partitionErrorCode":51}]})");
  EXPECT_EQ(first_error(fields), 51);
}

TEST(BodyJson, BytesThatAreNoBodySayWhy) {
  boost::json::object data;
  const std::vector<std::uint8_t> body{0, 0, 0};
  add_request_fields(data, 3, 1, body, true);
  EXPECT_FALSE(data.contains("fields"));
  EXPECT_THAT(std::string(std::string_view(data.at("undecoded").get_string())),
              HasSubstr("MetadataRequest"));
}

TEST(BodyJson, ProduceWithoutAcksInEveryHeaderForm) {
  using Version = std::int16_t;
  for (const auto version : {Version{3}, Version{8}, Version{9}, Version{12}}) {
    synth::Capture capture;
    synth::Tcp tcp(capture, kClientAt, kBrokerAt);
    tcp.handshake();
    for (const std::int16_t acks : {std::int16_t{0}, std::int16_t{1}})
      tcp.send(Side::kClient,
               synth::request(0, version, acks, "c",
                              protocol::encode_to_bytes(produce(acks), version), version >= 9));
    const EventLog log = capture.analyze();
    EXPECT_TRUE(find(log, "req", 0)->data.contains("no_response")) << version;
    EXPECT_FALSE(find(log, "req", 1)->data.contains("no_response")) << version;
    EXPECT_EQ(find(log, "req", 1)->data.at("fields").at("acks"), 1);
    EXPECT_EQ(log.connections[0].unanswered, 1U);
  }
}

}  // namespace
}  // namespace ktrial::capture
