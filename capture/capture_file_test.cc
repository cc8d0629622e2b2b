// SPDX-License-Identifier: Apache-2.0
#include "capture/capture_file.h"

#include "capture/read_capture.h"
#include "capture/test_support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <fstream>
#include <iterator>
#include <random>

namespace ktrial::capture {
namespace {

using synth::Bytes;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string temporary(std::string_view name) {
  return ::testing::TempDir() + "ktrial-" + std::to_string(::getpid()) + "-" + std::string(name);
}

Bytes contents(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

synth::Capture small_capture() {
  synth::Capture capture;
  synth::Tcp tcp(capture, kClientAt, kBrokerAt);
  tcp.handshake();
  tcp.send(Side::kClient, ask(1));
  tcp.send(Side::kBroker, answer(1));
  tcp.fin(Side::kClient);
  return capture;
}

Bytes pcapng_of(const synth::Capture& capture) {
  const std::string path = temporary("written.pcapng");
  SectionInfo section;
  section.hardware = "a cpu";
  section.os = "an os";
  section.application = "ktrial test";
  section.comments = {"first", "second"};
  auto writer = PcapngWriter::create(path, section);
  EXPECT_TRUE(writer.has_value());
  InterfaceInfo interface;
  interface.name = "lo";
  interface.filter = "tcp";
  interface.snaplen = 262144;
  writer->add_interface(interface);
  writer->tls_keys("CLIENT_RANDOM 00 11\n");
  bool first = true;
  for (const auto& packet : capture.packets()) {
    writer->packet(0, packet.view(), first ? "the first packet" : "");
    first = false;
  }
  writer->statistics(0, synth::Capture::kStart, {10, 3});
  EXPECT_TRUE(writer->close().has_value());
  Bytes bytes = contents(path);
  ::unlink(path.c_str());
  return bytes;
}

struct ReadBack {
  std::vector<synth::Packet> packets;
  std::optional<Error> error;
  CaptureFileInfo info;
};

ReadBack read_all(Bytes bytes) {
  ReadBack out;
  auto file = CaptureFile::of(std::move(bytes));
  if (!file) {
    out.error = file.error();
    return out;
  }
  PacketView view;
  for (;;) {
    const auto more = file->next(view);
    if (!more) out.error = more.error();
    if (!more || !*more) break;
    out.packets.push_back(
        {view.at_ns, view.link, Bytes(view.bytes.begin(), view.bytes.end()), view.original_length});
  }
  out.info = file->info();
  return out;
}

void expect_same(const std::vector<synth::Packet>& got, const std::vector<synth::Packet>& wanted) {
  ASSERT_EQ(got.size(), wanted.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    EXPECT_EQ(got[i].at_ns, wanted[i].at_ns);
    EXPECT_EQ(got[i].bytes, wanted[i].bytes);
    EXPECT_EQ(got[i].original_length, wanted[i].original_length);
  }
}

TEST(CaptureFile, ReadsWhatTheWriterWrote) {
  const auto capture = small_capture();
  const ReadBack back = read_all(pcapng_of(capture));
  EXPECT_FALSE(back.error);
  expect_same(back.packets, capture.packets());
  EXPECT_TRUE(back.info.pcapng);
  EXPECT_EQ(back.info.section.hardware, "a cpu");
  EXPECT_EQ(back.info.section.os, "an os");
  EXPECT_EQ(back.info.section.application, "ktrial test");
  EXPECT_THAT(back.info.section.comments, ElementsAre("first", "second"));
  ASSERT_EQ(back.info.interfaces.size(), 1U);
  EXPECT_EQ(back.info.interfaces[0].name, "lo");
  EXPECT_EQ(back.info.interfaces[0].filter, "tcp");
  EXPECT_EQ(back.info.received, 10U);
  EXPECT_EQ(back.info.dropped, 3U);
  EXPECT_EQ(back.info.tls_keys, "CLIENT_RANDOM 00 11\n");
  EXPECT_THAT(back.info.packet_comments, ElementsAre("the first packet"));
}

TEST(CaptureFile, ReadsClassicFilesOfBothByteOrdersAndResolutions) {
  auto capture = small_capture();
  for (auto& packet : capture.packets()) packet.at_ns += 1'234'000;
  for (const bool big : {false, true}) {
    for (const bool nano : {false, true}) {
      const ReadBack back = read_all(synth::pcap_file(capture.packets(), big, nano));
      EXPECT_FALSE(back.error);
      expect_same(back.packets, capture.packets());
    }
  }
}

// A big-endian pcapng file by hand: SHB, IDB with the resolution given, one EPB.
Bytes big_endian_pcapng(std::uint8_t resolution, std::uint64_t stamp) {
  Bytes out;
  const auto word = [&](std::uint32_t value) {
    for (int shift = 24; shift >= 0; shift -= 8)
      out.push_back(static_cast<std::uint8_t>(value >> static_cast<unsigned>(shift)));
  };
  for (const std::uint32_t value :
       {0x0a0d0d0aU, 28U, 0x1a2b3c4dU, 0x00010000U, 0xffffffffU, 0xffffffffU, 28U})
    word(value);
  for (const std::uint32_t value :
       {1U, 32U, 0x00010000U, 0U, 0x00090001U, std::uint32_t{resolution} << 24U, 0U, 32U})
    word(value);
  for (const std::uint32_t value : {6U, 36U, 0U, static_cast<std::uint32_t>(stamp >> 32U),
                                    static_cast<std::uint32_t>(stamp), 2U, 2U, 0xabcd0000U, 36U})
    word(value);
  return out;
}

TEST(CaptureFile, ReadsBigEndianPcapngInAnyResolution) {
  const auto at = [](std::uint8_t resolution, std::uint64_t stamp) {
    const ReadBack back = read_all(big_endian_pcapng(resolution, stamp));
    EXPECT_FALSE(back.error) << back.error->to_string();
    EXPECT_EQ(back.packets.size(), 1U);
    return back.packets.empty() ? -1 : back.packets[0].at_ns;
  };
  EXPECT_EQ(at(6, 1'500'000), 1'500'000'000);
  EXPECT_EQ(at(9, 1'500'000), 1'500'000);
  EXPECT_EQ(at(3, 1500), 1'500'000'000);
  EXPECT_EQ(at(12, 1'500'000'000), 1'500'000);
  EXPECT_EQ(at(0x80 | 10, 1536), 1'500'000'000);
  EXPECT_EQ(at(0x80 | 40, (std::uint64_t{3} << 39U)), 1'500'000'000);
  EXPECT_EQ(at(0, UINT64_MAX), std::int64_t{1} << 62);
}

TEST(CaptureFile, TruncationAtEveryByteIsAnErrorWithItsPlace) {
  const auto capture = small_capture();
  for (const Bytes& whole :
       {pcapng_of(capture), synth::pcap_file(capture.packets(), false, true)}) {
    std::size_t clean_ends = 0;
    for (std::size_t size = 0; size < whole.size(); ++size) {
      const ReadBack back =
          read_all(Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)));
      if (!back.error) {
        ++clean_ends;  // between two blocks
        continue;
      }
      EXPECT_EQ(back.error->code, Errc::kTruncated) << size << ": " << back.error->to_string();
      EXPECT_THAT(back.error->where, HasSubstr("byte "));
      EXPECT_LE(back.packets.size(), capture.packets().size());
    }
    EXPECT_LE(clean_ends, capture.packets().size() + 4);
  }
}

TEST(CaptureFile, ClaimedLengthsAreRefusedNotAllocated) {
  Bytes classic = synth::pcap_file(small_capture().packets(), false, true);
  for (std::size_t i = 0; i < 4; ++i) classic[24 + 8 + i] = 0xff;
  EXPECT_EQ(read_all(classic).error->code, Errc::kTooLarge);
  Bytes block = pcapng_of(small_capture());
  block[4] = block[5] = block[6] = block[7] = 0xfc;
  EXPECT_EQ(read_all(block).error->code, Errc::kTooLarge);
}

TEST(CaptureFile, OtherFilesAreNamedAsSuch) {
  const ReadBack back = read_all({'P', 'K', 3, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
  EXPECT_EQ(back.error->code, Errc::kUnsupported);
  EXPECT_THAT(back.error->message, HasSubstr("0x504b0304"));
  EXPECT_EQ(read_all({}).error->code, Errc::kTruncated);
}

TEST(CaptureFile, RandomMutationsNeverCrash) {
  const auto capture = small_capture();
  const Bytes whole = pcapng_of(capture);
  std::mt19937 random(5);
  for (int round = 0; round < 20000; ++round) {
    Bytes mutated = whole;
    for (unsigned change = 0; change <= random() % 6; ++change)
      mutated[random() % mutated.size()] = static_cast<std::uint8_t>(random());
    const ReadBack back = read_all(mutated);
    ASSERT_LE(back.packets.size(), capture.packets().size() * 4);
  }
}

TEST(ReadCapture, FileGivesTheSameLogAsThePackets) {
  const std::string path = temporary("read.pcapng");
  const auto capture = small_capture();
  const Bytes bytes = pcapng_of(capture);
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  const auto log = analyze_file(path);
  ASSERT_TRUE(log.has_value()) << log.error().to_string();
  EXPECT_EQ(types(*log), types(capture.analyze()));
  EXPECT_EQ(log->stats.dropped, 3U);
  ::unlink(path.c_str());
}

TEST(ReadCapture, DamagedEndIsAnErrorOrAProblem) {
  const std::string path = temporary("cut.pcapng");
  Bytes bytes = pcapng_of(small_capture());
  bytes.resize(bytes.size() - 100);
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  const auto strict = analyze_file(path);
  ASSERT_FALSE(strict.has_value());
  EXPECT_THAT(strict.error().where, HasSubstr(path));
  ReadOptions options;
  options.accept_damaged_end = true;
  const auto lenient = analyze_file(path, options);
  ASSERT_TRUE(lenient.has_value());
  EXPECT_THAT(lenient->stats.problems, ElementsAre(HasSubstr("the file ends inside")));
  EXPECT_FALSE(lenient->stats.dropped);
  ::unlink(path.c_str());
}

TEST(ReadCapture, MissingFileIsNotFound) {
  const auto log = analyze_file("/nonexistent/x.pcapng");
  ASSERT_FALSE(log.has_value());
  EXPECT_EQ(log.error().code, Errc::kNotFound);
}

}  // namespace
}  // namespace ktrial::capture
