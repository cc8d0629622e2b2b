// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/state/record_memory.h"

#include "fakebroker/batches_for_test.h"
#include "fakebroker/state/topics.h"
#include "protocol/record_batch.h"

#include <gtest/gtest.h>

namespace ktrial::fakebroker {
namespace {

TEST(RecordMemory, TheLevelCutsTheLargestLogsOnly) {
  EXPECT_EQ(RecordMemory::level({10, 100, 1000}, 210), 100);
  EXPECT_EQ(RecordMemory::level({10, 100, 1000}, 1110), 1000);
  EXPECT_EQ(RecordMemory::level({500, 500, 500}, 300), 100);
  EXPECT_EQ(RecordMemory::level({10, 400, 700}, 310), 150);
  EXPECT_EQ(RecordMemory::level({5, 5}, 0), 0);
  EXPECT_EQ(RecordMemory::level({}, 7), 7);
}

struct LogsWithALimit : testing::Test {
  static constexpr std::int64_t kLimit = 64 << 10;
  Topics topics{{1}, Topics::Limits{.partition_bytes = 1 << 30, .record_bytes = kLimit}};

  LogsWithALimit() {
    topics.create({.name = "busy", .partitions = 2});
    topics.create({.name = "quiet", .partitions = 1});
  }
  PartitionLog& log(std::string_view topic, int partition = 0) {
    return topics.find_partition(topic, partition)->log;
  }
  static void append(PartitionLog& log, std::size_t size = 1000) {
    const Slice batch = a_batch({.value = std::string(size, 'x')});
    log.append(batch, *protocol::read_batch_header(batch.span()), 0);
  }
};

TEST_F(LogsWithALimit, NeverKeepMore) {
  for (int i = 0; i < 5000; ++i) {
    append(log("busy", i % 2));
    ASSERT_LE(topics.memory().used(), kLimit);
  }
  EXPECT_GT(topics.memory().used(), kLimit / 2);
  EXPECT_EQ(log("busy").bytes() + log("busy", 1).bytes(), topics.memory().used());
  EXPECT_EQ(log("busy").end_offset(), 2500);
  EXPECT_GT(log("busy").start_offset(), 2400);
  EXPECT_GT(topics.memory().dropped(), 5'000'000 - kLimit);
}

TEST_F(LogsWithALimit, TakeItFromTheLargest) {
  for (int i = 0; i < 10; ++i) append(log("quiet"), 100);
  for (int i = 0; i < 1000; ++i) append(log("busy"));
  EXPECT_EQ(log("quiet").start_offset(), 0);
  EXPECT_EQ(log("quiet").batch_count(), 10U);
  EXPECT_GT(log("busy").start_offset(), 900);
}

TEST_F(LogsWithALimit, MayLoseABatchThatIsLargerThanTheLimit) {
  append(log("busy"), kLimit + 1);
  EXPECT_EQ(log("busy").end_offset(), 1);
  EXPECT_EQ(log("busy").start_offset(), 1);
  EXPECT_EQ(topics.memory().used(), 0);
  append(log("busy"));
  EXPECT_EQ(log("busy").start_offset(), 1);
  EXPECT_EQ(log("busy").end_offset(), 2);
}

TEST_F(LogsWithALimit, AreForgottenWithTheirTopic) {
  for (int i = 0; i < 10; ++i) append(log("busy"));
  append(log("quiet"));
  const std::int64_t quiet = log("quiet").bytes();
  topics.erase("busy");
  EXPECT_EQ(topics.memory().used(), quiet);
}

TEST_F(LogsWithALimit, AreCountedThroughDeletionsAndRetention) {
  for (int i = 0; i < 10; ++i) append(log("quiet"));
  log("quiet").advance_start(4);
  EXPECT_EQ(topics.memory().used(), log("quiet").bytes());
  log("quiet").set_budget(log("quiet").bytes() / 2);
  EXPECT_EQ(topics.memory().used(), log("quiet").bytes());
  EXPECT_EQ(topics.memory().dropped(), 0);
}

}  // namespace
}  // namespace ktrial::fakebroker
