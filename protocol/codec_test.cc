// SPDX-License-Identifier: Apache-2.0
// Every message × version: round trips, truncation at every byte, hostile claims.
#include "protocol/codec.h"

#include <gtest/gtest.h>

#include "protocol/api_info.h"
#include "protocol/fill_visitor.h"
#include "protocol/messages/all_messages.h"

namespace ktrial::protocol {
namespace {

// Out of the templates: 150 messages would each instantiate GoogleTest's printers.
void expect(bool holds, std::string_view message, int version, std::string_view what) {
  EXPECT_TRUE(holds) << message << " v" << version << ": " << what;
}

void expect_offset(const Error& error) {
  EXPECT_NE(error.where.find(" at byte "), std::string::npos) << error.to_string();
}

template <class Message>
void expect_round_trip(const Message& message, std::int16_t version) {
  const auto bytes = encode_to_bytes(message, version);
  const auto decoded = decode<Message>(Slice::copy_of(bytes), version);
  expect(decoded.has_value(), Message::kName, version, "cannot be decoded");
  if (!decoded) return;
  expect(*decoded == message, Message::kName, version, "is another message");
  expect(encode_to_bytes(*decoded, version) == bytes, Message::kName, version, "has other bytes");
}

template <class Message>
void round_trips() {
  for (std::int16_t version = Message::kMinVersion; version <= Message::kMaxVersion; ++version) {
    expect_round_trip(filled<Message>(version, false), version);
    expect_round_trip(filled<Message>(version, true), version);
    const auto bytes = encode_to_bytes(Message{}, version);
    const auto decoded = decode<Message>(Slice::copy_of(bytes), version);
    expect(decoded && encode_to_bytes(*decoded, version) == bytes, Message::kName, version,
           "defaults do not come back");
  }
}

template <class Message>
void truncations_fail() {
  for (std::int16_t version = Message::kMinVersion; version <= Message::kMaxVersion; ++version) {
    const auto bytes = encode_to_bytes(filled<Message>(version, false), version);
    for (std::size_t length = 0; length < bytes.size(); ++length) {
      const auto decoded = decode<Message>(Slice::unowned(std::span(bytes).first(length)), version);
      if (decoded) {
        expect(false, Message::kName, version, "was decoded from " + std::to_string(length) + " bytes");
      } else {
        expect_offset(decoded.error());
      }
    }
  }
}

// Bytes of a filled message set to extreme values: an error or a message, never a crash.
template <class Message>
void hostile_bytes_are_survived() {
  constexpr std::size_t kPlaces = 200;  // of the largest messages not every byte
  for (const std::int16_t version : {Message::kMinVersion, Message::kMaxVersion}) {
    auto bytes = encode_to_bytes(filled<Message>(version, false), version);
    for (std::size_t i = 0; i < bytes.size(); i += 1 + bytes.size() / kPlaces) {
      const std::uint8_t kept = bytes[i];
      for (const std::uint8_t value : std::initializer_list<std::uint8_t>{0x00, 0x7f, 0xff}) {
        bytes[i] = value;
        const auto decoded = decode<Message>(Slice::unowned(bytes), version);
        if (decoded) static_cast<void>(to_json(*decoded, version));
      }
      bytes[i] = kept;
    }
  }
}

#define KTRIAL_ROUND_TRIP(Message) round_trips<Message>();
TEST(Codec, EveryMessageInEveryVersionSurvivesARoundTrip) { KTRIAL_ALL_MESSAGES(KTRIAL_ROUND_TRIP) }

#define KTRIAL_TRUNCATION(Message) truncations_fail<Message>();
TEST(Codec, TruncationAtEveryByteIsAnErrorWithItsOffset) { KTRIAL_ALL_MESSAGES(KTRIAL_TRUNCATION) }

#define KTRIAL_HOSTILE(Message) hostile_bytes_are_survived<Message>();
TEST(Codec, HostileBytesNeverCrashTheDecoder) { KTRIAL_ALL_MESSAGES(KTRIAL_HOSTILE) }

TEST(Codec, AFaultNamesMessageVersionFieldAndByte) {
  MetadataRequest request;
  request.topics->push_back({{}, "orders"});
  auto bytes = encode_to_bytes(request, 4);
  bytes[5] = 0x70;  // half of the length of the name
  const auto decoded = decode<MetadataRequest>(Slice(std::move(bytes)), 4);
  ASSERT_FALSE(decoded);
  EXPECT_EQ(decoded.error().to_string(), "MetadataRequest v4 topics[0].name at byte 6: length 112 exceeds the frame by 105");
}

TEST(Codec, AnArrayClaimingMoreElementsThanBytesIsRefusedAtOnce) {
  const std::vector<std::uint8_t> bytes{0x7f, 0xff, 0xff, 0xff};
  const auto decoded = decode<MetadataRequest>(Slice::unowned(bytes), 1);
  ASSERT_FALSE(decoded);
  EXPECT_EQ(decoded.error().code, Errc::kTruncated);
}

TEST(Codec, MemoryGrowsWithWhatWasReadNotWithWhatIsClaimed) {
  std::vector<std::uint8_t> bytes(64U << 20U, 0xff);
  bytes[0] = 0x03;
  bytes[1] = 0x00;
  bytes[2] = 0x00;
  bytes[3] = 0x00;
  const auto decoded = decode<MetadataResponse>(Slice(std::move(bytes)), 0);
  ASSERT_FALSE(decoded);
  EXPECT_EQ(decoded.error().to_string(), "MetadataResponse v0 brokers[0].host at byte 10: null where this version allows none");
}

TEST(Codec, AFaultInATaggedFieldNamesItsPath) {
  FetchRequest request;
  request.cluster_id = "c";
  auto bytes = encode_to_bytes(request, 12);
  bytes[bytes.size() - 2] = 0x60;  // half of the id's length
  const auto decoded = decode<FetchRequest>(Slice(std::move(bytes)), 12);
  ASSERT_FALSE(decoded);
  EXPECT_NE(decoded.error().where.find("FetchRequest v12 clusterId at byte "), std::string::npos) << decoded.error().to_string();
}

TEST(Codec, UnknownTagsAreKeptAndSentInOrder) {
  FetchRequest request;
  request.replica_state.replica_id = 7;  // tag 1
  request.unknown_tags.tags = {{0, Slice::copy_of("a")}, {5, Slice::copy_of("b")}};
  const auto bytes = encode_to_bytes(request, 15);
  const std::vector<std::uint8_t> end(bytes.end() - 22, bytes.end());
  EXPECT_EQ(end[0], 3);  // three tagged fields: 0, 1, 5
  EXPECT_EQ(end[1], 0);
  EXPECT_EQ(end[4], 1);
  EXPECT_EQ(end[19], 5);
}

TEST(Codec, AStringTooLongForItsLengthIsCut) {
  HeartbeatRequest request;
  request.group_id = std::string(40'000, 'g');
  const auto decoded = decode<HeartbeatRequest>(Slice(encode_to_bytes(request, 3)), 3);
  ASSERT_TRUE(decoded) << decoded.error().to_string();
  EXPECT_EQ(decoded->group_id.size(), 32'767U);
  const auto flexible = decode<HeartbeatRequest>(Slice(encode_to_bytes(request, 4)), 4);
  ASSERT_TRUE(flexible) << flexible.error().to_string();
  EXPECT_EQ(flexible->group_id.size(), 40'000U);
}

TEST(Codec, BytesBehindTheMessageAreAnError) {
  auto bytes = encode_to_bytes(HeartbeatResponse{}, 1);
  bytes.push_back(0);
  const auto decoded = decode<HeartbeatResponse>(Slice(std::move(bytes)), 1);
  ASSERT_FALSE(decoded);
  EXPECT_EQ(decoded.error().to_string(), "HeartbeatResponse v1 at byte 6: 1 bytes after the end of the message");
}

TEST(Codec, BytesBehindTheMessageAreIgnoredByWhoSaysSo) {
  auto bytes = encode_to_bytes(HeartbeatResponse{}, 1);
  bytes.push_back(0);
  EXPECT_EQ(decode<HeartbeatResponse>(Slice(std::move(bytes)), 1, Trailing::kIgnored), HeartbeatResponse{});
}

TEST(Codec, UnknownVersionsAreUnsupported) {
  const auto decoded = decode<HeartbeatRequest>(Slice(), 99);
  ASSERT_FALSE(decoded);
  EXPECT_EQ(decoded.error().code, Errc::kUnsupported);
}

TEST(Codec, RecordsStayViewsOfTheFrame) {
  ProduceRequest request;
  produce_request::TopicProduceData topic;
  topic.name = "t";
  topic.partition_data.push_back({0, Slice::copy_of("records")});
  request.topic_data.push_back(topic);
  const Slice frame(encode_to_bytes(request, 9));
  const auto decoded = decode<ProduceRequest>(frame, 9);
  ASSERT_TRUE(decoded);
  const Slice records = *decoded->topic_data[0].partition_data[0].records;
  EXPECT_EQ(records.text(), "records");
  EXPECT_GE(records.data(), frame.data());
  EXPECT_LT(records.data(), frame.data() + frame.size());
}

TEST(Json, NamesMembersAsKafkaDoes) {
  MetadataResponse response;
  response.cluster_id = "c";
  const auto json = to_json(response, 9);
  EXPECT_EQ(json.at("clusterId").as_string(), "c");
  EXPECT_EQ(json.at("controllerId").as_int64(), -1);
  EXPECT_FALSE(json.contains("errorCode"));  // from v13 on
}

TEST(Json, CutsWhatNobodyCouldRead) {
  FetchResponse response;
  response.responses.resize(1);
  response.responses[0].partitions.resize(100'000);
  const auto json = to_json(response, 12);
  EXPECT_TRUE(json.contains("truncated"));
}

TEST(Json, ShowsTextAsUtf8AndCutsWhatIsLong) {
  HeartbeatRequest request;
  request.group_id = "a\xff";
  request.member_id = std::string(1'000'000, 'm');
  const auto json = to_json(request, 4);
  EXPECT_EQ(json.at("groupId").as_string(), "a\xef\xbf\xbd");
  EXPECT_LT(json.at("memberId").as_string().size(), 5'000U);
}

TEST(ApiInfo, FindsApisByKeyAndName) {
  EXPECT_EQ(find_api(std::int16_t{3})->name, "Metadata");
  EXPECT_EQ(find_api("Fetch")->key, 1);
  EXPECT_EQ(find_api(std::int16_t{7}), nullptr);
  EXPECT_EQ(find_api(std::int16_t{-1}), nullptr);
  EXPECT_EQ(find_api("fetch"), nullptr);
}

TEST(ApiInfo, DecodesWithoutTheType) {
  const auto json = request_json(18, 3, Slice(encode_to_bytes(ApiVersionsRequest{}, 3)));
  ASSERT_TRUE(json) << json.error().to_string();
  EXPECT_EQ(json->at("clientSoftwareName").as_string(), "");
  EXPECT_FALSE(request_json(7, 0, Slice()));
}

}  // namespace
}  // namespace ktrial::protocol
