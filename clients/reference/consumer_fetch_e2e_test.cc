// SPDX-License-Identifier: Apache-2.0
// Positions, records and errors of a consumer that assigns itself, against the fake cluster.
#include "clients/reference/consumer_for_test.h"
#include "protocol/api_info.h"

#include <thread>

namespace ktrial::client {
namespace {

std::size_t requests(Cluster& cluster, std::string_view api) {
  const auto* info = protocol::find_api(api);
  std::size_t count = 0;
  for (const auto& entry : cluster.ledger()) {
    count += entry.kind == fakebroker::LedgerEntry::Kind::kRequest && entry.api_key == info->key;
  }
  return count;
}

std::vector<std::int64_t> offsets(const Member& member) {
  std::vector<std::int64_t> all;
  for (const InRecord& record : member.records) all.push_back(record.offset);
  return all;
}

using Offsets = std::vector<std::int64_t>;

TEST(Consumer, SeeksForwardAndBackAndToTheEnds) {
  const auto cluster = a_cluster(1);
  ASSERT_TRUE(cluster->append("t", 0, 10, "v"));
  Member member(*cluster, {{"max.poll.records", "1"}});
  member.consumer->assign({{{"t", 0}, 8}});
  ASSERT_TRUE(poll_until({&member}, [&] { return member.records.size() == 2; }));
  member.consumer->seek({"t", 0}, 3);
  EXPECT_EQ(member.consumer->position({"t", 0}).value_or(-1), 3);
  ASSERT_TRUE(poll_until({&member}, [&] { return member.records.size() == 3; }));
  member.consumer->seek_to_beginning();
  ASSERT_TRUE(poll_until({&member}, [&] { return member.records.size() == 4; }));
  EXPECT_EQ(offsets(member), (Offsets{8, 9, 3, 0}));
  member.consumer->seek_to_end({{"t", 0}});
  EXPECT_EQ(member.consumer->position({"t", 0}).value_or(-1), 10);
  EXPECT_EQ(member.consumer->position({"t", 1}).error().code, "INVALID_STATE");
  member.close();
}

TEST(Consumer, KnowsBothEndsOfAPartition) {
  const auto cluster = a_cluster(2);
  ASSERT_TRUE(cluster->append("t", 1, 4, "v"));
  Member member(*cluster, {});
  const Partitions both{{"t", 0}, {"t", 1}};
  EXPECT_EQ(member.consumer->beginning_offsets(both).value(),
            (Positions{{{"t", 0}, 0}, {{"t", 1}, 0}}));
  EXPECT_EQ(member.consumer->end_offsets(both).value(), (Positions{{{"t", 0}, 0}, {{"t", 1}, 4}}));
  member.close();
}

TEST(Consumer, WaitsNoLongerThanItsApiTimeout) {
  const auto cluster = a_cluster(1);
  Member member(*cluster, {{"default.api.timeout.ms", "300"}});
  EXPECT_FALSE(member.consumer->end_offsets({{"no-such-topic", 0}}));
  member.consumer->assign({{{"t", 7}, {}}});
  EXPECT_EQ(member.consumer->position({"t", 7}).error().code, "TIMED_OUT");
  EXPECT_EQ(member.consumer->commit()->code, "INVALID_GROUP_ID");
  member.close();
}

TEST(Consumer, APausedPartitionKeepsItsRecordsUntilItIsResumed) {
  const auto cluster = a_cluster(2);
  ASSERT_TRUE(cluster->append("t", 0, 3, "v"));
  ASSERT_TRUE(cluster->append("t", 1, 3, "v"));
  Member member(*cluster, {});
  member.consumer->assign({{{"t", 0}, {}}, {{"t", 1}, {}}});
  member.consumer->pause({{"t", 0}});
  EXPECT_EQ(member.consumer->paused(), (Partitions{{"t", 0}}));
  ASSERT_TRUE(poll_until({&member}, [&] { return member.records.size() == 3; }));
  for (int i = 0; i < 4; ++i) member.poll();
  ASSERT_EQ(member.records.size(), 3U);
  for (const InRecord& record : member.records) EXPECT_EQ(record.at.partition, 1);
  member.consumer->resume({{"t", 0}});
  ASSERT_TRUE(poll_until({&member}, [&] { return member.records.size() == 6; }));
  member.close();
}

TEST(Consumer, WithoutAResetPolicyAPositionMustBeSaid) {
  const auto cluster = a_cluster(1);
  ASSERT_TRUE(cluster->append("t", 0, 2, "v"));
  Member member(*cluster, {{"auto.offset.reset", "none"}});
  member.consumer->assign({{{"t", 0}, {}}});
  ASSERT_TRUE(poll_until({&member}, [&] { return member.errors.size() == 2; }));
  EXPECT_EQ(member.errors.front(), "NO_OFFSET_FOR_PARTITION");
  member.consumer->seek({"t", 0}, 99);
  ASSERT_TRUE(poll_until({&member}, [&] { return member.errors.size() == 4; }));
  EXPECT_EQ(member.errors.back(), "OFFSET_OUT_OF_RANGE");
  member.consumer->seek({"t", 0}, 0);
  ASSERT_TRUE(poll_until({&member}, [&] { return member.records.size() == 2; }));
  member.close();
}

TEST(Consumer, AnOffsetOutOfRangeIsResetByThePolicy) {
  const auto cluster = a_cluster(1);
  ASSERT_TRUE(cluster->append("t", 0, 2, "v"));
  Member member(*cluster, {});
  member.consumer->assign({{{"t", 0}, 99}});
  ASSERT_TRUE(poll_until({&member}, [&] { return member.records.size() == 2; }));
  EXPECT_TRUE(member.errors.empty());
  member.close();
}

class AfterOneFetchError : public testing::TestWithParam<KafkaError> {};

TEST_P(AfterOneFetchError, GoesOnWithoutLossOrRepetition) {
  const auto cluster = a_cluster(2);
  ASSERT_TRUE(cluster->add_rule(answering("Fetch", GetParam(), 3, 2)));
  Member member(*cluster, {});
  member.consumer->assign({{{"t", 0}, {}}, {{"t", 1}, {}}});
  for (int round = 0; round < 10; ++round) {
    ASSERT_TRUE(cluster->append("t", round % 2, 1, "v"));
    const auto wanted = static_cast<std::size_t>(round + 1);
    ASSERT_TRUE(poll_until({&member}, [&] { return member.records.size() >= wanted; }));
  }
  EXPECT_EQ(member.records.size(), 10U);
  EXPECT_TRUE(member.errors.empty());
  EXPECT_EQ(cluster->rules().front().hits, 3U);
  member.close();
}

INSTANTIATE_TEST_SUITE_P(
    Errors, AfterOneFetchError,
    testing::Values(KafkaError::kFetchSessionIdNotFound, KafkaError::kInvalidFetchSessionEpoch,
                    KafkaError::kFetchSessionTopicIdError, KafkaError::kFencedLeaderEpoch,
                    KafkaError::kUnknownLeaderEpoch, KafkaError::kNotLeaderOrFollower,
                    KafkaError::kUnknownTopicId, KafkaError::kKafkaStorageError,
                    KafkaError::kUnknownServerError),
    [](const auto& error) { return std::string(name(error.param)); });

TEST(Consumer, FollowsALeaderThatMoves) {
  const auto cluster = a_cluster(1);
  ASSERT_TRUE(cluster->append("t", 0, 2, "v"));
  Member member(*cluster, {});
  member.consumer->assign({{{"t", 0}, {}}});
  ASSERT_TRUE(poll_until({&member}, [&] { return member.records.size() == 2; }));
  ASSERT_TRUE(cluster->move_leader("t", 0, 2));
  ASSERT_TRUE(cluster->append("t", 0, 2, "v"));
  ASSERT_TRUE(poll_until({&member}, [&] { return member.records.size() == 4; }));
  ASSERT_TRUE(cluster->move_leader("t", 0, 1));
  ASSERT_TRUE(cluster->append("t", 0, 2, "v"));
  ASSERT_TRUE(poll_until({&member}, [&] { return member.records.size() == 6; }));
  EXPECT_EQ(offsets(member), (Offsets{0, 1, 2, 3, 4, 5}));
  member.close();
}

TEST(Consumer, AStoppedBrokerIsFetchedFromAgainWhenItIsBack) {
  const auto cluster = a_cluster(1);
  Member member(*cluster, {});
  member.consumer->assign({{{"t", 0}, {}}});
  ASSERT_TRUE(cluster->append("t", 0, 1, "v"));
  ASSERT_TRUE(poll_until({&member}, [&] { return member.records.size() == 1; }));
  ASSERT_TRUE(cluster->stop_broker(1, fakebroker::CloseKind::kRst));
  for (int i = 0; i < 6; ++i) member.poll();
  ASSERT_TRUE(cluster->start_broker(1));
  ASSERT_TRUE(cluster->append("t", 0, 1, "v"));
  ASSERT_TRUE(poll_until({&member}, [&] { return member.records.size() == 2; }));
  member.close();
}

TEST(Consumer, ABrokerThatOnlyFailsIsNotAskedInABusyLoop) {
  for (const KafkaError error :
       {KafkaError::kNotLeaderOrFollower, KafkaError::kUnknownServerError,
        KafkaError::kFetchSessionIdNotFound, KafkaError::kOffsetOutOfRange}) {
    const auto cluster = a_cluster(1);
    ASSERT_TRUE(cluster->add_rule(answering("Fetch", error, 1'000'000)));
    Member member(*cluster, {{"retry.backoff.ms", "100"}});
    member.consumer->assign({{{"t", 0}, {}}});
    const auto until = SteadyClock::now() + Millis(500);
    while (SteadyClock::now() < until) member.poll();
    EXPECT_LE(requests(*cluster, "Fetch"), 15U) << name(error);
    EXPECT_LE(requests(*cluster, "Metadata"), 15U) << name(error);
    EXPECT_LE(requests(*cluster, "ListOffsets"), 15U) << name(error);
    member.close();
  }
}

TEST(Consumer, ACoordinatorThatOnlyFailsIsNotAskedInABusyLoop) {
  for (const char* api : {"FindCoordinator", "JoinGroup", "SyncGroup", "OffsetFetch"}) {
    const auto cluster = a_cluster(1);
    ASSERT_TRUE(cluster->add_rule(answering(api, KafkaError::kCoordinatorLoadInProgress, 100'000)));
    Member member(*cluster, {{"group.id", "g"}, {"retry.backoff.ms", "100"}});
    member.consumer->subscribe({"t"});
    const auto until = SteadyClock::now() + Millis(500);
    while (SteadyClock::now() < until) member.poll();
    EXPECT_LE(requests(*cluster, api), 15U) << api;
    EXPECT_GE(requests(*cluster, api), 2U) << api;
    member.close();
  }
}

class ClosingInTime : public testing::TestWithParam<std::string> {};

TEST_P(ClosingInTime, EndsThoughNobodyAnswers) {
  const auto cluster = a_cluster(1);
  Member member(*cluster, {{"group.id", "g"}, {"group.protocol", GetParam()}});
  member.consumer->subscribe({"t"});
  ASSERT_TRUE(cluster->append("t", 0, 3, "v"));
  ASSERT_TRUE(poll_until({&member}, [&] { return member.records.size() == 3; }));
  Rule silence;
  silence.id = "silence";
  silence.action.drop = true;
  ASSERT_TRUE(cluster->add_rule(silence));
  const auto began = SteadyClock::now();
  member.consumer->close(Millis(400));
  EXPECT_LT(SteadyClock::now() - began, std::chrono::seconds(2));
  EXPECT_EQ(member.count(RebalanceKind::kAssigned), 1U);
}

TEST_P(ClosingInTime, EndsThoughAllBrokersAreGone) {
  const auto cluster = a_cluster(1);
  Member member(*cluster, {{"group.id", "g"}, {"group.protocol", GetParam()}});
  member.consumer->subscribe({"t"});
  ASSERT_TRUE(poll_until({&member}, [&] { return member.has().size() == 1; }));
  ASSERT_TRUE(cluster->stop_broker(1, fakebroker::CloseKind::kRst));
  ASSERT_TRUE(cluster->stop_broker(2, fakebroker::CloseKind::kRst));
  for (int i = 0; i < 4; ++i) member.poll();
  const auto began = SteadyClock::now();
  member.consumer->close(Millis(400));
  EXPECT_LT(SteadyClock::now() - began, std::chrono::seconds(2));
}

TEST_P(ClosingInTime, EndsWhileTheGroupRebalances) {
  const auto cluster = a_cluster(1);
  Member member(*cluster, {{"group.id", "g"}, {"group.protocol", GetParam()}});
  Rule slow;
  slow.id = "slow";
  slow.match.apis = {GetParam() == "classic" ? "JoinGroup" : "ConsumerGroupHeartbeat"};
  slow.action.drop = true;
  ASSERT_TRUE(cluster->add_rule(slow));
  member.consumer->subscribe({"t"});
  for (int i = 0; i < 4; ++i) member.poll();
  const auto began = SteadyClock::now();
  member.consumer->close(Millis(400));
  EXPECT_LT(SteadyClock::now() - began, std::chrono::seconds(2));
}

INSTANTIATE_TEST_SUITE_P(Consumers, ClosingInTime, testing::Values("classic", "consumer"),
                         [](const auto& protocol) { return protocol.param; });

TEST(Consumer, AStaticMemberDoesNotLeaveWhenItIsClosed) {
  const auto cluster = a_cluster(1);
  Member member(*cluster, {{"group.id", "g"}, {"group.instance.id", "i"}});
  member.consumer->subscribe({"t"});
  ASSERT_TRUE(poll_until({&member}, [&] { return member.has().size() == 1; }));
  member.close();
  EXPECT_EQ(requests(*cluster, "LeaveGroup"), 0U);
  EXPECT_EQ(requests(*cluster, "JoinGroup"), 1U);
}

TEST(Consumer, APollFromAnotherThreadEndsWhenTheConsumerIsClosed) {
  const auto cluster = a_cluster(1);
  Member member(*cluster, {{"group.id", "g"}});
  member.consumer->subscribe({"t"});
  std::thread poller([&] { member.consumer->poll(std::chrono::seconds(30)); });
  std::this_thread::sleep_for(Millis(100));
  const auto began = SteadyClock::now();
  member.close();
  poller.join();
  EXPECT_LT(SteadyClock::now() - began, std::chrono::seconds(6));
  EXPECT_EQ(member.consumer->poll(Millis(10)).error->code, "CLOSED");
}

}  // namespace
}  // namespace ktrial::client
