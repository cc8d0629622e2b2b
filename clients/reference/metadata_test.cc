// SPDX-License-Identifier: Apache-2.0
// What Metadata does with answers that are empty, stale, refused, or never come, on a clock that
// the test moves: brokers 1 and 2 listen on ports 9001 and 9002, the bootstrap entry on 9000.
#include "clients/reference/metadata.h"

#include "clients/reference/scripted_broker_for_test.h"
#include "protocol/errors.h"
#include "protocol/messages/metadata_request.h"
#include "protocol/messages/produce_request.h"
#include "protocol/messages/produce_response.h"

#include <gtest/gtest.h>

namespace ktrial::client {
namespace {

using protocol::KafkaError;
using protocol::MetadataRequest;
using protocol::MetadataResponse;
using protocol::ProduceRequest;
using protocol::ProduceResponse;

constexpr int kEntry = 9'000;

MetadataResponse two_brokers(int leader = 1, std::int32_t epoch = 5) {
  MetadataResponse response;
  for (int id = 1; id <= 2; ++id) {
    auto& broker = response.brokers.emplace_back();
    broker.node_id = id;
    broker.host = "b";
    broker.port = kEntry + id;
  }
  auto& topic = response.topics.emplace_back();
  topic.name = "t";
  auto& partition = topic.partitions.emplace_back();
  partition.leader_id = leader;
  partition.leader_epoch = epoch;
  return response;
}

class MetadataOnAClock : public testing::Test {
 protected:
  MetadataOnAClock() {
    broker_.on<MetadataRequest, MetadataResponse>(
        [this](const auto&, int port) { return answer_(port); });
    broker_.on<ProduceRequest, ProduceResponse>([this](const auto&, int) {
      ProduceResponse response;
      response.throttle_time_ms = throttle_ms_;
      return std::optional(response);
    });
  }
  void start(std::map<std::string, std::string> settings = {}) {
    settings.insert({{"bootstrap.servers", "b:9000"}, {"reconnect.backoff.ms", "100"}});
    config_ = parse_config(Role::kProducer, settings).value();
    network_.emplace(env_);
    metadata_.emplace(env_, *network_);
    network_->on_trouble([this](int) { metadata_->request_update(); });
    metadata_->use_topics({"t"});
    pass(Millis(50));
  }
  void pass(Nanos time) { clock_.advance(time); }

