// SPDX-License-Identifier: Apache-2.0
// Our codec against vectors that Apache Kafka's own classes wrote (protocol/golden/README.md): an
// oracle that shares no line with us. Bytes must decode, show the same JSON, and encode again to
// the same bytes.
#include <gtest/gtest.h>

#include <charconv>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "protocol/api_info.h"
#include "protocol/errors.h"
#include "protocol/golden_json.h"
#include "protocol/header.h"
#include "protocol/messages/all_messages.h"
#include "source_dir.h"

namespace ktrial::protocol {
namespace {

std::ifstream open_golden(const std::string& name) {
  return std::ifstream(std::string(KTRIAL_SOURCE_DIR) + "/protocol/golden/" + name);
}

std::vector<std::uint8_t> from_hex(std::string_view hex) {
  std::vector<std::uint8_t> bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    std::uint8_t byte = 0;
    std::from_chars(hex.data() + i, hex.data() + i + 2, byte, 16);
    bytes.push_back(byte);
  }
  return bytes;
}

struct Vector {
  std::string name;
  std::int16_t version = 0;
  std::string variant;
  std::vector<std::uint8_t> bytes;
  boost::json::value json;
};

std::vector<Vector> read_vectors() {
  std::vector<Vector> vectors;
  std::ifstream in = open_golden("messages.txt");
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    Vector vector;
    std::string hex;
    std::string json;
    words >> vector.name >> vector.version >> vector.variant >> hex;
    std::getline(words, json);
    if (hex != "-") vector.bytes = from_hex(hex);
    vector.json = boost::json::parse(json);
    vectors.push_back(std::move(vector));
  }
  return vectors;
}

// What a message's type is needed for; the rest is outside of the template, which 150 messages
// instantiate.
struct Ours {
  std::string error = {};  // of decoding
  std::vector<std::uint8_t> encoded = {}, defaults = {};
  boost::json::value json = {};
};

template <class Message>
Ours ours(const Vector& vector) {
  const auto message = decode<Message>(Slice::copy_of(vector.bytes), vector.version);
  if (!message) return {message.error().to_string()};
  return {{},
          encode_to_bytes(*message, vector.version),
          encode_to_bytes(Message{}, vector.version),
          to_json(*message, vector.version)};
}

void expect_agreement(const Vector& vector, const Ours& ours) {
  SCOPED_TRACE(vector.name + " v" + std::to_string(vector.version) + " " + vector.variant);
  ASSERT_EQ(ours.error, "");
  EXPECT_EQ(ours.encoded, vector.bytes);
  EXPECT_EQ(difference(vector.json, ours.json, ""), "");
  if (vector.variant == "default") {
    EXPECT_EQ(ours.defaults, vector.bytes);
  }
}

struct Known {
  Ours (*ours)(const Vector&);
  std::int16_t min_version, max_version;
};

std::map<std::string_view, Known> known_messages() {
#define KTRIAL_ROW(Message) {Message::kName, {&ours<Message>, Message::kMinVersion, Message::kMaxVersion}},
  return {KTRIAL_ALL_MESSAGES(KTRIAL_ROW)};
#undef KTRIAL_ROW
}

TEST(Golden, BytesOfJavaDecodeToTheSameFieldsAndEncodeToTheSameBytes) {
  const auto known = known_messages();
  for (const Vector& vector : read_vectors()) {
    ASSERT_TRUE(known.contains(vector.name)) << vector.name;
    expect_agreement(vector, known.at(vector.name).ours(vector));
  }
}

TEST(Golden, EveryVersionOfEveryMessageHasAVector) {
  std::map<std::string, std::set<std::int16_t>> covered;
  for (const Vector& vector : read_vectors()) covered[vector.name].insert(vector.version);
  for (const auto& [name, message] : known_messages()) {
    for (std::int16_t version = message.min_version; version <= message.max_version; ++version) {
      EXPECT_TRUE(covered[std::string(name)].contains(version)) << name << " v" << version;
    }
  }
}

TEST(Golden, HeaderVersionsAreThoseOfJava) {
  std::ifstream in = open_golden("headers.txt");
  int compared = 0;
  for (std::int16_t key = 0, version = 0, request = 0, response = 0; in >> key >> version >> request >> response;) {
    if (find_api(key) == nullptr) continue;
    EXPECT_EQ(request_header_version(key, version), request) << "API " << key << " v" << version;
    EXPECT_EQ(response_header_version(key, version), response) << "API " << key << " v" << version;
    ++compared;
  }
  EXPECT_GT(compared, 250);
}

TEST(Golden, ErrorCodesHaveTheNamesAndRetriabilityOfJava) {
  std::ifstream in = open_golden("errors.txt");
  int compared = 0;
  std::int16_t code = 0;
  for (std::string name_of_java, retriable_in_java; in >> code >> name_of_java >> retriable_in_java; ++compared) {
    const auto error = static_cast<KafkaError>(code);
    EXPECT_EQ(name(error), name_of_java);
    EXPECT_EQ(retriable(error), retriable_in_java == "true") << name_of_java;
  }
  EXPECT_EQ(compared, 138);
}

}  // namespace
}  // namespace ktrial::protocol
