// SPDX-License-Identifier: Apache-2.0
#include "capture/stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>

namespace ktrial::capture {
namespace {

struct Sink final : StreamSink {
  std::string text;  // a hole of n bytes is shown as [n]
  void data(std::span<const std::uint8_t> bytes) override {
    text.append(bytes.begin(), bytes.end());
  }
  void missing(std::uint64_t length, Missing why) override {
    text += (why == Missing::kLost ? "[" : "(") + std::to_string(length) +
            (why == Missing::kLost ? "]" : ")");
  }
};

class StreamTest : public ::testing::Test {
 protected:
  Stream::Segment put(std::uint32_t seq, std::string_view text, std::uint32_t on_wire = 0) {
    const std::span bytes{reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
    return stream.segment(seq, bytes, std::max(on_wire, static_cast<std::uint32_t>(text.size())),
                          sink);
  }
  Stream stream{1000};
  Sink sink;
};

TEST_F(StreamTest, BytesInOrderPassThrough) {
  stream.start(99);
  EXPECT_EQ(put(100, "ab"), Stream::Segment::kNew);
  EXPECT_EQ(put(102, "cd"), Stream::Segment::kNew);
  EXPECT_EQ(sink.text, "abcd");
}

TEST_F(StreamTest, ReorderedSegmentsAreSorted) {
  stream.start(99);
  EXPECT_EQ(put(104, "ef"), Stream::Segment::kHeld);
  EXPECT_EQ(put(102, "cd"), Stream::Segment::kHeld);
  EXPECT_EQ(put(100, "ab"), Stream::Segment::kNew);
  EXPECT_EQ(sink.text, "abcdef");
  EXPECT_FALSE(stream.has_hole());
}

TEST_F(StreamTest, RetransmissionIsRecognisedAndDropped) {
  stream.start(99);
  put(100, "abcd");
  EXPECT_EQ(put(100, "abcd"), Stream::Segment::kRetransmission);
  EXPECT_EQ(put(101, "bc"), Stream::Segment::kRetransmission);
  EXPECT_EQ(sink.text, "abcd");
}

TEST_F(StreamTest, OverlapGivesOnlyTheNewBytes) {
  stream.start(99);
  put(100, "abcd");
  EXPECT_EQ(put(102, "cdef"), Stream::Segment::kRetransmission);
  EXPECT_EQ(sink.text, "abcdef");
}

TEST_F(StreamTest, OverlapsAmongHeldSegmentsKeepTheFirstCopy) {
  stream.start(99);
  put(104, "EFGH");
  put(102, "cdefghij");
  put(100, "ab");
  EXPECT_EQ(sink.text, "abcdEFGHij");
}

TEST_F(StreamTest, SequenceNumbersWrap) {
  stream.start(0xfffffffdU);
  put(0xfffffffeU, "abcd");
  EXPECT_EQ(put(6, "ij"), Stream::Segment::kHeld);
  put(2, "efgh");
  EXPECT_EQ(sink.text, "abcdefghij");
  EXPECT_EQ(put(0xfffffffeU, "abcd"), Stream::Segment::kRetransmission);
}

TEST_F(StreamTest, KeepaliveProbesAreNoData) {
  stream.start(99);
  put(100, "ab");
  EXPECT_EQ(put(101, ""), Stream::Segment::kKeepalive);
  EXPECT_EQ(put(101, "x"), Stream::Segment::kKeepalive);
  EXPECT_EQ(put(102, ""), Stream::Segment::kEmpty);
  EXPECT_EQ(sink.text, "ab");
}

TEST_F(StreamTest, AcknowledgedHoleIsReportedWithItsLength) {
  stream.start(99);
  put(100, "ab");
  put(105, "fg");
  for (int i = 0; i < 4; ++i) stream.acknowledged(107, sink);
  EXPECT_EQ(sink.text, "ab[3]fg");
}

TEST_F(StreamTest, AcknowledgedHoleWaitsForALatePacket) {
  stream.start(99);
  put(102, "cd");
  stream.acknowledged(104, sink);
  put(100, "ab");
  EXPECT_EQ(sink.text, "abcd");
}

TEST_F(StreamTest, TailThatOnlyTheAcknowledgementShowsIsAHole) {
  stream.start(99);
  put(100, "ab");
  stream.acknowledged(110, sink);
  stream.finish(sink);
  EXPECT_EQ(sink.text, "ab[8]");
}

TEST_F(StreamTest, AcknowledgedFinIsNoHole) {
  stream.start(99);
  put(100, "ab");
  EXPECT_TRUE(stream.fin(102, 0));
  EXPECT_FALSE(stream.fin(102, 0));
  stream.acknowledged(103, sink);
  stream.finish(sink);
  EXPECT_EQ(sink.text, "ab");
}

TEST_F(StreamTest, FinBehindAHoleTellsItsLength) {
  stream.start(99);
  put(100, "ab");
  stream.fin(104, 2);
  stream.acknowledged(107, sink);
  stream.finish(sink);
  EXPECT_EQ(sink.text, "ab[4]");
}

TEST_F(StreamTest, BufferBoundTurnsAHoleIntoAGap) {
  stream.start(99);
  std::uint32_t seq = 200;
  for (int i = 0; i < 20; ++i, seq += 50) put(seq, std::string(50, 'x'));
  EXPECT_THAT(sink.text, ::testing::StartsWith("[100]xxx"));
}

TEST_F(StreamTest, WithoutASynTheFirstPayloadStarts) {
  EXPECT_EQ(put(7000, ""), Stream::Segment::kEmpty);
  EXPECT_EQ(put(7000, "ab"), Stream::Segment::kNew);
  put(7005, "fg");
  stream.finish(sink);
  EXPECT_EQ(sink.text, "ab[3]fg");
}

TEST_F(StreamTest, SnappedPayloadIsMissingOnPurpose) {
  stream.start(99);
  put(100, "ab", 10);
  put(110, "kl");
  EXPECT_EQ(sink.text, "ab(8)kl");
}

TEST_F(StreamTest, AnyOrderOfAnyCutsGivesTheSameBytes) {
  std::mt19937 random(7);
  std::string text(300, ' ');
  for (std::size_t i = 0; i < text.size(); ++i) text[i] = static_cast<char>('a' + i % 26);
  for (int round = 0; round < 200; ++round) {
    Stream one(100000);
    Sink out;
    const auto isn = static_cast<std::uint32_t>(random());
    one.start(isn);
    std::vector<std::pair<std::size_t, std::size_t>> cuts;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t length = std::min<std::size_t>(1 + random() % 40, text.size() - at);
      cuts.emplace_back(at, length);
      if (random() % 3 == 0) cuts.emplace_back(at, length);
      const std::size_t back = random() % (at + 1);
      if (random() % 4 == 0) cuts.emplace_back(back, at + length - back);
      at += length;
    }
    std::shuffle(cuts.begin(), cuts.end(), random);
    for (const auto& [at, length] : cuts) {
      const std::span bytes{reinterpret_cast<const std::uint8_t*>(text.data()) + at, length};
      one.segment(isn + 1 + static_cast<std::uint32_t>(at), bytes,
                  static_cast<std::uint32_t>(length), out);
    }
    one.finish(out);
    ASSERT_EQ(out.text, text) << "round " << round;
  }
}

}  // namespace
}  // namespace ktrial::capture
