// SPDX-License-Identifier: Apache-2.0
// The client's small pure parts.
#include "clients/reference/accumulator.h"
#include "clients/reference/backoff.h"
#include "clients/reference/frame_splitter.h"

#include <gtest/gtest.h>

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
  accumulator.append(record, 0, start, 1, {});
  auto& queue = accumulator.queues().at({"t", 0});
  EXPECT_FALSE(accumulator.due(queue, start, false));
  EXPECT_TRUE(accumulator.due(queue, start, true));
  EXPECT_TRUE(accumulator.due(queue, start + Millis(10), false));
  accumulator.append(record, 0, start, 1, {});
  accumulator.append(record, 0, start, 1, {});
  EXPECT_EQ(queue.size(), 2U);
  EXPECT_TRUE(accumulator.due(queue, start, false));
}

}  // namespace
}  // namespace ktrial::client
