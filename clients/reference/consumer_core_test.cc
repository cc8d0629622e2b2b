// SPDX-License-Identifier: Apache-2.0
// A consumer's state machine on a clock that the test moves, against a broker that the test
// scripts: periods, limits, and what requests say.
#include "clients/reference/consumer_core.h"

#include "clients/reference/scripted_broker_for_test.h"
#include "protocol/consumer_protocol.h"
#include "protocol/messages/consumer_group_heartbeat_request.h"
#include "protocol/messages/consumer_group_heartbeat_response.h"
#include "protocol/messages/find_coordinator_request.h"
#include "protocol/messages/heartbeat_request.h"
#include "protocol/messages/heartbeat_response.h"
#include "protocol/messages/join_group_request.h"
#include "protocol/messages/join_group_response.h"
#include "protocol/messages/leave_group_request.h"
#include "protocol/messages/leave_group_response.h"
#include "protocol/messages/list_offsets_request.h"
#include "protocol/messages/metadata_request.h"
#include "protocol/messages/offset_commit_request.h"
#include "protocol/messages/offset_fetch_request.h"
#include "protocol/messages/sync_group_request.h"
#include "protocol/messages/sync_group_response.h"
#include "protocol/record_batch_builder.h"

#include <gtest/gtest.h>

namespace ktrial::client {
namespace {

using namespace protocol;  // NOLINT: this file is little else than messages

constexpr Millis kAnswer{2};  // there and back

Uuid topic_id() {
  Uuid id;
  id.bytes[0] = 7;
  return id;
}

Slice a_batch(std::int64_t base, int count) {
  RecordBatchBuilder builder({.base_offset = base});
  const std::vector<std::uint8_t> value{'v'};
  for (int i = 0; i < count; ++i) builder.append(1, std::nullopt, value);
  return Slice(builder.finish().value());
}

// Topic t of one partition, led by broker 1; broker 2 follows. Both are the scripted one.
class ConsumerOnAClock : public testing::Test {
 protected:
  ConsumerOnAClock() {
    broker_.on<MetadataRequest, MetadataResponse>([](const auto&, int) {
      MetadataResponse response;
      for (int id = 1; id <= 2; ++id) {
        auto& each = response.brokers.emplace_back();
        each.node_id = id;
        each.host = "b";
        each.port = 9'000 + id;
      }
      auto& topic = response.topics.emplace_back();
      topic.name = "t";
      topic.topic_id = topic_id();
      auto& partition = topic.partitions.emplace_back();
      partition.leader_id = 1;
      partition.leader_epoch = 5;
      return std::optional(response);
    });
    broker_.on<FindCoordinatorRequest, FindCoordinatorResponse>([](const auto&, int) {
      FindCoordinatorResponse response;
      response.node_id = 2;
      response.host = "b";
      response.port = 9'002;
      return std::optional(response);
    });
    broker_.on<ListOffsetsRequest, ListOffsetsResponse>([](const auto&, int) {
      ListOffsetsResponse response;
      auto& topic = response.topics.emplace_back();
      topic.name = "t";
      topic.partitions.emplace_back().offset = 0;
      return std::optional(response);
    });
    broker_.on<OffsetFetchRequest, OffsetFetchResponse>([](const auto&, int) {
      OffsetFetchResponse response;
      response.groups.emplace_back();
      return std::optional(response);
    });
    broker_.on<OffsetCommitRequest, OffsetCommitResponse>([this](const auto& request, int) {
      commits_.push_back(request);
      return std::optional(OffsetCommitResponse());
    });
    broker_.on<FetchRequest, FetchResponse>([this](const auto& request, int port) {
      fetches_.emplace_back(port, request);
      FetchResponse response;
      if (!answers_.empty()) {
        response = std::move(answers_.front());
        answers_.pop_front();
      }
      return std::optional(response);
    });
  }

