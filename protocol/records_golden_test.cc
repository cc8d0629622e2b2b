// SPDX-License-Identifier: Apache-2.0
// Batches that Apache Kafka's own classes wrote or read (golden/records/Records.java), against
// what we make of them: the first line of a vector is the bytes, the others Java's records.
#include "protocol/control_record.h"
#include "protocol/read_records.h"
#include "protocol/record_samples.h"
#include "source_dir.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <zlib.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace ktrial::protocol {
namespace {

using samples::view;
using Bytes = std::vector<std::uint8_t>;

const std::filesystem::path kFolder = KTRIAL_SOURCE_DIR "/protocol/golden/records";

struct Vector {
  Bytes bytes;
  std::string records;
};

std::string to_hex(ByteView bytes) {
  std::string hex;
  for (const std::uint8_t byte : bytes) hex += fmt::format("{:02x}", byte);
  return hex;
}

Bytes from_hex(std::string_view hex) {
  const auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  Bytes bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes.push_back(static_cast<std::uint8_t>(digit(hex[i]) * 16 + digit(hex[i + 1])));
  }
  return bytes;
}

Vector load(const std::filesystem::path& path) {
  std::ifstream file(path);
  Vector vector;
  std::string line;
  std::getline(file, line);
  vector.bytes = from_hex(line);
  while (std::getline(file, line)) vector.records += line + "\n";
  return vector;
}

// As Records.java prints it.
std::string field(const std::optional<Slice>& bytes) {
  if (!bytes) return "null";
  if (bytes->size() <= 64) return ":" + to_hex(bytes->span());
  return fmt::format("#{}:{:08x}", bytes->size(), crc32_z(0, bytes->data(), bytes->size()));
}

std::string printed(const std::vector<Record>& records) {
  std::string text;
  for (const Record& record : records) {
    text += fmt::format("{} {} {} {}", record.offset, record.timestamp, field(record.key),
                        field(record.value));
    for (const auto& header : record.headers) {
      text += fmt::format(" {}={}", header.key.text(), field(header.value));
    }
    text += "\n";
  }
  return text;
}

TEST(RecordsGolden, EveryVectorReadsAsJavaReadsIt) {
  int vectors = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
    if (entry.path().extension() != ".txt") continue;
    const Vector vector = load(entry.path());
    ASSERT_FALSE(vector.bytes.empty()) << entry.path();
    const auto records = read_records(Slice(vector.bytes), {.control_records = true});
    ASSERT_TRUE(records) << entry.path() << ": " << records.error().to_string();
    EXPECT_EQ(printed(*records), vector.records) << entry.path();
    ++vectors;
  }
  EXPECT_EQ(vectors, 19);
}

// What Records.java appends.
Bytes same_as_java(Codec codec) {
  RecordBatchBuilder builder({.codec = codec, .transactional = true, .base_offset = 100});
  const HeaderView headers[] = {{"a", view("1")}, {"b", std::nullopt}};
  builder.append(1'700'000'000'000, view("key"), view("value"), headers);
  builder.append(1'700'000'000'005, std::nullopt, view("no key"));
  builder.append(1'699'999'999'999, view(""), std::nullopt);
  std::string large;
  for (int i = 0; i < (codec == Codec::kNone ? 20 : 9'000); ++i) large += "0123456789abcdef";
  builder.append(1'700'000'100'000, view("large"), view(large));
  return *builder.finish({4242, 7, 11});
}

TEST(RecordsGolden, BuilderWritesTheBytesThatJavaWrites) {
  EXPECT_EQ(to_hex(same_as_java(Codec::kNone)), to_hex(load(kFolder / "v2-none.txt").bytes));
}

// The bytes of a compressed batch depend on the library's version; the vectors "ours-*" hold some
// that Java has read.
TEST(RecordsGolden, CompressedBatchesUnpackToWhatJavaReadFromOurs) {
  for (const Codec codec : {Codec::kGzip, Codec::kSnappy, Codec::kLz4, Codec::kZstd}) {
    const Vector vector = load(kFolder / fmt::format("ours-{}.txt", to_string(codec)));
    const auto records = read_records(Slice(same_as_java(codec)));
    ASSERT_TRUE(records) << records.error().to_string();
    EXPECT_EQ(printed(*records), vector.records) << to_string(codec);
  }
}

TEST(RecordsGolden, MarkerIsTheOneThatJavaWrites) {
  auto marker = build_marker_batch({ControlType::kCommit, 77, 3, 5}, 4000);
  ASSERT_TRUE(set_base_offset(marker, 30));
  ASSERT_TRUE(set_partition_leader_epoch(marker, 2));
  EXPECT_EQ(to_hex(marker), to_hex(load(kFolder / "marker.txt").bytes));
}

}  // namespace
}  // namespace ktrial::protocol
