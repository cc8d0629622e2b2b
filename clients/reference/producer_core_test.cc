// SPDX-License-Identifier: Apache-2.0
// A producer's state machine on a clock that the test moves, against a broker that the test
// scripts: order, sequences, time limits and transactions.
#include "clients/reference/producer_core.h"

#include "clients/reference/scripted_broker_for_test.h"
#include "protocol/messages/add_partitions_to_txn_request.h"
#include "protocol/messages/add_partitions_to_txn_response.h"
#include "protocol/messages/end_txn_request.h"
#include "protocol/messages/end_txn_response.h"
#include "protocol/messages/find_coordinator_request.h"
#include "protocol/messages/init_producer_id_request.h"
#include "protocol/messages/init_producer_id_response.h"
#include "protocol/messages/metadata_request.h"
#include "protocol/messages/produce_request.h"
#include "protocol/record_batch_layout.h"

#include <gtest/gtest.h>

namespace ktrial::client {
namespace {

using namespace protocol;  // NOLINT: this file is little else than messages

// What a Produce request says of its one batch.
struct Sent {
  std::int16_t epoch = -1;
  std::int32_t sequence = -1;
  std::int32_t records = 0;
  bool operator==(const Sent&) const = default;
};

void PrintTo(const Sent& sent, std::ostream* out) {
  *out << "epoch " << sent.epoch << " sequence " << sent.sequence << " records " << sent.records;
}

Sent what_was_sent(const ProduceRequest& request) {
  const auto* bytes = request.topic_data.front().partition_data.front().records->data();
  return {load_be<std::int16_t>(bytes + batch_at::kProducerEpoch),
          load_be<std::int32_t>(bytes + batch_at::kBaseSequence),
          load_be<std::int32_t>(bytes + batch_at::kRecordCount)};
}

// Topics of one partition, led by broker 1. Each record is a batch of its own.
class ProducerOnAClock : public testing::Test {
 protected:
  ProducerOnAClock() {
    broker_.on<MetadataRequest, MetadataResponse>([this](const MetadataRequest& request, int) {
      metadata_.push_back(request);
      MetadataResponse response;
      auto& broker = response.brokers.emplace_back();
      broker.node_id = 1;
      broker.host = "b";
      broker.port = 9'001;
      for (const auto& asked : request.topics.value_or(decltype(request.topics)::value_type())) {
        auto& topic = response.topics.emplace_back();
        topic.name = asked.name;
        auto& partition = topic.partitions.emplace_back();
        partition.leader_id = leader_;
        partition.leader_epoch = 1;
      }
      return std::optional(response);
    });
    broker_.on<InitProducerIdRequest, InitProducerIdResponse>(
        [this](const InitProducerIdRequest& request, int) {
          inits_.push_back(request);
          InitProducerIdResponse response;
          response.producer_id = 7;
          response.producer_epoch = static_cast<std::int16_t>(request.producer_epoch + 1);
          return std::optional(response);
        });
    broker_.on<ProduceRequest, ProduceResponse>([this](const ProduceRequest& request, int) {
      sent_.push_back(what_was_sent(request));
      story_.emplace_back("Produce");
      std::optional<ProduceResponse> response;
      KafkaError error = KafkaError::kNone;
      if (!errors_.empty()) {
        error = errors_.front();
        errors_.pop_front();
      }
      if (silent_) return response;
      auto& topic = response.emplace().responses.emplace_back();
      topic.name = request.topic_data.front().name;
      auto& partition = topic.partition_responses.emplace_back();
      partition.error_code = code(error);
      partition.base_offset = offset_++;
      return response;
    });
  }

  void start(std::map<std::string, std::string> settings = {}) {
    settings.insert({{"bootstrap.servers", "b:9001"},
                     {"linger.ms", "0"},
                     {"batch.size", "1"},
                     {"retry.backoff.ms", "100"}});
    config_ = parse_config(Role::kProducer, settings).value();
    core_.emplace(env_);
    core_->start();
    pass(Millis(10));
  }
  void pass(Nanos time) { clock_.advance(time); }
  void send(const std::string& topic = "t") {
    core_->send({.topic = topic, .value = "v"}, [this](const auto& outcome) {
      outcomes_.push_back(outcome ? "delivered" : outcome.error().code);
    });
  }
  std::vector<std::string> outcomes() { return std::exchange(outcomes_, {}); }