  void start(std::map<std::string, std::string> settings) {
    settings.insert({{"bootstrap.servers", "b:9001"}, {"auto.offset.reset", "earliest"}});
    config_ = parse_config(Role::kConsumer, settings).value();
    core_.emplace(env_);
    core_->start([this](RebalanceKind kind, const auto&, const std::function<void()>& done) {
      told_.push_back(kind);
      done();
    });
  }
  void pass(Nanos time) { clock_.advance(time); }
  Polled poll(Millis timeout) {
    Polled result;
    core_->poll(timeout, [&](Polled polled) { result = std::move(polled); });
    pass(timeout);
    return result;
  }
  // A Fetch answer about partition 0.
  fetch_response::PartitionData& will_answer(std::int32_t session = 0) {
    FetchResponse& response = answers_.emplace_back();
    response.session_id = session;
    auto& topic = response.responses.emplace_back();
    topic.topic = "t";
    topic.topic_id = topic_id();
    return topic.partitions.emplace_back();
  }

  void classic_group() {
    broker_.on<JoinGroupRequest, JoinGroupResponse>([this](const auto& request, int) {
      joins_.push_back(request);
      JoinGroupResponse response;
      response.member_id = response.leader = "me";
      response.generation_id = 3;
      response.protocol_name = "range";
      auto& member = response.members.emplace_back();
      member.member_id = "me";
      member.metadata = request.protocols.front().metadata;
      return std::optional(response);
    });
    broker_.on<SyncGroupRequest, SyncGroupResponse>([](const auto& request, int) {
      SyncGroupResponse response;
      response.assignment = request.assignments.front().assignment;
      return std::optional(response);
    });
    broker_.on<HeartbeatRequest, HeartbeatResponse>([this](const auto&, int) {
      HeartbeatResponse response;
      return silent_ ? std::nullopt : std::optional(response);
    });
    broker_.on<LeaveGroupRequest, LeaveGroupResponse>(
        [](const auto&, int) { return std::optional(LeaveGroupResponse()); });
  }

  void new_group() {
    broker_.on<ConsumerGroupHeartbeatRequest, ConsumerGroupHeartbeatResponse>(
        [this](const auto& request, int) {
          heartbeats_.push_back(request);
          ConsumerGroupHeartbeatResponse response;
          response.member_epoch = request.member_epoch == 0 ? 4 : request.member_epoch;
          response.heartbeat_interval_ms = 700;
          response.error_code = std::exchange(next_error_, std::int16_t{0});
          if (request.member_epoch == 0) {
            auto& topic = response.assignment.emplace().topic_partitions.emplace_back();
            topic.topic_id = topic_id();
            topic.partitions = {0};
          }
          return std::optional(response);
        });
  }