  ManualClock clock_;
  ScriptedBroker broker_{clock_};
  Rng rng_{1, "test"};
  Config config_;
  Env env_{clock_, clock_, broker_, rng_, config_};
  std::function<std::optional<MetadataResponse>(int port)> answer_ = [](int) {
    return std::optional(two_brokers());
  };
  std::int32_t throttle_ms_ = 0;
  std::optional<Network> network_;
  std::optional<Metadata> metadata_;
};

TEST_F(MetadataOnAClock, AnAnswerWithoutBrokersIsAskedAgain) {
  int asked = 0;
  answer_ = [&](int) {
    return ++asked < 3 ? std::optional(MetadataResponse()) : std::optional(two_brokers());
  };
  start();
  EXPECT_EQ(asked, 1);
  EXPECT_FALSE(metadata_->ever_updated());
  pass(Millis(1'000));
  EXPECT_EQ(asked, 3);
  EXPECT_EQ(metadata_->leader("t", 0), 1);
}

TEST_F(MetadataOnAClock, AnOlderLeaderEpochIsIgnored) {
  start();
  answer_ = [](int) { return std::optional(two_brokers(2, 4)); };
  metadata_->ask();
  pass(Millis(50));
  EXPECT_EQ(metadata_->leader("t", 0), 1);
  answer_ = [](int) { return std::optional(two_brokers(2, 6)); };
  metadata_->ask();
  pass(Millis(50));
  EXPECT_EQ(metadata_->leader("t", 0), 2);
}

TEST_F(MetadataOnAClock, ABrokersWordMakesItBootstrapAgain) {
  start();
  network_->dial(1);
  network_->dial(2);
  pass(Millis(10));
  answer_ = [this](int port) {
    MetadataResponse response = two_brokers();
    if (port != kEntry) response.error_code = code(KafkaError::kRebootstrapRequired);
    EXPECT_EQ(broker_.open(9'001) + broker_.open(9'002), port == kEntry ? 0 : 2);
    return std::optional(response);
  };
  EXPECT_EQ(broker_.dialled(kEntry), 1);
  metadata_->ask();
  pass(Millis(50));
  EXPECT_EQ(broker_.dialled(kEntry), 2);
  EXPECT_EQ(metadata_->leader("t", 0), 1);
  EXPECT_FALSE(network_->bootstrapping());
}

TEST_F(MetadataOnAClock, BootstrapsAgainAtOnceIfNobodyCanBeDialled) {
  start();
  for (const int port : {9'001, 9'002}) broker_.refuse(port);
  network_->dial(1);
  network_->dial(2);
  pass(Millis(1));
  metadata_->ask();
  pass(Millis(20));
  EXPECT_EQ(broker_.dialled(kEntry), 2);
}

TEST_F(MetadataOnAClock, BootstrapEntriesThatRefuseArePaced) {
  start();
  for (const int port : {kEntry, 9'001, 9'002}) broker_.refuse(port);
  network_->dial(1);
  network_->dial(2);
  pass(Millis(10'000));
  EXPECT_LT(broker_.dialled(kEntry), 25);
  broker_.refuse(kEntry, false);
  pass(Millis(3'000));
  EXPECT_FALSE(network_->bootstrapping());
}

TEST_F(MetadataOnAClock, BrokersThatStayAwayArePacedHoweverOftenItBootstraps) {
  start();
  for (const int port : {9'001, 9'002}) broker_.refuse(port);
  const int before = broker_.dialled(9'001);
  network_->on_trouble([this](int) {
    metadata_->request_update();
    clock_.after(Millis(10), [this] {
      if (network_->knows(1)) network_->dial(1);
    });
  });
  network_->dial(1);
  network_->dial(2);
  metadata_->on_update([this] { network_->dial(1); });
  pass(Millis(10'000));
  EXPECT_GT(broker_.dialled(kEntry), 2);
  EXPECT_LT(broker_.dialled(9'001) - before, 20);
}

TEST_F(MetadataOnAClock, BootstrapsAgainIfNobodyAnswersForSoLong) {
  start({{"metadata.recovery.rebootstrap.trigger.ms", "2000"}});
  answer_ = [](int port) { return port == kEntry ? std::optional(two_brokers()) : std::nullopt; };
  metadata_->ask();
  pass(Millis(1'990));
  EXPECT_EQ(broker_.dialled(kEntry), 1);
  pass(Millis(50));
  EXPECT_EQ(broker_.dialled(kEntry), 2);
  EXPECT_FALSE(network_->bootstrapping());
}

TEST_F(MetadataOnAClock, StaysWithWhatItKnowsIfToldTo) {
  start({{"metadata.recovery.strategy", "none"}});
  for (const int port : {9'001, 9'002}) broker_.refuse(port);
  network_->dial(1);
  network_->dial(2);
  pass(Millis(1));
  metadata_->ask();
  pass(Millis(5'000));
  EXPECT_EQ(broker_.dialled(kEntry), 1);
}

class ThrottledChannel : public MetadataOnAClock {
 protected:
  void produce(std::int16_t newest = 9) {
    network_->send(1, make_request<ProduceRequest, ProduceResponse>(
                          ProduceRequest(), newest, Millis(1'000),
                          [this](const Result<ProduceResponse>& response) {
                            ++(response ? answered_ : failed_);
                          }));
  }
  int answered_ = 0;
  int failed_ = 0;
};

TEST_F(ThrottledChannel, SendsNothingForTheThrottleTime) {
  start();
  throttle_ms_ = 3'000;
  produce();
  pass(Millis(50));
  EXPECT_EQ(answered_, 1);
  produce();
  pass(Millis(2'900));
  EXPECT_EQ(broker_.count<ProduceRequest>(), 1U);
  pass(Millis(100));
  EXPECT_EQ(broker_.count<ProduceRequest>(), 2U);
  EXPECT_EQ(answered_, 2);
  EXPECT_EQ(failed_, 0);
}

TEST_F(ThrottledChannel, AnAnswerInAnOldVersionHasWaitedAlready) {
  start();
  throttle_ms_ = 3'000;
  produce(5);
  pass(Millis(50));
  produce(5);
  pass(Millis(50));
  EXPECT_EQ(answered_, 2);
}

}  // namespace
}  // namespace ktrial::client