  ManualClock clock_;
  ScriptedBroker broker_{clock_};
  Rng rng_{1, "test"};
  Config config_;
  Env env_{clock_, clock_, broker_, rng_, config_};
  std::optional<ProducerCore> core_;
  int leader_ = 1;
  bool silent_ = false;
  std::int64_t offset_ = 0;
  std::deque<KafkaError> errors_;  // of the next Produce answers
  std::vector<MetadataRequest> metadata_;
  std::vector<InitProducerIdRequest> inits_;
  std::vector<Sent> sent_;
  std::vector<std::string> outcomes_;
  std::vector<std::string> story_;
};

const std::vector<std::string> kDelivered{"delivered"};

TEST_F(ProducerOnAClock, HasAsManyBatchesOfAPartitionUnderWayAsAConnectionMay) {
  start();
  silent_ = true;
  for (int i = 0; i < 8; ++i) send();
  pass(Millis(100));
  EXPECT_EQ(sent_, (std::vector<Sent>{{0, 0, 1}, {0, 1, 1}, {0, 2, 1}, {0, 3, 1}, {0, 4, 1}}));
}

TEST_F(ProducerOnAClock, WhatFailsIsRepeatedAsItWasBeforeWhatFollowsIt) {
  start();
  errors_ = {KafkaError::kNotEnoughReplicas, KafkaError::kOutOfOrderSequenceNumber,
             KafkaError::kOutOfOrderSequenceNumber};
  for (int i = 0; i < 3; ++i) send();
  pass(Millis(20));
  send();
  pass(Millis(1'000));
  EXPECT_EQ(outcomes(), std::vector<std::string>(4, "delivered"));
  EXPECT_EQ(sent_,
            (std::vector<Sent>{
                {0, 0, 1}, {0, 1, 1}, {0, 2, 1}, {0, 0, 1}, {0, 1, 1}, {0, 2, 1}, {0, 3, 1}}));
}

TEST_F(ProducerOnAClock, AGapThatStaysIsClosedByANewEpoch) {
  start();
  send();
  pass(Millis(20));
  errors_ = {KafkaError::kOutOfOrderSequenceNumber};
  send();
  pass(Millis(1'000));
  EXPECT_EQ(outcomes(), std::vector<std::string>(2, "delivered"));
  EXPECT_EQ(sent_, (std::vector<Sent>{{0, 0, 1}, {0, 1, 1}, {1, 0, 1}}));
}

TEST_F(ProducerOnAClock, ADuplicateHasBeenDelivered) {
  start();
  errors_ = {KafkaError::kDuplicateSequenceNumber};
  send();
  pass(Millis(20));
  EXPECT_EQ(outcomes(), kDelivered);
}

TEST_F(ProducerOnAClock, AllThatIsOverdueFailsAtOnceWhetherUnderWayOrNot) {
  start({{"delivery.timeout.ms", "2000"}, {"request.timeout.ms", "3000"}});
  silent_ = true;
  for (int i = 0; i < 8; ++i) send();
  pass(Millis(2'100));
  EXPECT_EQ(outcomes(), std::vector<std::string>(8, "TIMED_OUT"));
  // Whether the broker has them nobody knows: the sequence begins anew.
  silent_ = false;
  send();
  pass(Millis(1'500));  // by then the requests have timed out
  EXPECT_EQ(sent_.back(), (Sent{1, 0, 1}));
}

// What was asked may have been done: it is repeated as it was, over a new connection.
TEST_F(ProducerOnAClock, AnAnswerThatCannotBeReadIsALostConnection) {
  using Bytes = std::vector<std::uint8_t>;
  const std::map<std::string, ScriptedBroker::Change> kinds{
      {"impossible length", [](Bytes& frame) { frame[0] = 0x7f; }},
      {"negative length", [](Bytes& frame) { frame[0] = 0xff; }},
      {"no room for an id", [](Bytes& frame) { frame = {0, 0, 0, 2, 0, 0}; }},
      {"another request's id", [](Bytes& frame) { ++frame[7]; }},
      {"more topics than bytes", [](Bytes& frame) { frame[9] = 0x7f; }},
      {"cut short",
       [](Bytes& frame) {
         frame.resize(14);
         frame[3] = 10;
       }},
      {"one too many", [](Bytes& frame) {
         const Bytes once = frame;
         frame.insert(frame.end(), once.begin(), once.end());
       }}};
  for (const auto& [kind, change] : kinds) {
    SCOPED_TRACE(kind);
    start();
    send();
    pass(Millis(500));
    EXPECT_EQ(outcomes(), kDelivered);
    sent_.clear();
    const int dialled = broker_.dialled(9'001);
    broker_.spoil(ProduceRequest::kApiKey, {change});
    send();
    pass(Millis(500));
    EXPECT_EQ(outcomes(), kDelivered);
    ASSERT_FALSE(sent_.empty());
    EXPECT_EQ(sent_.front(), sent_.back());
    EXPECT_EQ(sent_.size(), kind == "one too many" ? 1U : 2U);
    send();  // dials again if the answer that was one too many has ended the connection
    pass(Millis(500));
    EXPECT_EQ(outcomes(), kDelivered);
    EXPECT_GT(broker_.dialled(9'001), dialled);
    sent_.clear();
  }
}

TEST_F(ProducerOnAClock, WithoutALeaderRecordsFailWhenTheirTimeIsUp) {
  leader_ = -1;
  start({{"delivery.timeout.ms", "2000"}});
  for (int i = 0; i < 3; ++i) send();
  pass(Millis(1'900));
  EXPECT_EQ(outcomes(), std::vector<std::string>());
  pass(Millis(200));
  EXPECT_EQ(outcomes(), std::vector<std::string>(3, "TIMED_OUT"));
  EXPECT_TRUE(sent_.empty());
}

TEST_F(ProducerOnAClock, ForgetsATopicThatIsNotUsedForAWhile) {
  start({{"metadata.max.idle.ms", "5000"}, {"metadata.max.age.ms", "1000"}});
  send("often");
  send("once");
  for (int second = 0; second < 8; ++second) {
    pass(Millis(1'000));
    send("often");
  }
  ASSERT_TRUE(metadata_.back().topics);
  ASSERT_EQ(metadata_.back().topics->size(), 1U);
  EXPECT_EQ(metadata_.back().topics->front().name, "often");
  outcomes();
  send("once");
  pass(Millis(20));
  EXPECT_EQ(outcomes().size(), 2U);
}

class TransactionsOnAClock : public ProducerOnAClock {
 protected:
  TransactionsOnAClock() {
    broker_.on<FindCoordinatorRequest, FindCoordinatorResponse>(
        [](const FindCoordinatorRequest& request, int) {
          EXPECT_EQ(request.key, "tx");
          EXPECT_EQ(request.key_type, 1);
          FindCoordinatorResponse response;
          response.node_id = 1;
          response.host = "b";
          response.port = 9'001;
          return std::optional(response);
        },
        3);
    broker_.on<AddPartitionsToTxnRequest, AddPartitionsToTxnResponse>(
        [this](const AddPartitionsToTxnRequest& request, int) {
          story_.emplace_back("AddPartitionsToTxn");
          AddPartitionsToTxnResponse response;
          for (const auto& topic : request.v3_and_below_topics) {
            auto& result = response.results_by_topic_v3_and_below.emplace_back();
            result.name = topic.name;
            result.results_by_partition.emplace_back().partition_error_code =
                code(std::exchange(add_error_, KafkaError::kNone));
          }
          return std::optional(response);
        },
        3);
    broker_.on<EndTxnRequest, EndTxnResponse>([this](const EndTxnRequest& request, int) {
      story_.emplace_back(request.committed ? "commit" : "abort");
      EndTxnResponse response;
      response.error_code = code(std::exchange(end_error_, KafkaError::kNone));
      return std::optional(response);
    });
  }

  void start_transactions() {
    start({{"transactional.id", "tx"}});
    EXPECT_EQ(call([](ProducerCore& core, const auto& done) { core.init_transactions(done); }), "");
  }
  // How it went: an error's name, "" for success, "nothing" if nobody has said yet.
  template <class Start>
  std::string call(Start start) {
    std::string result = "nothing";
    start(*core_, [&result](const std::optional<ClientError>& error) {
      result = error ? error->code : "";
    });
    pass(Millis(500));
    return result;
  }
  std::string begin() {
    return call([](ProducerCore& core, const auto& done) { core.begin_transaction(done); });
  }
  std::string end(Transactions::Ending ending) {
    return call(
        [ending](ProducerCore& core, const auto& done) { core.end_transaction(ending, done); });
  }
  std::string commit() { return end(Transactions::Ending::kCommit); }
  std::string abort() { return end(Transactions::Ending::kAbort); }

  KafkaError add_error_ = KafkaError::kNone;
  KafkaError end_error_ = KafkaError::kNone;
};

TEST_F(TransactionsOnAClock, APartitionIsAddedBeforeItsFirstRecordAndAllAreDeliveredBeforeTheEnd) {
  start_transactions();
  EXPECT_EQ(begin(), "");
  send();
  send();
  EXPECT_EQ(commit(), "");
  EXPECT_EQ(story_,
            (std::vector<std::string>{"AddPartitionsToTxn", "Produce", "Produce", "commit"}));
  EXPECT_EQ(begin(), "");
  send();
  EXPECT_EQ(commit(), "");
  EXPECT_EQ(sent_.back(), (Sent{0, 2, 1}));
}

TEST_F(TransactionsOnAClock, AnEmptyOneEndsWithoutTheCoordinator) {
  start_transactions();
  EXPECT_EQ(begin(), "");
  EXPECT_EQ(commit(), "");
  EXPECT_TRUE(story_.empty());
}

TEST_F(TransactionsOnAClock, NoRecordIsAcceptedOutsideOne) {
  start_transactions();
  send();
  EXPECT_EQ(outcomes(), std::vector<std::string>{"INVALID_TXN_STATE"});
  EXPECT_EQ(commit(), "INVALID_TXN_STATE");
}

TEST_F(TransactionsOnAClock, WhatTheCoordinatorCannotDoYetIsAskedAgain) {
  start_transactions();
  EXPECT_EQ(begin(), "");
  add_error_ = KafkaError::kConcurrentTransactions;
  end_error_ = KafkaError::kNotCoordinator;
  send();
  EXPECT_EQ(commit(), "");
  EXPECT_EQ(story_, (std::vector<std::string>{"AddPartitionsToTxn", "AddPartitionsToTxn", "Produce",
                                              "commit", "commit"}));
}

TEST_F(TransactionsOnAClock, AfterALostRecordOnlyAbortingHelpsAndTheEpochIsNew) {
  start_transactions();
  EXPECT_EQ(begin(), "");
  errors_ = {KafkaError::kMessageTooLarge};
  send();
  EXPECT_EQ(commit(), "MESSAGE_TOO_LARGE");
  send();
  EXPECT_EQ(outcomes(), (std::vector<std::string>{"MESSAGE_TOO_LARGE", "MESSAGE_TOO_LARGE"}));
  EXPECT_EQ(commit(), "MESSAGE_TOO_LARGE");
  EXPECT_EQ(abort(), "");
  EXPECT_EQ(inits_.back().producer_epoch, 0);
  EXPECT_EQ(begin(), "");
  send();
  EXPECT_EQ(commit(), "");
  EXPECT_EQ(sent_.back(), (Sent{1, 0, 1}));
}

TEST_F(TransactionsOnAClock, APartitionThatMayNotBeAddedFailsItsRecords) {
  start_transactions();
  EXPECT_EQ(begin(), "");
  add_error_ = KafkaError::kTopicAuthorizationFailed;
  send();
  pass(Millis(100));
  EXPECT_EQ(outcomes(), std::vector<std::string>{"TOPIC_AUTHORIZATION_FAILED"});
  EXPECT_EQ(abort(), "");
  EXPECT_TRUE(sent_.empty());
}

TEST_F(TransactionsOnAClock, AbortingDropsWhatIsNotUnderWay) {
  start_transactions();
  EXPECT_EQ(begin(), "");
  send();
  EXPECT_EQ(abort(), "");
  EXPECT_EQ(outcomes(), std::vector<std::string>{"TRANSACTION_ABORTED"});
  EXPECT_TRUE(sent_.empty());
}

TEST_F(TransactionsOnAClock, OneThatIsFencedIsOfNoUseAnyMore) {
  start_transactions();
  EXPECT_EQ(begin(), "");
  send();
  end_error_ = KafkaError::kProducerFenced;
  EXPECT_EQ(commit(), "PRODUCER_FENCED");
  EXPECT_EQ(begin(), "PRODUCER_FENCED");
  EXPECT_EQ(abort(), "PRODUCER_FENCED");
  outcomes();
  send();
  EXPECT_EQ(outcomes(), std::vector<std::string>{"PRODUCER_FENCED"});
}

TEST_F(TransactionsOnAClock, NobodyWaitsForAProducerThatIsClosed) {
  start_transactions();
  EXPECT_EQ(begin(), "");
  silent_ = true;
  send();
  std::string result;
  core_->end_transaction(Transactions::Ending::kCommit,
                         [&](const auto& error) { result = error->code; });
  core_->close(Millis(200), [] {});
  pass(Millis(1'000));
  EXPECT_EQ(result, "CLOSED");
  EXPECT_EQ(begin(), "CLOSED");
}

TEST_F(TransactionsOnAClock, ClosingAbortsOneThatIsOpen) {
  start_transactions();
  EXPECT_EQ(begin(), "");
  send();
  bool closed = false;
  core_->close(Millis(5'000), [&] { closed = true; });
  pass(Millis(500));
  EXPECT_TRUE(closed);
  EXPECT_EQ(story_.back(), "abort");
  EXPECT_EQ(outcomes(), kDelivered);
}

}  // namespace
}  // namespace ktrial::client
