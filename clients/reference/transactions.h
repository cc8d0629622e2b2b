// SPDX-License-Identifier: Apache-2.0
// Transactions: what a transactional producer may do when, and what it tells the transaction
// coordinator (KIP-98; partitions are added by requests of their own, as before the second version
// of KIP-890). After an error that leaves the outcome of a record open, only aborting helps; after
// a fatal one, nothing.
#pragma once

#include "clients/reference/coordinator_calls.h"
#include "clients/reference/group_offsets.h"
#include "clients/reference/sequences.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ktrial::client {

class Transactions {
 public:
  using Done = std::function<void(std::optional<ClientError>)>;
  enum class Ending : std::uint8_t { kCommit, kAbort };

  // `changed`: a partition has been added, or the transaction's state is another.
  Transactions(Env& env, Network& network, Sequences& sequences, std::function<void()> changed);

  // Fences earlier producers of the same transactional.id; once.
  void init(Done done);
  std::optional<ClientError> begin();
  // Why no record is accepted now, if so.
  [[nodiscard]] std::optional<ClientError> refusal() const;
  // A partition's records may be sent once the coordinator knows of it; asks if it does not.
  bool includes(const TopicPartition& at);
  void send_offsets(const Positions& offsets, const GroupMember& member, Done done);

  // No more records. True if end() is to follow when all are settled; else `done` has been or will
  // be called anyway.
  bool prepare(Ending ending, Done done);
  void end();
  [[nodiscard]] bool aborting() const { return ending_ == Ending::kAbort; }
  [[nodiscard]] bool ending() const { return ending_.has_value(); }
  // Why the transaction can only be aborted, if so, or nothing can be done at all.
  [[nodiscard]] const std::optional<ClientError>& failure() const { return failure_; }
  [[nodiscard]] bool open() const { return state_ == State::kOpen; }

  // A record of the transaction was not delivered. `in_doubt`: it may have been.
  void record_failed(const ClientError& error, bool in_doubt);
  void stop();

 private:
  enum class State : std::uint8_t { kNew, kInitializing, kReady, kOpen, kFatal };
  using Verdict = CoordinatorCalls::Verdict;

  // Whose transaction a request is about.
  template <class Request>
  void identify(Request& request) const;
  void ask_id();
  void add_partitions();
  Verdict added(const TopicPartition& at, std::int16_t error);
  void commit_offsets(const Positions& offsets, const GroupMember& member);
  Verdict committed(std::int16_t error);
  CoordinatorCalls& group_calls(const std::string& group);
  void ended();
  // What a coordinator's error means for the transaction.
  void failed(std::int16_t error);
  void fatal(const ClientError& error);
  bool start_waiting(Done& done);
  void finish(const std::optional<ClientError>& error);

  Env& env_;
  Network& network_;
  Sequences& sequences_;
  std::function<void()> changed_;
  CoordinatorCalls calls_;
  std::map<std::string, std::unique_ptr<CoordinatorCalls>> group_calls_;
  State state_ = State::kNew;
  std::optional<Ending> ending_;
  std::optional<ClientError> failure_;  // only aborting helps; with kFatal: nothing does
  bool needs_new_epoch_ = false;
  std::set<TopicPartition> wanted_;
  std::set<TopicPartition> included_;
  bool adding_ = false;
  bool has_offsets_ = false;
  Done waiting_ = {};  // who waits for what is under way
};

}  // namespace ktrial::client
