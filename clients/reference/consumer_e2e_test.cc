// SPDX-License-Identifier: Apache-2.0
// Consumers of the reference client against the fake cluster, in groups of both protocols.
#include "clients/reference/consumer_for_test.h"

namespace ktrial::client {
namespace {

class InAGroup : public testing::TestWithParam<std::string> {
 protected:
  static Settings group() { return {{"group.id", "g"}, {"group.protocol", GetParam()}}; }
  static Settings group(const std::string& key, const std::string& value) {
    Settings settings = group();
    settings[key] = value;
    return settings;
  }
};

TEST_P(InAGroup, ConsumesAndGoesOnWhereTheGroupLeftOff) {
  const auto cluster = a_cluster(2);
  ASSERT_TRUE(cluster->append("t", 0, 10, "v"));
  ASSERT_TRUE(cluster->append("t", 1, 10, "v"));
  {
    Member first(*cluster, group());
    first.consumer->subscribe({"t"});
    ASSERT_TRUE(poll_until({&first}, [&] { return first.records.size() == 20; }));
    first.close();
    EXPECT_EQ(first.count(RebalanceKind::kAssigned), 1U);
    EXPECT_EQ(first.count(RebalanceKind::kRevoked), 1U);
  }
  ASSERT_TRUE(cluster->append("t", 0, 1, "new"));
  Member second(*cluster, group());
  second.consumer->subscribe({"t"});
  ASSERT_TRUE(poll_until({&second}, [&] { return !second.records.empty(); }));
  EXPECT_EQ(second.records.front().offset, 10);
  EXPECT_EQ(second.records.size(), 1U);
  second.close();
}

TEST_P(InAGroup, SharesPartitionsAndTakesThemOverWhenAMemberLeaves) {
  const auto cluster = a_cluster(4);
  Member a(*cluster, group());
  Member b(*cluster, group());
  a.consumer->subscribe({"t"});
  ASSERT_TRUE(poll_until({&a}, [&] { return a.has().size() == 4; }));
  b.consumer->subscribe({"t"});
  ASSERT_TRUE(poll_until({&a, &b}, [&] { return a.has().size() == 2 && b.has().size() == 2; }));
  Partitions both = a.has();
  both.merge(b.has());
  EXPECT_EQ(both.size(), 4U);
  b.close();
  ASSERT_TRUE(poll_until({&a}, [&] { return a.has().size() == 4; }));
  a.close();
}

TEST_P(InAGroup, JoinsAgainWhenTheCoordinatorHasForgottenIt) {
  const auto cluster = a_cluster(1);
  const bool classic = GetParam() == "classic";
  ASSERT_TRUE(cluster->add_rule(answering(classic ? "Heartbeat" : "ConsumerGroupHeartbeat",
                                          KafkaError::kUnknownMemberId, 1, classic ? 1 : 3)));
  // The rebalance timeout: the fake coordinator waits that long for the member it still has.
  Member member(*cluster, group("max.poll.interval.ms", "500"));
  member.consumer->subscribe({"t"});
  ASSERT_TRUE(poll_until({&member}, [&] { return member.count(RebalanceKind::kAssigned) == 2; }));
  EXPECT_EQ(member.count(RebalanceKind::kLost), 1U);
  EXPECT_EQ(member.count(RebalanceKind::kRevoked), 0U);
  EXPECT_TRUE(member.errors.empty());
  member.close();
}

TEST_P(InAGroup, FollowsTheCoordinatorWhenItMoves) {
  const auto cluster = a_cluster(1);
  ASSERT_TRUE(cluster->move_coordinator(1));
  Member member(*cluster, group());
  member.consumer->subscribe({"t"});
  ASSERT_TRUE(poll_until({&member}, [&] { return member.has().size() == 1; }));
  ASSERT_TRUE(cluster->move_coordinator(2));
  ASSERT_TRUE(cluster->append("t", 0, 3, "v"));
  ASSERT_TRUE(poll_until({&member}, [&] { return member.records.size() == 3; }));
  EXPECT_FALSE(member.consumer->commit());
  member.close();
}

TEST_P(InAGroup, AStaticMemberThatIsFencedFailsForGood) {
  const auto cluster = a_cluster(1);
  const bool classic = GetParam() == "classic";
  Member member(*cluster, group("group.instance.id", "i"));
  member.consumer->subscribe({"t"});
  ASSERT_TRUE(poll_until({&member}, [&] { return member.has().size() == 1; }));
  ASSERT_TRUE(cluster->add_rule(
      answering(classic ? "Heartbeat" : "ConsumerGroupHeartbeat", KafkaError::kFencedInstanceId)));
  ASSERT_TRUE(poll_until({&member}, [&] { return member.errors.size() >= 3; }));
  EXPECT_EQ(std::set<std::string>(member.errors.begin(), member.errors.end()),
            (std::set<std::string>{"FENCED_INSTANCE_ID"}));
  EXPECT_EQ(member.consumer->commit()->code, "FENCED_INSTANCE_ID");
  member.close();
}

TEST_P(InAGroup, LeavesWhenTheApplicationStopsPollingAndComesBackWhenItPolls) {
  const auto cluster = a_cluster(2);
  Member lazy(*cluster, group("max.poll.interval.ms", "600"));
  Member busy(*cluster, group());
  lazy.consumer->subscribe({"t"});
  busy.consumer->subscribe({"t"});
  ASSERT_TRUE(
      poll_until({&lazy, &busy}, [&] { return lazy.has().size() == 1 && busy.has().size() == 1; }));
  ASSERT_TRUE(poll_until({&busy}, [&] { return busy.has().size() == 2; }));
  EXPECT_EQ(lazy.count(RebalanceKind::kLost), 0U);  // it hears of it when it polls
  ASSERT_TRUE(
      poll_until({&lazy, &busy}, [&] { return lazy.has().size() == 1 && busy.has().size() == 1; }));
  EXPECT_EQ(lazy.count(RebalanceKind::kLost), 1U);
  lazy.close();
  busy.close();
}

TEST_P(InAGroup, CommitsWhatItIsToldAndReadsItBack) {
  const auto cluster = a_cluster(2);
  Member member(*cluster, group("enable.auto.commit", "false"));
  member.consumer->subscribe({"t"});
  ASSERT_TRUE(poll_until({&member}, [&] { return member.has().size() == 2; }));
  EXPECT_FALSE(member.consumer->commit(Positions{{{"t", 0}, 7}}));
  const auto committed = member.consumer->committed({{"t", 0}, {"t", 1}});
  ASSERT_TRUE(committed);
  EXPECT_EQ(*committed, (Positions{{{"t", 0}, 7}}));
  bool called = false;
  member.consumer->commit_async(Positions{{{"t", 1}, 9}}, [&](const auto& error) {
    EXPECT_FALSE(error);
    called = true;
  });
  ASSERT_TRUE(poll_until({&member}, [&] { return called; }));
  member.close();
}

TEST_P(InAGroup, ACallbackMayCommitBeforeItsPartitionsGo) {
  const auto cluster = a_cluster(2);
  ASSERT_TRUE(cluster->append("t", 0, 5, "v"));
  std::optional<ClientError> failure;
  bool committed = false;
  std::unique_ptr<Consumer> consumer;
  Settings settings = group("enable.auto.commit", "false");
  settings.insert(
      {{"bootstrap.servers", cluster->bootstrap_servers()}, {"auto.offset.reset", "earliest"}});
  consumer = std::move(
      *Consumer::create(settings, [&](RebalanceKind kind, const std::vector<TopicPartition>&) {
        if (kind != RebalanceKind::kRevoked) return;
        failure = consumer->commit();
        committed = true;
      }));
  consumer->subscribe({"t"});
  std::size_t records = 0;
  for (int i = 0; i < 100 && records < 5; ++i) records += consumer->poll(Millis(100)).size();
  consumer->close(std::chrono::seconds(5));
  EXPECT_TRUE(committed);
  EXPECT_FALSE(failure);
  Member next(*cluster, group());
  next.consumer->assign({{{"t", 0}, {}}});
  EXPECT_EQ(next.consumer->position({"t", 0}).value_or(-1), 5);
  next.close();
}

TEST_P(InAGroup, RecordsBelongToOneMemberAtATimeThroughRebalances) {
  const auto cluster = a_cluster(6);
  for (int partition = 0; partition < 6; ++partition) {
    ASSERT_TRUE(cluster->append("t", partition, 20, "v"));
  }
  std::vector<std::unique_ptr<Member>> members;
  const auto all = [&] {
    std::vector<Member*> list;
    for (const auto& member : members) list.push_back(member.get());
    return list;
  };
  for (int i = 0; i < 3; ++i) {
    members.push_back(std::make_unique<Member>(*cluster, group("max.poll.records", "7")));
    members.back()->consumer->subscribe({"t"});
    ASSERT_TRUE(poll_until(all(), [&] { return !members.back()->has().empty(); }));
  }
  const auto seen = [&] {
    std::map<std::pair<TopicPartition, std::int64_t>, int> times;
    for (const auto& member : members) {
      for (const InRecord& record : member->records) ++times[{record.at, record.offset}];
    }
    return times;
  };
  ASSERT_TRUE(poll_until(all(), [&] { return seen().size() == 120; }));
  for (const auto& [place, times] : seen()) EXPECT_EQ(times, 1);
  for (const auto& member : members) member->close();
}

INSTANTIATE_TEST_SUITE_P(Consumers, InAGroup, testing::Values("classic", "consumer"),
                         [](const auto& protocol) { return protocol.param; });

TEST(ConsumerGroups, ACooperativeMemberKeepsWhatItNeedNotGiveUp) {
  const auto cluster = a_cluster(4);
  const Settings settings{{"group.id", "g"},
                          {"partition.assignment.strategy", "cooperative-sticky"}};
  Member a(*cluster, settings);
  Member b(*cluster, settings);
  a.consumer->subscribe({"t"});
  ASSERT_TRUE(poll_until({&a}, [&] { return a.has().size() == 4; }));
  b.consumer->subscribe({"t"});
  ASSERT_TRUE(poll_until({&a, &b}, [&] { return a.has().size() == 2 && b.has().size() == 2; }));
  Partitions revoked;
  for (const auto& [kind, partitions] : a.told) {
    if (kind == RebalanceKind::kRevoked) revoked.insert(partitions.begin(), partitions.end());
  }
  EXPECT_EQ(revoked.size(), 2U);
  EXPECT_EQ(revoked, b.has());
  a.close();
  b.close();
}

TEST(ConsumerGroups, TheNewProtocolIsRefusedWhereTheBrokerDoesNotSpeakIt) {
  fakebroker::ClusterSpec spec;
  spec.brokers.push_back({.id = 1});
  spec.topics.push_back({.name = "t"});
  spec.consumer_groups = false;
  const auto cluster = std::move(*Cluster::start(std::move(spec)));
  Member member(*cluster, {{"group.id", "g"}, {"group.protocol", "consumer"}});
  member.consumer->subscribe({"t"});
  ASSERT_TRUE(poll_until({&member}, [&] { return !member.errors.empty(); }));
  EXPECT_EQ(member.errors.front(), "UNSUPPORTED_VERSION");
  member.close();
}

TEST(ConsumerGroups, AnUnknownServerAssignorIsTheBrokersWord) {
  const auto cluster = a_cluster(1);
  Member member(
      *cluster,
      {{"group.id", "g"}, {"group.protocol", "consumer"}, {"group.remote.assignor", "mine"}});
  member.consumer->subscribe({"t"});
  ASSERT_TRUE(poll_until({&member}, [&] { return !member.errors.empty(); }));
  EXPECT_EQ(member.errors.front(), "UNSUPPORTED_ASSIGNOR");
  member.close();
}

}  // namespace
}  // namespace ktrial::client
