// SPDX-License-Identifier: Apache-2.0
// The client's small pure parts.
#include "clients/reference/accumulator.h"
#include "clients/reference/backoff.h"
#include "clients/reference/frame_splitter.h"
#include "clients/reference/partitioner.h"
#include "clients/reference/record_inbox.h"

#include <gtest/gtest.h>

#include <future>
#include <set>

namespace ktrial::client {
namespace {

TEST(ExponentialBackoff, DoublesGiveOrTakeAFifthUpToTheCap) {
  const ExponentialBackoff backoff{Millis(100), Millis(1'000)};
  Rng rng(1, "test");
  for (int round = 0; round < 200; ++round) {
    unsigned failures = 0;
    for (const double ideal : {100.0, 200.0, 400.0, 800.0, 1'000.0, 1'000.0}) {
      const double pause = static_cast<double>(backoff.pause(++failures, rng).count()) / 1e6;
      EXPECT_GE(pause, ideal * 0.8 - 1e-3);
      EXPECT_LE(pause, std::min(ideal * 1.2, 1'000.0) + 1e-3);
    }
  }
}

TEST(FrameSplitter, CutsFramesWhereverTheStreamIsSplit) {
  const std::vector<std::uint8_t> stream{0, 0, 0, 2, 7, 8, 0, 0, 0, 0, 0, 0, 0, 1, 9};
  FrameSplitter splitter;
  std::vector<std::size_t> sizes;
  for (const std::uint8_t byte : stream) {
    splitter.feed({&byte, 1});
    for (;;) {
      auto frame = splitter.next();
      ASSERT_TRUE(frame);
      if (!*frame) break;
      sizes.push_back((*frame)->size());
    }
  }
  EXPECT_EQ(sizes, (std::vector<std::size_t>{2, 0, 1}));
}

TEST(FrameSplitter, RefusesAnImpossibleLength) {
  FrameSplitter splitter;
  const std::vector<std::uint8_t> negative{0xff, 0xff, 0xff, 0xff};
  splitter.feed(negative);
  EXPECT_FALSE(splitter.next());
}

TEST(Accumulator, SendsABatchWhenItIsFullOrLingerHasPassed) {
  Config config;
  config.linger = Millis(10);
  config.batch_size = 200;
  Accumulator accumulator(config);
  const TimePoint start{};
  const OutRecord record{.topic = "t", .value = std::string(60, 'x')};
  accumulator.append(record, 0, start, 1, {}, 0);
  const BatchQueue& queue = accumulator.queues().at({"t", 0});
  EXPECT_FALSE(accumulator.due(queue, start, false));
  EXPECT_TRUE(accumulator.due(queue, start, true));
  EXPECT_TRUE(accumulator.due(queue, start + Millis(10), false));
  accumulator.append(record, 0, start, 1, {}, 0);
  accumulator.append(record, 0, start, 1, {}, 0);
  EXPECT_EQ(queue.size(), 2U);
  EXPECT_TRUE(accumulator.due(queue, start, false));
}

TEST(RecordInbox, TellsTheIoThreadOnceForAllThatWaits) {
  RecordInbox inbox(100);
  RecordInbox::Entry one{.size = 10};
  RecordInbox::Entry two{.size = 10};
  EXPECT_EQ(inbox.put(one, Millis(0)), RecordInbox::Put::kFirst);
  EXPECT_EQ(inbox.put(two, Millis(0)), RecordInbox::Put::kJoined);
  EXPECT_EQ(inbox.take().size(), 2U);
  EXPECT_TRUE(inbox.take().empty());
}

TEST(RecordInbox, WhoFindsNoRoomWaitsForIt) {
  RecordInbox inbox(100);
  RecordInbox::Entry large{.size = 90};
  RecordInbox::Entry next{.size = 20};
  EXPECT_EQ(inbox.put(large, Millis(0)), RecordInbox::Put::kFirst);
  EXPECT_EQ(inbox.put(next, Millis(1)), RecordInbox::Put::kNoRoom);
  auto waiting =
      std::async(std::launch::async, [&] { return inbox.put(next, std::chrono::hours(1)); });
  inbox.take();
  inbox.release(90);
  EXPECT_EQ(waiting.get(), RecordInbox::Put::kFirst);
}

TEST(RecordInbox, ClosingEndsTheWait) {
  RecordInbox inbox(10);
  RecordInbox::Entry entry{.size = 20};
  auto waiting =
      std::async(std::launch::async, [&] { return inbox.put(entry, std::chrono::hours(1)); });
  inbox.close();
  EXPECT_EQ(waiting.get(), RecordInbox::Put::kClosed);
}

TEST(Partitioner, SendsAKeyAlwaysToTheSamePartitionAndAllElseToOneForABatch) {
  Rng rng(1, "test");
  Partitioner partitioner(rng, 100);
  std::set<std::int32_t> used;
  for (int batch = 0; batch < 100; ++batch) {
    const std::int32_t first = partitioner.choose({.topic = "t"}, 4, 50);
    EXPECT_EQ(partitioner.choose({.topic = "t"}, 4, 50), first);
    used.insert(first);
  }
  EXPECT_EQ(used.size(), 4U);
  // murmur2 of this key is -973932308, as in Java; its sign is dropped.
  EXPECT_EQ(partitioner.choose({.topic = "t", .key = "21"}, 4, 50), 1'173'551'340 % 4);
  EXPECT_EQ(partitioner.choose({.topic = "t", .partition = 3, .key = "21"}, 4, 50), 3);
}

}  // namespace
}  // namespace ktrial::client
