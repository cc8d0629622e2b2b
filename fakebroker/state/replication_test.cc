// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/state/replication.h"

#include "fakebroker/batches_for_test.h"
#include "fakebroker/state/transaction_marker.h"

#include <gtest/gtest.h>

namespace ktrial::fakebroker {
namespace {

using Brokers = std::vector<std::int32_t>;

struct ReplicationTest : testing::Test {
  Topics topics{{1, 2, 3}, 1 << 20};
  Configs configs{ClusterSpec()};
  bool stops_below_minimum = true;
  int shown = 0;
  Replication replication{topics,
                          configs,
                          {.stops_below_minimum = [this](int) { return stops_below_minimum; },
                           .moved = [](const Partition&) {},
                           .shown = [this] { ++shown; }}};

  void SetUp() override {
    topics.create({.name = "t", .leaders = {1}, .configs = {{"min.insync.replicas", "2"}}});
  }
  Partition& partition() { return *topics.find_partition("t", 0); }
  Brokers in_sync() { return partition().in_sync.of(partition().replicas); }
  Brokers eligible() {
    Brokers brokers;
    for (const auto& one : partition().in_sync.behind()) {
      if (one.eligible) brokers.push_back(one.broker);
    }
    return brokers;
  }
  std::string set(const std::vector<int>& brokers) {
    const auto done = replication.set_in_sync(partition(), brokers);
    return done ? "" : done.error().message;
  }
  void append(const Slice& batch = a_batch()) {
    auto header = *protocol::read_batch_header(batch.span());
    header.base_offset = partition().log.append(batch, header, partition().leader_epoch);
    if (header.producer_id >= 0) partition().producers.record(header, header.max_timestamp);
    if (header.transactional())
      partition().transactions.appended(header.producer_id, 0, header.base_offset);
  }
  std::int64_t high_watermark() { return partition().log.high_watermark(); }
};

TEST_F(ReplicationTest, AllReplicasAreInSyncUnlessTold) {
  EXPECT_EQ(in_sync(), (Brokers{1, 2, 3}));
  EXPECT_EQ(set({3, 1}), "");
  EXPECT_EQ(in_sync(), (Brokers{1, 3}));
  EXPECT_EQ(set({1, 2, 3}), "");
  EXPECT_TRUE(partition().in_sync.all());
  EXPECT_EQ(shown, 2);
}

TEST_F(ReplicationTest, WhatCannotBeInSyncIsRefused) {
  EXPECT_EQ(set({}), "t-0: at least one replica is in sync");
  EXPECT_EQ(set({1, 4}), "t-0: 4 is none of its replicas, 1, 2, 3");
  EXPECT_EQ(set({2, 3}), "t-0: 1 leads it and is in sync with itself; move the leader");
  replication.broker_went_down(2);
  EXPECT_EQ(set({1, 2}), "t-0: 2 is down and cannot be in sync");
  EXPECT_EQ(in_sync(), (Brokers{1, 3}));
}

TEST_F(ReplicationTest, ABrokerThatIsDownIsOutUntilItIsBack) {
  replication.broker_went_down(2);
  EXPECT_EQ(in_sync(), (Brokers{1, 3}));
  EXPECT_EQ(partition().leader_epoch, 0);
  replication.broker_came_up(2);
  EXPECT_EQ(in_sync(), (Brokers{1, 2, 3}));
}

TEST_F(ReplicationTest, TheLastOneStays) {
  replication.elect(partition(), -1);
  for (const int broker : {1, 2, 3}) replication.broker_went_down(broker);
  EXPECT_EQ(in_sync(), (Brokers{3}));
}

TEST_F(ReplicationTest, ALeaderThatIsDownLeavesOnceAnotherLeads) {
  replication.broker_went_down(1);
  EXPECT_EQ(in_sync(), (Brokers{1, 2, 3}));
  replication.elect(partition(), 2);
  EXPECT_EQ(in_sync(), (Brokers{2, 3}));
}

TEST_F(ReplicationTest, NobodyCatchesUpWithALeaderThatIsDown) {
  replication.broker_went_down(2);
  replication.broker_went_down(1);
  replication.broker_came_up(2);
  EXPECT_EQ(in_sync(), (Brokers{1, 3}));
  replication.broker_came_up(1);
  EXPECT_EQ(in_sync(), (Brokers{1, 2, 3}));
}

TEST_F(ReplicationTest, WhomAScriptTookOutDoesNotComeBackByItself) {
  set({1, 3});
  replication.broker_went_down(2);
  replication.broker_came_up(2);
  EXPECT_EQ(in_sync(), (Brokers{1, 3}));
}

TEST_F(ReplicationTest, ANewPartitionIsNotInSyncWhereABrokerIsDown) {
  replication.broker_went_down(2);
  topics.create({.name = "new", .leaders = {1}});
  const Partition& made = *topics.find_partition("new", 0);
  EXPECT_EQ(made.in_sync.of(made.replicas), (Brokers{1, 3}));
}

TEST_F(ReplicationTest, TheMinimumIsNeverMoreThanThereAreReplicas) {
  EXPECT_EQ(replication.minimum(partition()), 2U);
  topics.create({.name = "strict", .configs = {{"min.insync.replicas", "9"}}});
  EXPECT_EQ(replication.minimum(*topics.find_partition("strict", 0)), 3U);
  configs.set(ConfigResource::kBroker, "", {{"min.insync.replicas", "2"}});
  topics.create({.name = "plain"});
  EXPECT_EQ(replication.minimum(*topics.find_partition("plain", 0)), 2U);
}

TEST_F(ReplicationTest, BelowTheMinimumTheHighWatermarkStands) {
  append();
  set({1});
  EXPECT_FALSE(replication.has_minimum(partition()));
  append();
  EXPECT_EQ(high_watermark(), 1);
  set({1, 2});
  EXPECT_EQ(high_watermark(), 2);
}

TEST_F(ReplicationTest, BeforeKafka37TheHighWatermarkWentOn) {
  stops_below_minimum = false;
  set({1});
  append();
  EXPECT_EQ(high_watermark(), 1);
}

TEST_F(ReplicationTest, AnotherMinimumCountsAtOnce) {
  set({1});
  append();
  topics.find("t")->configs["min.insync.replicas"] = "1";
  replication.configs_changed(*topics.find("t"));
  EXPECT_EQ(high_watermark(), 1);
}

TEST_F(ReplicationTest, WhoLeavesTooFewBehindMayLead) {
  set({1, 2});
  EXPECT_EQ(eligible(), Brokers{});
  append();
  set({1});
  EXPECT_EQ(eligible(), Brokers{2});
  set({1, 3});
  EXPECT_EQ(eligible(), Brokers{});
}

TEST_F(ReplicationTest, AHeldHighWatermarkStaysThroughAnElection) {
  append();
  replication.hold_high_watermark(partition());
  append();
  EXPECT_EQ(high_watermark(), 1);
  replication.elect(partition(), 2);
  EXPECT_EQ(high_watermark(), 1);
  EXPECT_EQ(partition().log.epoch_start(), 2);
  replication.release_high_watermark(partition());
  EXPECT_EQ(high_watermark(), 2);
}

TEST_F(ReplicationTest, AnElectionOfWhoIsInSyncLosesNothing) {
  append();
  replication.elect(partition(), 2);
  EXPECT_EQ(partition().log.end_offset(), 1);
  EXPECT_EQ(in_sync(), (Brokers{1, 2, 3}));
}

TEST_F(ReplicationTest, AnUncleanElectionLosesWhatTheNewLeaderDoesNotHave) {
  append();
  set({1, 3});
  append();
  append();
  replication.elect(partition(), 2);
  EXPECT_EQ(partition().log.end_offset(), 1);
  EXPECT_EQ(high_watermark(), 1);
  EXPECT_EQ(partition().leader_epoch, 1);
  const auto end = partition().log.end_of_epoch(0, 1);
  EXPECT_EQ(end.epoch, 0);
  EXPECT_EQ(end.end_offset, 1);
  EXPECT_EQ(in_sync(), (Brokers{1, 2, 3}));  // they throw theirs away and follow
  append();
  EXPECT_EQ(partition().log.epoch_of(1), 1);
}

TEST_F(ReplicationTest, WithTheRecordsGoTheirProducersAndTransactions) {
  append(an_idempotent_batch(0, 1));
  set({1, 3});
  append(an_idempotent_batch(1, 1));
  append(a_batch({.producer = {8, 0, 0}, .options = {.transactional = true}}));
  EXPECT_EQ(partition().last_stable_offset(), 2);
  replication.elect(partition(), 2);
  EXPECT_EQ(partition().last_stable_offset(), 1);
  const auto known = partition().producers.active();
  ASSERT_EQ(known.size(), 1U);
  EXPECT_EQ(known[0].producer_id, 7);
  EXPECT_EQ(known[0].last_sequence, 0);
}

TEST_F(ReplicationTest, WhatIsLeftOfTransactionsIsKnownAsBefore) {
  const auto of = [](std::int64_t producer) {
    return a_batch({.producer = {producer, 0, 0}, .options = {.transactional = true}});
  };
  append(of(7));
  append(of(8));
  write_marker(partition(), {7, 0}, false, 0, 1000);
  set({1, 3});
  write_marker(partition(), {8, 0}, true, 0, 1000);
  replication.elect(partition(), 2);
  EXPECT_EQ(partition().last_stable_offset(), 1);  // that of 8 is open again
  const auto aborted = partition().transactions.aborted_between(0, 3);
  ASSERT_EQ(aborted.size(), 1U);
  EXPECT_EQ(aborted[0].producer_id, 7);
}

TEST_F(ReplicationTest, WhoMayLeadIsInSyncThenEligibleThenAnybody) {
  EXPECT_EQ(replication.candidate(partition(), false), 1);
  set({1, 2});
  set({1});
  replication.elect(partition(), -1);
  replication.broker_went_down(1);
  EXPECT_EQ(replication.candidate(partition(), false), 2);
  replication.broker_went_down(2);
  EXPECT_EQ(replication.candidate(partition(), false), -1);
  EXPECT_EQ(replication.candidate(partition(), true), 3);
}

TEST_F(ReplicationTest, AFailedDiskTakesAReplicaOut) {
  ASSERT_TRUE(replication.set_online(partition(), 2, false));
  EXPECT_EQ(in_sync(), (Brokers{1, 3}));
  EXPECT_EQ(partition().offline, (Brokers{2}));
  ASSERT_TRUE(replication.set_online(partition(), 2, true));
  EXPECT_EQ(in_sync(), (Brokers{1, 2, 3}));
  EXPECT_FALSE(replication.set_online(partition(), 4, false));
}

TEST_F(ReplicationTest, AReassignmentForgetsWhoWasBehind) {
  set({1, 2});
  replication.reassign(partition(), {1, 2}, 1);
  EXPECT_TRUE(partition().in_sync.all());
  EXPECT_EQ(partition().leader_epoch, 1);  // one went
}

}  // namespace
}  // namespace ktrial::fakebroker
