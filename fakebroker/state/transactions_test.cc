// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/state/transactions.h"

#include "common/manual_clock.h"
#include "fakebroker/state/open_transactions.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace ktrial::fakebroker {
namespace {

using protocol::KafkaError;
using Version = Transactions::Version;

class TransactionsTest : public testing::Test {
 protected:
  static constexpr Millis kDelay{5};
  static constexpr Millis kTimeout{1'000};

  ProducerIdentity init(ProducerIdentity known = {}) {
    const auto outcome = transactions_->init("tx", known, kTimeout);
    error_ = outcome.error;
    return outcome.producer;
  }
  KafkaError add(ProducerIdentity who) { return transactions_->add("tx", who, {{"t", 0}}); }
  KafkaError end(ProducerIdentity who, bool commit, Version version = Version::kFirst) {
    const auto outcome = transactions_->end("tx", who, commit, version);
    after_ = outcome.producer;
    return outcome.error;
  }
  std::string state() { return std::string(transactions_->find("tx")->state_name()); }

  ManualClock clock_;
  ProducerIds ids_;
  std::vector<std::string> story_;
  std::shared_ptr<Transactions> transactions_ = std::make_shared<Transactions>(
      clock_, clock_, ids_, kDelay,
      Transactions::Hooks{.write_marker =
                              [this](const auto& at, ProducerIdentity who, bool committed) {
                                story_.push_back((committed ? "commit " : "abort ") + at.first +
                                                 '-' + std::to_string(at.second) + " epoch " +
                                                 std::to_string(who.epoch));
                              },
                          .end_offsets =
                              [this](const std::string& group, std::int64_t, bool committed) {
                                story_.push_back((committed ? "commit " : "abort ") + group);
                              }});
  KafkaError error_ = KafkaError::kNone;
  ProducerIdentity after_;
};

TEST_F(TransactionsTest, MarkersFollowTheAnswerAndUntilThenTheIdIsBusy) {
  const ProducerIdentity who = init();
  EXPECT_EQ(add(who), KafkaError::kNone);
  EXPECT_EQ(transactions_->add_group("tx", who, "g"), KafkaError::kNone);
  EXPECT_EQ(end(who, true), KafkaError::kNone);
  EXPECT_EQ(state(), "PrepareCommit");
  EXPECT_EQ(add(who), KafkaError::kConcurrentTransactions);
  EXPECT_EQ(end(who, true), KafkaError::kConcurrentTransactions);
  init();
  EXPECT_EQ(error_, KafkaError::kConcurrentTransactions);
  EXPECT_TRUE(story_.empty());
  clock_.advance(kDelay);
  EXPECT_EQ(story_, (std::vector<std::string>{"commit t-0 epoch 0", "commit g"}));
  EXPECT_EQ(state(), "CompleteCommit");
  EXPECT_EQ(end(who, true), KafkaError::kNone);  // a retry whose answer was lost
  EXPECT_EQ(end(who, false), KafkaError::kInvalidTxnState);
  EXPECT_EQ(add(who), KafkaError::kNone);
}

TEST_F(TransactionsTest, AnotherProducerOfTheSameIdAbortsWhatIsOpenAndFences) {
  const ProducerIdentity first = init();
  add(first);
  init();
  EXPECT_EQ(error_, KafkaError::kConcurrentTransactions);
  EXPECT_EQ(add(first), KafkaError::kProducerFenced);
  clock_.advance(kDelay);
  EXPECT_EQ(story_, (std::vector<std::string>{"abort t-0 epoch 1"}));
  const ProducerIdentity second = init();
  EXPECT_EQ(second, (ProducerIdentity{first.id, 2}));
  EXPECT_EQ(end(first, true), KafkaError::kProducerFenced);
  init(first);
  EXPECT_EQ(error_, KafkaError::kProducerFenced);
}

TEST_F(TransactionsTest, AProducerMayRaiseItsOwnEpochAndAskTwice) {
  const ProducerIdentity first = init();
  const ProducerIdentity second = init(first);
  EXPECT_EQ(second, (ProducerIdentity{first.id, 1}));
  EXPECT_EQ(init(first), second);
}

TEST_F(TransactionsTest, OneThatTakesTooLongIsAbortedAndFenced) {
  const ProducerIdentity who = init();
  add(who);
  clock_.advance(kTimeout + kDelay);
  EXPECT_EQ(story_, (std::vector<std::string>{"abort t-0 epoch 1"}));
  EXPECT_EQ(end(who, true), KafkaError::kProducerFenced);
}

TEST_F(TransactionsTest, ASecondInTimeIsNotAbortedForTheFirst) {
  const ProducerIdentity who = init();
  add(who);
  clock_.advance(kTimeout / 2);
  end(who, true);
  clock_.advance(kTimeout / 4);
  add(who);
  clock_.advance(kTimeout / 2);
  EXPECT_EQ(state(), "Ongoing");
}

TEST_F(TransactionsTest, OnlyWhatWasAddedIsInIt) {
  const ProducerIdentity who = init();
  EXPECT_EQ(transactions_->verify("tx", who, {"t", 0}), KafkaError::kTransactionAbortable);
  add(who);
  EXPECT_EQ(transactions_->verify("tx", who, {"t", 0}), KafkaError::kNone);
  EXPECT_EQ(transactions_->verify("tx", who, {"t", 1}), KafkaError::kTransactionAbortable);
  EXPECT_EQ(transactions_->verify("tx", {who.id, 9}, {"t", 0}), KafkaError::kProducerFenced);
  EXPECT_EQ(transactions_->verify("no", who, {"t", 0}), KafkaError::kInvalidProducerIdMapping);
}

TEST_F(TransactionsTest, WithoutATransactionThereIsNothingToEnd) {
  const ProducerIdentity who = init();
  EXPECT_EQ(end(who, true), KafkaError::kInvalidTxnState);
  EXPECT_EQ(end(who, false), KafkaError::kInvalidTxnState);
  EXPECT_EQ(end({who.id + 1, 0}, true), KafkaError::kInvalidProducerIdMapping);
}

TEST_F(TransactionsTest, TheSecondVersionGivesANewEpochWithEachEndAndKnowsARetry) {
  const ProducerIdentity who = init();
  add(who);
  EXPECT_EQ(end(who, true, Version::kSecond), KafkaError::kNone);
  const ProducerIdentity next = after_;
  EXPECT_EQ(next, (ProducerIdentity{who.id, 1}));
  EXPECT_EQ(end(who, true, Version::kSecond), KafkaError::kConcurrentTransactions);
  clock_.advance(kDelay);
  EXPECT_EQ(story_, (std::vector<std::string>{"commit t-0 epoch 1"}));
  EXPECT_EQ(end(who, true, Version::kSecond), KafkaError::kNone);
  EXPECT_EQ(after_, next);
  EXPECT_EQ(end(who, false, Version::kSecond), KafkaError::kInvalidTxnState);
  EXPECT_EQ(add(who), KafkaError::kProducerFenced);
  EXPECT_EQ(add(next), KafkaError::kNone);
}

TEST_F(TransactionsTest, InTheSecondVersionNothingMayBeAborted) {
  const ProducerIdentity who = init();
  EXPECT_EQ(end(who, false, Version::kSecond), KafkaError::kNone);
  EXPECT_EQ(after_, (ProducerIdentity{who.id, 1}));
  EXPECT_EQ(end(after_, true, Version::kSecond), KafkaError::kInvalidTxnState);
}

TEST(OpenTransactions, TheFirstOneThatIsOpenHoldsBackTheStableOffset) {
  OpenTransactions open;
  EXPECT_EQ(open.last_stable_offset(9), 9);
  open.appended(1, 0, 3);
  open.appended(2, 0, 5);
  open.appended(1, 0, 6);
  EXPECT_EQ(open.last_stable_offset(9), 3);
  open.ended(1, false, 9);
  EXPECT_EQ(open.last_stable_offset(10), 5);
  open.ended(2, true, 10);
  EXPECT_EQ(open.last_stable_offset(11), 11);
}

TEST(OpenTransactions, TellsOfWhatWasAbortedWhereItHasRecords) {
  OpenTransactions open;
  open.appended(1, 0, 3);
  open.ended(1, false, 6);
  const std::vector<OpenTransactions::Aborted> one{{1, 3, 6}};
  EXPECT_EQ(open.aborted_between(0, 4), one);
  EXPECT_EQ(open.aborted_between(6, 20), one);
  EXPECT_TRUE(open.aborted_between(0, 3).empty());
  EXPECT_TRUE(open.aborted_between(7, 20).empty());
  open.forget_before(7);
  EXPECT_TRUE(open.aborted_between(0, 20).empty());
}

}  // namespace
}  // namespace ktrial::fakebroker
