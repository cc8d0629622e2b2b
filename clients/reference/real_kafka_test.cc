// SPDX-License-Identifier: Apache-2.0
// The reference clients against a real Kafka broker, which knows better than our fake one what a
// client may do. Skipped where no broker can be had.
#include "clients/reference/consumer.h"
#include "clients/reference/producer.h"
#include "common/real_kafka_for_test.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <set>
#include <thread>

namespace ktrial::client {
namespace {

using Settings = std::map<std::string, std::string>;
using SteadyClock = std::chrono::steady_clock;

constexpr Millis kClose{30'000};

class AgainstRealKafka : public testing::Test {
 protected:
  void SetUp() override {
    if (!kafka_.start()) GTEST_SKIP() << "no Kafka broker can be had: see the message above";
  }
  std::unique_ptr<Producer> a_producer(Settings settings = {}) {
    settings["bootstrap.servers"] = kafka_.bootstrap();
    auto producer = Producer::create(settings);
    EXPECT_TRUE(producer);
    return std::move(*producer);
  }
  std::unique_ptr<Consumer> a_consumer(Settings settings = {}) {
    settings["bootstrap.servers"] = kafka_.bootstrap();
    settings.try_emplace("auto.offset.reset", "earliest");
    auto consumer = Consumer::create(settings, {});
    EXPECT_TRUE(consumer);
    return std::move(*consumer);
  }
  // Polls until `count` records are there, or a while has passed without any.
  static std::vector<InRecord> read(Consumer& consumer, std::size_t count,
                                    std::chrono::seconds patience = std::chrono::seconds(20)) {
    std::vector<InRecord> records;
    auto last = SteadyClock::now();
    while (records.size() < count && SteadyClock::now() - last < patience) {
      Polled polled = consumer.poll(Millis(200));
      if (!polled.empty()) last = SteadyClock::now();
      std::ranges::move(polled.records, std::back_inserter(records));
    }
    return records;
  }
  static std::vector<std::string> values(const std::vector<InRecord>& records) {
    std::vector<std::string> texts;
    for (const InRecord& record : records) texts.emplace_back(record.value->text());
    std::ranges::sort(texts);
    return texts;
  }

  RealKafka kafka_{"num.partitions=6\n"};
};

// What became of many records sent.
class Deliveries {
 public:
  DeliveryCallback one() {
    return [this](const auto& outcome) {
      if (outcome) {
        ++delivered;
      } else {
        const std::lock_guard lock(mutex_);
        ++failures_[outcome.error().code + ": " + outcome.error().message];
      }
    };
  }
  [[nodiscard]] std::map<std::string, int> failures() {
    const std::lock_guard lock(mutex_);
    return failures_;
  }
  std::atomic<int> delivered = 0;

 private:
  std::mutex mutex_;
  std::map<std::string, int> failures_;
};

class RestartInTheMiddle : public AgainstRealKafka,
                           public testing::WithParamInterface<const char*> {};

TEST_P(RestartInTheMiddle, AMillionRecordsArriveOnceAndInOrderPerKey) {
  constexpr int kRecords = 1'000'000;
  constexpr int kKeys = 1'000;
  Deliveries deliveries;
  {
    const auto producer = a_producer({{"linger.ms", "5"}, {"compression.type", "lz4"}});
    std::jthread restart([&] {
      while (deliveries.delivered < kRecords / 3) std::this_thread::sleep_for(Millis(10));
      kafka_.stop(GetParam());
      EXPECT_TRUE(kafka_.start());
    });
    for (int i = 0; i < kRecords; ++i) {
      producer->send({.topic = "t",
                      .key = "key-" + std::to_string(i % kKeys),
                      .value = std::to_string(i / kKeys)},
                     deliveries.one());
    }
    restart.join();
    producer->close(std::chrono::seconds(60));
  }
  EXPECT_EQ(deliveries.delivered, kRecords);
  EXPECT_EQ(deliveries.failures(), (std::map<std::string, int>{}));

  const auto consumer = a_consumer({{"group.id", "g"}});
  consumer->subscribe({"t"});
  std::map<std::string, int> next;  // value of each key
  int wrong = 0;
  const auto records = read(*consumer, kRecords);
  for (const InRecord& record : records) {
    const std::string value(record.value->text());
    int& expected = next[std::string(record.key->text())];
    wrong += value != std::to_string(expected);
    ++expected;
  }
  EXPECT_EQ(records.size(), static_cast<std::size_t>(kRecords));
  EXPECT_EQ(next.size(), static_cast<std::size_t>(kKeys));
  EXPECT_EQ(wrong, 0);
  EXPECT_TRUE(read(*consumer, 1, std::chrono::seconds(1)).empty());
  consumer->close(kClose);
}

INSTANTIATE_TEST_SUITE_P(Broker, RestartInTheMiddle, testing::Values("TERM", "KILL"),
                         [](const auto& spec) { return std::string(spec.param); });

TEST_F(AgainstRealKafka, OnlyCommittedTransactionsAreReadAsCommitted) {
  const auto producer = a_producer({{"transactional.id", "tx"}});
  ASSERT_EQ(producer->init_transactions(), std::nullopt);
  Deliveries deliveries;
  const auto transaction = [&](const std::string& what, bool commit) {
    ASSERT_EQ(producer->begin_transaction(), std::nullopt);
    for (int partition = 0; partition < 3; ++partition) {
      producer->send({.topic = "t", .partition = partition, .value = what}, deliveries.one());
    }
    ASSERT_TRUE(producer->flush(kClose));
    EXPECT_EQ(commit ? producer->commit_transaction() : producer->abort_transaction(),
              std::nullopt);
  };
  transaction("first", true);
  transaction("aborted", false);
  transaction("second", true);
  producer->close(kClose);
  EXPECT_EQ(deliveries.delivered, 9);

  const auto consumer = a_consumer({{"group.id", "g"}, {"isolation.level", "read_committed"}});
  consumer->subscribe({"t"});
  EXPECT_EQ(values(read(*consumer, 6)),
            (std::vector<std::string>{"first", "first", "first", "second", "second", "second"}));
  EXPECT_TRUE(read(*consumer, 1, std::chrono::seconds(1)).empty());
  consumer->close(kClose);
  const auto careless = a_consumer({{"group.id", "other"}});
  careless->subscribe({"t"});
  EXPECT_EQ(read(*careless, 9).size(), 9U);
  careless->close(kClose);
}

TEST_F(AgainstRealKafka, WhatIsReadAndWhatIsWrittenCommitTogether) {
  {
    const auto source = a_producer();
    for (int i = 0; i < 3; ++i)
      source->send({.topic = "in", .value = std::to_string(i)}, [](auto&&) {});
    source->close(kClose);
  }
  const auto producer = a_producer({{"transactional.id", "tx"}});
  ASSERT_EQ(producer->init_transactions(), std::nullopt);
  const auto copy = [&](bool commit) {
    const auto consumer = a_consumer({{"group.id", "g"}, {"enable.auto.commit", "false"}});
    consumer->subscribe({"in"});
    const auto records = read(*consumer, 3);
    ASSERT_EQ(producer->begin_transaction(), std::nullopt);
    Positions positions;
    for (const InRecord& record : records) {
      positions[record.at] = record.offset + 1;
      producer->send({.topic = "out", .value = std::string(record.value->text())}, [](auto&&) {});
    }
    ASSERT_EQ(positions.empty(), false);
    EXPECT_EQ(producer->send_offsets(positions, consumer->group_member()), std::nullopt);
    EXPECT_EQ(commit ? producer->commit_transaction() : producer->abort_transaction(),
              std::nullopt);
    consumer->close(kClose);
  };
  copy(false);
  copy(true);
  producer->close(kClose);

  const auto after = a_consumer({{"group.id", "g"}});
  after->subscribe({"in"});
  EXPECT_TRUE(read(*after, 1, std::chrono::seconds(3)).empty());
  after->close(kClose);
  const auto sink = a_consumer({{"group.id", "sink"}, {"isolation.level", "read_committed"}});
  sink->subscribe({"out"});
  EXPECT_EQ(values(read(*sink, 3)), (std::vector<std::string>{"0", "1", "2"}));
  EXPECT_TRUE(read(*sink, 1, std::chrono::seconds(1)).empty());
  sink->close(kClose);
}

TEST_F(AgainstRealKafka, ALaterProducerOfTheSameIdFencesTheEarlier) {
  const auto earlier = a_producer({{"transactional.id", "tx"}});
  ASSERT_EQ(earlier->init_transactions(), std::nullopt);
  ASSERT_EQ(earlier->begin_transaction(), std::nullopt);
  earlier->send({.topic = "t", .value = "zombie"}, [](auto&&) {});
  ASSERT_TRUE(earlier->flush(kClose));
  const auto later = a_producer({{"transactional.id", "tx"}});
  ASSERT_EQ(later->init_transactions(), std::nullopt);
  const auto refused = earlier->commit_transaction();
  ASSERT_TRUE(refused);
  EXPECT_TRUE(refused->code == "PRODUCER_FENCED" || refused->code == "INVALID_PRODUCER_EPOCH")
      << refused->code;
  EXPECT_EQ(earlier->begin_transaction()->code, refused->code);
  ASSERT_EQ(later->begin_transaction(), std::nullopt);
  later->send({.topic = "t", .value = "alive"}, [](auto&&) {});
  EXPECT_EQ(later->commit_transaction(), std::nullopt);
  earlier->close(kClose);
  later->close(kClose);

  const auto consumer = a_consumer({{"group.id", "g"}, {"isolation.level", "read_committed"}});
  consumer->subscribe({"t"});
  EXPECT_EQ(values(read(*consumer, 1)), (std::vector<std::string>{"alive"}));
  EXPECT_TRUE(read(*consumer, 1, std::chrono::seconds(1)).empty());
  consumer->close(kClose);
}

class GroupOnRealKafka : public AgainstRealKafka,
                         public testing::WithParamInterface<const char*> {};

TEST_P(GroupOnRealKafka, TwoMembersShareTheWorkAndAThirdGoesOnWhereTheyLeft) {
  constexpr int kRecords = 600;
  const auto producer = a_producer();
  const auto produce = [&] {
    for (int i = 0; i < kRecords; ++i)
      producer->send({.topic = "t", .partition = i % 6, .value = "v"}, [](auto&&) {});
    EXPECT_TRUE(producer->flush(kClose));
  };
  produce();
  const Settings settings{{"group.id", "g"}, {"group.protocol", GetParam()}};
  const auto first = a_consumer(settings);
  const auto second = a_consumer(settings);
  first->subscribe({"t"});
  second->subscribe({"t"});
  const auto until = SteadyClock::now() + std::chrono::seconds(40);
  std::size_t count = 0;
  while (
      (first->assignment().size() != 3 || second->assignment().size() != 3 || count < kRecords) &&
      SteadyClock::now() < until) {
    count += first->poll(Millis(50)).size();
    count += second->poll(Millis(50)).size();
  }
  EXPECT_EQ(first->assignment().size(), 3U);
  EXPECT_EQ(second->assignment().size(), 3U);
  EXPECT_EQ(count, static_cast<std::size_t>(kRecords));
  first->close(kClose);
  second->close(kClose);

  produce();
  const auto third = a_consumer(settings);
  third->subscribe({"t"});
  EXPECT_EQ(read(*third, kRecords).size(), static_cast<std::size_t>(kRecords));
  EXPECT_TRUE(read(*third, 1, std::chrono::seconds(1)).empty());
  third->close(kClose);
  producer->close(kClose);
}

INSTANTIATE_TEST_SUITE_P(Protocols, GroupOnRealKafka, testing::Values("classic", "consumer"),
                         [](const auto& spec) { return std::string(spec.param); });

}  // namespace
}  // namespace ktrial::client
