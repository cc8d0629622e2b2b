// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/state/transactions.h"

#include <limits>

namespace ktrial::fakebroker {

using protocol::KafkaError;
using State = Transaction::State;

namespace {

// The last epoch is kept for fencing.
constexpr std::int16_t kLastEpoch = std::numeric_limits<std::int16_t>::max() - 1;

bool committed(State state) {
  return state == State::kPrepareCommit || state == State::kCompleteCommit;
}

}  // namespace

std::string_view Transaction::state_name() const {
  switch (state) {
    case State::kEmpty:
      return "Empty";
    case State::kOngoing:
      return "Ongoing";
    case State::kPrepareCommit:
      return "PrepareCommit";
    case State::kPrepareAbort:
      return "PrepareAbort";
    case State::kCompleteCommit:
      return "CompleteCommit";
    case State::kCompleteAbort:
      return "CompleteAbort";
  }
  return "";
}

const Transaction* Transactions::find(std::string_view id) const {
  const auto found = all_.find(id);
  return found == all_.end() ? nullptr : &found->second;
}

void Transactions::after(Transaction& transaction, Millis delay, const std::string& id,
                         void (Transactions::*what)(const std::string&)) {
  timers_.cancel(transaction.timer);
  transaction.timer = timers_.after(delay, [weak = weak_from_this(), id, what] {
    if (const auto self = weak.lock()) ((*self).*what)(id);
  });
}

void Transactions::raise_epoch(Transaction& transaction) {
  transaction.before = transaction.producer;
  if (transaction.producer.epoch >= kLastEpoch) {
    transaction.producer = {ids_.fresh(), 0};
  } else {
    ++transaction.producer.epoch;
  }
}

void Transactions::fence(Transaction& transaction) {
  transaction.before = {};  // not to be taken for a retry
  ++transaction.producer.epoch;
}

Transactions::Outcome Transactions::init(const std::string& id, ProducerIdentity known,
                                         Millis timeout) {
  const auto [entry, created] = all_.try_emplace(id);
  Transaction& transaction = entry->second;
  if (created) {
    transaction.producer = {ids_.fresh(), 0};
    transaction.timeout = timeout;
    return {KafkaError::kNone, transaction.producer};
  }
  if (transaction.ending()) return {KafkaError::kConcurrentTransactions};
  const bool retry = known.id != -1 && known == transaction.before;
  if (known.id != -1 && known != transaction.producer && !retry)
    return {KafkaError::kProducerFenced};
  if (transaction.state == State::kOngoing) {
    // Whoever is at it is fenced; the new one asks again when that is done.
    fence(transaction);
    prepare(id, transaction, false);
    return {KafkaError::kConcurrentTransactions};
  }
  transaction.timeout = timeout;
  if (!retry) raise_epoch(transaction);
  if (known.id == -1) transaction.before = {};  // another producer: whoever was before is fenced
  transaction.state = State::kEmpty;
  return {KafkaError::kNone, transaction.producer};
}

KafkaError Transactions::check(const Transaction* transaction, ProducerIdentity who) const {
  if (transaction == nullptr || transaction->producer.id != who.id)
    return KafkaError::kInvalidProducerIdMapping;
  return transaction->producer.epoch == who.epoch ? KafkaError::kNone : KafkaError::kProducerFenced;
}

tl::expected<Transaction*, KafkaError> Transactions::begin(const std::string& id,
                                                           ProducerIdentity who) {
  const auto found = all_.find(id);
  Transaction* const transaction = found == all_.end() ? nullptr : &found->second;
  if (const KafkaError error = check(transaction, who); error != KafkaError::kNone)
    return tl::unexpected(error);
  if (transaction->ending()) return tl::unexpected(KafkaError::kConcurrentTransactions);
  if (transaction->state == State::kOngoing) return transaction;
  transaction->state = State::kOngoing;
  transaction->began_ms = clock_.wall_ms();
  after(*transaction, transaction->timeout, id, &Transactions::abort_overdue);
  return transaction;
}

KafkaError Transactions::add(const std::string& id, ProducerIdentity who,
                             const std::set<TopicPartition>& partitions) {
  const auto begun = begin(id, who);
  if (!begun) return begun.error();
  (*begun)->partitions.insert(partitions.begin(), partitions.end());
  return KafkaError::kNone;
}

KafkaError Transactions::add_group(const std::string& id, ProducerIdentity who,
                                   const std::string& group) {
  const auto begun = begin(id, who);
  if (!begun) return begun.error();
  (*begun)->groups.insert(group);
  return KafkaError::kNone;
}

template <class Member>
KafkaError Transactions::verify_member(const std::string& id, ProducerIdentity who,
                                       std::set<Member> Transaction::* members,
                                       const Member& member) const {
  const Transaction* const transaction = find(id);
  if (const KafkaError error = check(transaction, who); error != KafkaError::kNone) return error;
  if (transaction->ending()) return KafkaError::kConcurrentTransactions;
  return (transaction->*members).contains(member) ? KafkaError::kNone
                                                  : KafkaError::kTransactionAbortable;
}

KafkaError Transactions::verify(const std::string& id, ProducerIdentity who,
                                const TopicPartition& at) const {
  return verify_member(id, who, &Transaction::partitions, at);
}

KafkaError Transactions::verify_group(const std::string& id, ProducerIdentity who,
                                      const std::string& group) const {
  return verify_member(id, who, &Transaction::groups, group);
}

Transactions::Outcome Transactions::end(const std::string& id, ProducerIdentity who, bool commit,
                                        Version version) {
  const auto found = all_.find(id);
  if (found == all_.end()) return {KafkaError::kInvalidProducerIdMapping};
  Transaction& transaction = found->second;
  // In the second version the answer that was lost has raised the epoch.
  const bool retry = version == Version::kSecond && who == transaction.before &&
                     transaction.state != State::kOngoing && transaction.state != State::kEmpty;
  if (!retry) {
    if (const KafkaError error = check(&transaction, who); error != KafkaError::kNone)
      return {error};
  }
  if (transaction.state != State::kOngoing)
    return end_of_another_time(transaction, commit, version, retry);
  if (version == Version::kSecond) raise_epoch(transaction);
  prepare(id, transaction, commit);
  return {KafkaError::kNone, transaction.producer};
}

// What EndTxn says when no transaction is open.
Transactions::Outcome Transactions::end_of_another_time(Transaction& transaction, bool commit,
                                                        Version version, bool retry) {
  const bool same_way =
      transaction.state != State::kEmpty && committed(transaction.state) == commit;
  if (transaction.ending())
    return {same_way ? KafkaError::kConcurrentTransactions : KafkaError::kInvalidTxnState};
  if (version == Version::kFirst || retry) {
    return same_way ? Outcome{KafkaError::kNone, transaction.producer}
                    : Outcome{KafkaError::kInvalidTxnState};
  }
  if (commit) return {KafkaError::kInvalidTxnState};
  // Aborting nothing gives a new epoch, too: what was sent late is fenced.
  raise_epoch(transaction);
  transaction.state = State::kCompleteAbort;
  return {KafkaError::kNone, transaction.producer};
}

void Transactions::prepare(const std::string& id, Transaction& transaction, bool commit) {
  transaction.state = commit ? State::kPrepareCommit : State::kPrepareAbort;
  after(transaction, marker_delay_, id, &Transactions::complete);
}

void Transactions::complete(const std::string& id) {
  Transaction& transaction = all_.find(id)->second;
  const bool commit = transaction.state == State::kPrepareCommit;
  transaction.timer = 0;
  transaction.state = commit ? State::kCompleteCommit : State::kCompleteAbort;
  const auto partitions = std::exchange(transaction.partitions, {});
  const auto groups = std::exchange(transaction.groups, {});
  // An exhausted producer id's markers are the old one's.
  const ProducerIdentity writer =
      transaction.before.id != -1 && transaction.before.id != transaction.producer.id
          ? ProducerIdentity{transaction.before.id, kLastEpoch}
          : transaction.producer;
  for (const TopicPartition& at : partitions) hooks_.write_marker(at, writer, commit);
  for (const std::string& group : groups) hooks_.end_offsets(group, writer.id, commit);
}

// Whoever comes back late is fenced.
void Transactions::abort_overdue(const std::string& id) {
  Transaction& transaction = all_.find(id)->second;
  transaction.timer = 0;
  fence(transaction);
  prepare(id, transaction, false);
}

}  // namespace ktrial::fakebroker
