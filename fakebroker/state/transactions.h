// SPDX-License-Identifier: Apache-2.0
// Transactions: the transaction coordinator's state machine (KIP-98, KIP-360, both versions of
// KIP-890). Ending a transaction is decided at once; the markers follow a little later, and until
// then the transactional id answers CONCURRENT_TRANSACTIONS, as in Kafka.
#pragma once

#include "common/clock.h"
#include "fakebroker/state/producer_ids.h"
#include "protocol/errors.h"

#include <tl/expected.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace ktrial::fakebroker {

struct ProducerIdentity {
  std::int64_t id = -1;
  std::int16_t epoch = -1;
  bool operator==(const ProducerIdentity&) const = default;
};

struct Transaction {
  enum class State : std::uint8_t {
    kEmpty,
    kOngoing,
    kPrepareCommit,
    kPrepareAbort,
    kCompleteCommit,
    kCompleteAbort,
  };
  using TopicPartition = std::pair<std::string, std::int32_t>;

  ProducerIdentity producer = {};
  ProducerIdentity before = {};  // what a retry may still name
  State state = State::kEmpty;
  Millis timeout{0};
  std::int64_t began_ms = -1;
  std::set<TopicPartition> partitions = {};
  std::set<std::string> groups = {};
  TimerService::Id timer = 0;

  // Kafka's word for the state, as DescribeTransactions has it.
  [[nodiscard]] std::string_view state_name() const;
  [[nodiscard]] bool ending() const {
    return state == State::kPrepareCommit || state == State::kPrepareAbort;
  }
};

class Transactions : public std::enable_shared_from_this<Transactions> {
 public:
  using TopicPartition = Transaction::TopicPartition;
  // Second: the broker adds partitions with Produce, and EndTxn gives a new epoch.
  enum class Version : std::uint8_t { kFirst = 1, kSecond = 2 };
  struct Outcome {
    protocol::KafkaError error = protocol::KafkaError::kNone;
    ProducerIdentity producer = {};
  };
  struct Hooks {
    // Writes the marker into the partition's log.
    std::function<void(const TopicPartition&, ProducerIdentity, bool committed)> write_marker;
    // What the transaction committed to the group holds, or never was.
    std::function<void(const std::string& group, std::int64_t producer_id, bool committed)>
        end_offsets;
  };

  Transactions(const Clock& clock, TimerService& timers, ProducerIds& ids, Millis marker_delay,
               Hooks hooks)
      : clock_(clock),
        timers_(timers),
        ids_(ids),
        marker_delay_(marker_delay),
        hooks_(std::move(hooks)) {}

  // `known`: what the producer says it is; {-1, -1} at its start.
  Outcome init(const std::string& id, ProducerIdentity known, Millis timeout);
  // Adding begins the transaction.
  protocol::KafkaError add(const std::string& id, ProducerIdentity who,
                           const std::set<TopicPartition>& partitions);
  protocol::KafkaError add_group(const std::string& id, ProducerIdentity who,
                                 const std::string& group);
  // kTransactionAbortable if the partition or group has not been added.
  [[nodiscard]] protocol::KafkaError verify(const std::string& id, ProducerIdentity who,
                                            const TopicPartition& at) const;
  [[nodiscard]] protocol::KafkaError verify_group(const std::string& id, ProducerIdentity who,
                                                  const std::string& group) const;
  Outcome end(const std::string& id, ProducerIdentity who, bool commit, Version version);

  [[nodiscard]] const std::map<std::string, Transaction, std::less<>>& all() const { return all_; }
  [[nodiscard]] const Transaction* find(std::string_view id) const;

 private:
  [[nodiscard]] protocol::KafkaError check(const Transaction* transaction,
                                           ProducerIdentity who) const;
  // The transaction, open and therefore to be added to.
  tl::expected<Transaction*, protocol::KafkaError> begin(const std::string& id,
                                                         ProducerIdentity who);
  template <class Member>
  [[nodiscard]] protocol::KafkaError verify_member(const std::string& id, ProducerIdentity who,
                                                   std::set<Member> Transaction::* members,
                                                   const Member& member) const;
  Outcome end_of_another_time(Transaction& transaction, bool commit, Version version, bool retry);
  void prepare(const std::string& id, Transaction& transaction, bool commit);
  void complete(const std::string& id);
  // For the producer that goes on; for whoever comes after it.
  void raise_epoch(Transaction& transaction);
  static void fence(Transaction& transaction);
  void abort_overdue(const std::string& id);
  void after(Transaction& transaction, Millis delay, const std::string& id,
             void (Transactions::*what)(const std::string&));

  const Clock& clock_;
  TimerService& timers_;
  ProducerIds& ids_;
  Millis marker_delay_;
  Hooks hooks_;
  std::map<std::string, Transaction, std::less<>> all_;
};

}  // namespace ktrial::fakebroker