  ManualClock clock_;
  ScriptedBroker broker_{clock_};
  Rng rng_{1, "test"};
  Config config_;
  Env env_{clock_, clock_, broker_, rng_, config_};
  std::vector<RebalanceKind> told_;
  std::vector<std::pair<int, FetchRequest>> fetches_;
  std::deque<FetchResponse> answers_;
  std::vector<OffsetCommitRequest> commits_;
  std::vector<JoinGroupRequest> joins_;
  std::vector<ConsumerGroupHeartbeatRequest> heartbeats_;
  std::int16_t next_error_ = 0;
  bool silent_ = false;
  std::optional<ConsumerCore> core_;
};

TEST_F(ConsumerOnAClock, SendsHeartbeatsAtTheirIntervalThoughNobodyPolls) {
  classic_group();
  start({{"group.id", "g"}, {"heartbeat.interval.ms", "500"}, {"fetch.max.wait.ms", "10"}});
  core_->subscribe({"t"});
  poll(Millis(100));
  ASSERT_EQ(told_, (std::vector{RebalanceKind::kAssigned}));
  const std::size_t before = broker_.count<HeartbeatRequest>();
  pass(std::chrono::seconds(10));
  EXPECT_EQ(broker_.count<HeartbeatRequest>() - before, 20U);
}

TEST_F(ConsumerOnAClock, OffersItsAssignorsInOrderWithWhatItOwns) {
  classic_group();
  start({{"group.id", "g"}});
  core_->subscribe({"t"});
  poll(Millis(100));
  ASSERT_EQ(joins_.size(), 1U);
  ASSERT_EQ(joins_[0].protocols.size(), 2U);
  EXPECT_EQ(joins_[0].protocols[0].name, "range");
  EXPECT_EQ(joins_[0].protocols[1].name, "cooperative-sticky");
  const auto said = decode_subscription(joins_[0].protocols[1].metadata);
  ASSERT_TRUE(said);
  EXPECT_EQ(said->topics, (std::vector<std::string>{"t"}));
  EXPECT_TRUE(said->owned_partitions.empty());
}

TEST_F(ConsumerOnAClock, LeavesAfterMaxPollInterval) {
  classic_group();
  start({{"group.id", "g"}, {"max.poll.interval.ms", "2000"}});
  core_->subscribe({"t"});
  poll(Millis(100));
  pass(Millis(1'990));
  EXPECT_EQ(broker_.count<LeaveGroupRequest>(), 0U);
  pass(Millis(20));
  EXPECT_EQ(broker_.count<LeaveGroupRequest>(), 1U);
  const std::size_t heartbeats = broker_.count<HeartbeatRequest>();
  pass(std::chrono::seconds(20));
  EXPECT_EQ(broker_.count<HeartbeatRequest>(), heartbeats);
  EXPECT_EQ(joins_.size(), 1U);
  poll(Millis(500));
  EXPECT_EQ(joins_.size(), 2U);
  EXPECT_EQ(told_, (std::vector{RebalanceKind::kAssigned, RebalanceKind::kLost,
                                RebalanceKind::kAssigned}));
}

TEST_F(ConsumerOnAClock, LooksForTheCoordinatorWhenTheSessionIsOverWithoutAnAnswer) {
  classic_group();
  start({{"group.id", "g"}, {"session.timeout.ms", "6000"}, {"heartbeat.interval.ms", "1000"}});
  core_->subscribe({"t"});
  poll(Millis(100));
  silent_ = true;
  pass(Millis(5'000));
  EXPECT_EQ(broker_.count<FindCoordinatorRequest>(), 1U);
  pass(Millis(3'000));
  EXPECT_GE(broker_.count<FindCoordinatorRequest>(), 2U);
}

TEST_F(ConsumerOnAClock, CommitsByItselfOnlyWhatTheApplicationIsDoneWith) {
  classic_group();
  start({{"group.id", "g"}, {"auto.commit.interval.ms", "1000"}});
  core_->subscribe({"t"});
  will_answer().records = a_batch(0, 3);
  EXPECT_EQ(poll(Millis(200)).size(), 3U);
  pass(Millis(1'500));
  // Its position was known before, but the three records may still be in work.
  for (const auto& commit : commits_) {
    EXPECT_EQ(commit.topics.front().partitions.front().committed_offset, 0);
  }
  poll(Millis(10));
  pass(Millis(1'500));
  ASSERT_FALSE(commits_.empty());
  EXPECT_EQ(commits_.back().topics.front().partitions.front().committed_offset, 3);
  EXPECT_EQ(commits_.back().generation_id_or_member_epoch, 3);
  EXPECT_EQ(commits_.back().member_id, "me");
}

TEST_F(ConsumerOnAClock, ANewGroupsHeartbeatsKeepTheIntervalOfTheReply) {
  new_group();
  start({{"group.id", "g"}, {"group.protocol", "consumer"}});
  core_->subscribe({"t"});
  poll(Millis(100));
  const std::size_t before = heartbeats_.size();
  pass(Millis(7'000));
  EXPECT_EQ(heartbeats_.size() - before, 10U);
}

TEST_F(ConsumerOnAClock, ANewGroupsMemberTellsAllOnceAndThenWhatChanged) {
  new_group();
  start({{"group.id", "g"}, {"group.protocol", "consumer"}});
  core_->subscribe({"t"});
  poll(Millis(100));
  pass(Millis(700));
  ASSERT_GE(heartbeats_.size(), 3U);
  const auto& join = heartbeats_[0];
  EXPECT_EQ(join.member_id.size(), 22U);
  EXPECT_EQ(join.member_epoch, 0);
  EXPECT_EQ(join.rebalance_timeout_ms, 300'000);
  EXPECT_EQ(join.subscribed_topic_names, (std::vector<std::string>{"t"}));
  EXPECT_TRUE(join.topic_partitions && join.topic_partitions->empty());
  const auto& acknowledged = heartbeats_[1];
  EXPECT_EQ(acknowledged.member_id, join.member_id);
  EXPECT_EQ(acknowledged.member_epoch, 4);
  ASSERT_TRUE(acknowledged.topic_partitions && acknowledged.topic_partitions->size() == 1);
  EXPECT_EQ(acknowledged.topic_partitions->front().topic_id, topic_id());
  EXPECT_FALSE(acknowledged.subscribed_topic_names);
  EXPECT_EQ(acknowledged.rebalance_timeout_ms, -1);
  EXPECT_FALSE(heartbeats_[2].topic_partitions);
}

TEST_F(ConsumerOnAClock, AFencedMemberBeginsAgainWithTheSameId) {
  new_group();
  start({{"group.id", "g"}, {"group.protocol", "consumer"}});
  core_->subscribe({"t"});
  poll(Millis(100));
  const std::size_t before = heartbeats_.size();
  next_error_ = code(KafkaError::kFencedMemberEpoch);
  poll(Millis(800));
  ASSERT_GE(heartbeats_.size(), before + 2);
  EXPECT_EQ(heartbeats_[before + 1].member_epoch, 0);
  EXPECT_EQ(heartbeats_[before + 1].member_id, heartbeats_[0].member_id);
  EXPECT_TRUE(heartbeats_[before + 1].subscribed_topic_names);
  EXPECT_EQ(told_, (std::vector{RebalanceKind::kAssigned, RebalanceKind::kLost,
                                RebalanceKind::kAssigned}));
}

TEST_F(ConsumerOnAClock, MembersOfNewGroupsLeaveByTheirEpoch) {
  new_group();
  start({{"group.id", "g"}, {"group.protocol", "consumer"}, {"group.instance.id", "i"}});
  core_->subscribe({"t"});
  poll(Millis(100));
  bool closed = false;
  core_->close(Millis(1'000), [&] { closed = true; });
  pass(Millis(100));
  EXPECT_TRUE(closed);
  EXPECT_EQ(heartbeats_.back().member_epoch, -2);
  EXPECT_EQ(heartbeats_.back().instance_id, "i");
}

TEST_F(ConsumerOnAClock, FetchesByTopicIdAndLeaderEpochInOneSession) {
  start({});
  core_->assign({{{"t", 0}, 0}});
  will_answer(9).records = a_batch(0, 2);
  EXPECT_EQ(poll(Millis(50)).size(), 2U);
  will_answer(9).records = a_batch(2, 1);
  EXPECT_EQ(poll(Millis(50)).size(), 1U);
  ASSERT_EQ(fetches_.size(), 2U);
  const auto& asked = fetches_[1].second;
  EXPECT_EQ(asked.session_id, 9);
  EXPECT_EQ(asked.session_epoch, 1);
  ASSERT_EQ(asked.topics.size(), 1U);
  EXPECT_EQ(asked.topics[0].topic_id, topic_id());
  EXPECT_EQ(asked.topics[0].partitions[0].fetch_offset, 2);
  EXPECT_EQ(asked.topics[0].partitions[0].current_leader_epoch, 5);
  bool closed = false;
  core_->close(Millis(1'000), [&] { closed = true; });
  pass(Millis(100));
  EXPECT_TRUE(closed);
  EXPECT_EQ(fetches_.back().second.session_epoch, -1);
}

TEST_F(ConsumerOnAClock, FetchesByNameFromABrokerThatDoesNotKnowIds) {
  broker_.on<FetchRequest, FetchResponse>(
      [this](const auto& request, int port) {
        fetches_.emplace_back(port, request);
        FetchResponse response;
        auto& topic = response.responses.emplace_back();
        topic.topic = "t";
        topic.partitions.emplace_back().records =
            a_batch(request.topics.front().partitions.front().fetch_offset, 1);
        return std::optional(response);
      },
      11);
  start({});
  core_->assign({{{"t", 0}, 0}});
  EXPECT_EQ(poll(Millis(50)).size(), 1U);
  EXPECT_EQ(poll(Millis(50)).size(), 1U);
  EXPECT_EQ(fetches_[1].second.topics.front().topic, "t");
  EXPECT_EQ(fetches_[1].second.topics.front().partitions.front().fetch_offset, 1);
}

TEST_F(ConsumerOnAClock, FetchesFromThePreferredReplicaUntilItFails) {
  start({{"client.rack", "r"}});
  core_->assign({{{"t", 0}, 0}});
  will_answer().preferred_read_replica = 2;
  will_answer().records = a_batch(0, 1);
  EXPECT_EQ(poll(Millis(50)).size(), 1U);
  ASSERT_EQ(fetches_.size(), 2U);
  EXPECT_EQ(fetches_[0].first, 9'001);
  EXPECT_EQ(fetches_[0].second.rack_id, "r");
  EXPECT_EQ(fetches_[1].first, 9'002);
  will_answer().error_code = code(KafkaError::kOffsetOutOfRange);
  will_answer().records = a_batch(1, 1);
  EXPECT_EQ(poll(Millis(500)).size(), 1U);
  ASSERT_EQ(fetches_.size(), 4U);
  EXPECT_EQ(fetches_[2].first, 9'002);
  EXPECT_EQ(fetches_[3].first, 9'001);
}

TEST_F(ConsumerOnAClock, ABrokersHintAboutTheLeaderIsFollowedAtOnce) {
  start({});
  core_->assign({{{"t", 0}, 0}});
  auto& moved = will_answer();
  moved.error_code = code(KafkaError::kNotLeaderOrFollower);
  moved.current_leader.leader_id = 2;
  moved.current_leader.leader_epoch = 6;
  will_answer().records = a_batch(0, 1);
  EXPECT_EQ(poll(Millis(20)).size(), 1U);
  EXPECT_EQ(fetches_[1].first, 9'002);
  EXPECT_EQ(fetches_[1].second.topics[0].partitions[0].current_leader_epoch, 6);
}

TEST_F(ConsumerOnAClock, ACorruptBatchFailsEveryPollUntilASeek) {
  start({});
  core_->assign({{{"t", 0}, 0}});
  const Slice bad = a_batch(2, 1);
  std::vector<std::uint8_t> bytes(bad.span().begin(), bad.span().end());
  bytes.back() ^= 1U;
  const Slice good = a_batch(0, 2);
  bytes.insert(bytes.begin(), good.span().begin(), good.span().end());
  will_answer().records = Slice(bytes);
  EXPECT_EQ(poll(Millis(50)).size(), 2U);
  for (int i = 0; i < 2; ++i) {
    const Polled polled = poll(Millis(50));
    ASSERT_TRUE(polled.error);
    EXPECT_EQ(polled.error->code, "CORRUPT_MESSAGE");
    EXPECT_NE(polled.error->message.find("t-0 at offset 2"), std::string::npos);
  }
  core_->seek({"t", 0}, 3);
  will_answer().records = a_batch(3, 1);
  EXPECT_EQ(poll(Millis(50)).size(), 1U);
}

TEST_F(ConsumerOnAClock, AnAnswerToWhatWasAskedBeforeASeekIsDropped) {
  start({});
  core_->assign({{{"t", 0}, 0}});
  will_answer().records = a_batch(0, 1);
  will_answer().records = a_batch(0, 1);
  Polled result;
  poll(Millis(50));
  core_->poll(Millis(50), [&](Polled polled) { result = std::move(polled); });
  core_->seek({"t", 0}, 40);  // one asked at offset 1 is under way
  will_answer().records = a_batch(40, 1);
  pass(Millis(50));
  ASSERT_EQ(result.size(), 1U);
  EXPECT_EQ(result.records.front().offset, 40);
}

}  // namespace
}  // namespace ktrial::client
