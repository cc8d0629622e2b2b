// SPDX-License-Identifier: Apache-2.0
#include "clients/reference/transactions.h"

#include "protocol/messages/add_offsets_to_txn_request.h"
#include "protocol/messages/add_offsets_to_txn_response.h"
#include "protocol/messages/add_partitions_to_txn_request.h"
#include "protocol/messages/add_partitions_to_txn_response.h"
#include "protocol/messages/end_txn_request.h"
#include "protocol/messages/end_txn_response.h"
#include "protocol/messages/init_producer_id_request.h"
#include "protocol/messages/init_producer_id_response.h"
#include "protocol/messages/txn_offset_commit_request.h"
#include "protocol/messages/txn_offset_commit_response.h"

#include <utility>

namespace ktrial::client {

using namespace protocol;  // NOLINT: this file is little else than messages

namespace {

constexpr std::int16_t kNewestInitProducerId = 4;
constexpr std::int16_t kNewestAddPartitions = 3;  // from 4 on it is a request of brokers
constexpr std::int16_t kNewestAddOffsets = 3;
// The next ones are of KIP-890's second version, in which brokers add partitions by themselves.
constexpr std::int16_t kNewestEndTxn = 4;
constexpr std::int16_t kNewestTxnOffsetCommit = 4;

ClientError wrong_state(std::string message) {
  return {"INVALID_TXN_STATE", false, std::move(message)};
}

// Another producer has taken over, or the coordinator and this one disagree on what is going on.
bool is_fatal(KafkaError error) {
  switch (error) {
    case KafkaError::kProducerFenced:
    case KafkaError::kInvalidProducerEpoch:
    case KafkaError::kInvalidProducerIdMapping:
    case KafkaError::kInvalidTxnState:
    case KafkaError::kTransactionalIdAuthorizationFailed:
    case KafkaError::kInvalidTransactionTimeout:
    case KafkaError::kUnsupportedVersion:
      return true;
    default:
      return false;
  }
}

}  // namespace

Transactions::Transactions(Env& env, Network& network, Sequences& sequences,
                           std::function<void()> changed)
    : env_(env),
      network_(network),
      sequences_(sequences),
      changed_(std::move(changed)),
      calls_(env, network,
             {.key = env.config.transactional_id.value_or(""),
              .type = Coordinator::KeyType::kTransaction,
              .own_connection = false},
             [this](const ClientError& error) { fatal(error); }) {}

bool Transactions::start_waiting(Done& done) {
  if (waiting_) {
    done(wrong_state("another call is under way"));
    return false;
  }
  waiting_ = std::move(done);
  return true;
}

void Transactions::finish(const std::optional<ClientError>& error) {
  if (const Done done = std::exchange(waiting_, {})) done(error);
}

void Transactions::init(Done done) {
  if (state_ == State::kFatal) return done(failure_);
  if (state_ != State::kNew) return done(wrong_state("transactions are initialized already"));
  if (!start_waiting(done)) return;
  state_ = State::kInitializing;
  ask_id();
}

template <class Request>
void Transactions::identify(Request& request) const {
  request.transactional_id = *env_.config.transactional_id;
  request.producer_id = sequences_.id();
  request.producer_epoch = sequences_.epoch();
}

void Transactions::ask_id() {
  calls_.call<InitProducerIdRequest, InitProducerIdResponse>(
      kNewestInitProducerId,
      [this] {
        InitProducerIdRequest request;
        identify(request);  // with an id, the producer goes on in a new epoch (KIP-360)
        request.transaction_timeout_ms =
            static_cast<std::int32_t>(env_.config.transaction_timeout.count());
        return request;
      },
      [this](const InitProducerIdResponse& response) {
        const Verdict verdict = CoordinatorCalls::verdict(response.error_code);
        if (verdict != Verdict::kDone) return verdict;
        if (response.error_code != 0) {
          fatal(client_error(response.error_code));
          return verdict;
        }
        sequences_.set_id(response.producer_id, response.producer_epoch);
        state_ = State::kReady;
        finish(std::nullopt);
        changed_();
        return verdict;
      });
}

std::optional<ClientError> Transactions::begin() {
  if (state_ == State::kFatal) return failure_;
  if (state_ != State::kReady)
    return wrong_state(state_ == State::kOpen ? "a transaction is open"
                                              : "transactions are not initialized");
  state_ = State::kOpen;
  return std::nullopt;
}

std::optional<ClientError> Transactions::refusal() const {
  if (failure_) return failure_;
  if (state_ != State::kOpen || ending_) return wrong_state("no transaction is open");
  return std::nullopt;
}

bool Transactions::includes(const TopicPartition& at) {
  if (included_.contains(at)) return true;
  if (state_ == State::kOpen && !failure_ && wanted_.insert(at).second) add_partitions();
  return false;
}

void Transactions::add_partitions() {
  if (adding_ || wanted_.empty()) return;
  adding_ = true;
  calls_.call<AddPartitionsToTxnRequest, AddPartitionsToTxnResponse>(
      kNewestAddPartitions,
      [this] {
        AddPartitionsToTxnRequest request;
        request.v3_and_below_transactional_id = *env_.config.transactional_id;
        request.v3_and_below_producer_id = sequences_.id();
        request.v3_and_below_producer_epoch = sequences_.epoch();
        auto& topics = request.v3_and_below_topics;
        for (const auto& [topic, partition] : wanted_) {  // in the order of topics
          if (topics.empty() || topics.back().name != topic) topics.emplace_back().name = topic;
          topics.back().partitions.push_back(partition);
        }
        return request;
      },
      [this](const AddPartitionsToTxnResponse& response) {
        Verdict worst = Verdict::kDone;
        for (const auto& topic : response.results_by_topic_v3_and_below) {
          for (const auto& partition : topic.results_by_partition) {
            worst = std::max(worst, added({topic.name, partition.partition_index},
                                          partition.partition_error_code));
          }
        }
        if (worst == Verdict::kDone) {
          adding_ = false;
          add_partitions();  // what has come up meanwhile
        }
        changed_();
        return worst;
      });
}

Transactions::Verdict Transactions::added(const TopicPartition& at, std::int16_t error) {
  // All or none: the others' errors say which one was in the way.
  if (static_cast<KafkaError>(error) == KafkaError::kOperationNotAttempted) return Verdict::kDone;
  const Verdict verdict = CoordinatorCalls::verdict(error);
  if (verdict != Verdict::kDone) return verdict;
  if (error == 0) {
    included_.insert(at);
  } else {
    failed(error);
  }
  wanted_.erase(at);
  return verdict;
}

void Transactions::send_offsets(const Positions& offsets, const GroupMember& member, Done done) {
  if (const auto why = refusal()) return done(why);
  if (!start_waiting(done)) return;
  calls_.call<AddOffsetsToTxnRequest, AddOffsetsToTxnResponse>(
      kNewestAddOffsets,
      [this, group = member.group_id] {
        AddOffsetsToTxnRequest request;
        identify(request);
        request.group_id = group;
        return request;
      },
      [this, offsets, member](const AddOffsetsToTxnResponse& response) {
        const Verdict verdict = CoordinatorCalls::verdict(response.error_code);
        if (verdict != Verdict::kDone) return verdict;
        if (response.error_code != 0) {
          failed(response.error_code);
        } else {
          has_offsets_ = true;
          commit_offsets(offsets, member);
        }
        return verdict;
      });
}

void Transactions::commit_offsets(const Positions& offsets, const GroupMember& member) {
  group_calls(member.group_id)
      .call<TxnOffsetCommitRequest, TxnOffsetCommitResponse>(
          kNewestTxnOffsetCommit,
          [this, offsets, member] {
            TxnOffsetCommitRequest request;
            identify(request);
            request.group_id = member.group_id;
            request.generation_id_or_member_epoch = member.generation;
            request.member_id = member.member_id;
            request.group_instance_id = member.instance_id;
            for (const auto& [at, offset] : offsets) {  // in the order of topics
              if (request.topics.empty() || request.topics.back().name != at.topic)
                request.topics.emplace_back().name = at.topic;
              auto& partition = request.topics.back().partitions.emplace_back();
              partition.partition_index = at.partition;
              partition.committed_offset = offset;
            }
            return request;
          },
          [this](const TxnOffsetCommitResponse& response) {
            for (const auto& topic : response.topics) {
              for (const auto& partition : topic.partitions) {
                if (partition.error_code != 0) return committed(partition.error_code);
              }
            }
            return committed(0);
          });
}

Transactions::Verdict Transactions::committed(std::int16_t error) {
  const Verdict verdict = CoordinatorCalls::verdict(error);
  if (verdict != Verdict::kDone) return verdict;
  if (error == 0) {
    finish(std::nullopt);
  } else {
    failed(error);
  }
  return verdict;
}

CoordinatorCalls& Transactions::group_calls(const std::string& group) {
  auto& calls = group_calls_[group];
  if (!calls) {
    calls = std::make_unique<CoordinatorCalls>(
        env_, network_, Coordinator::Sought{.key = group, .own_connection = false},
        [this](const ClientError& error) {
          if (!failure_) failure_ = error;
          finish(error);
        });
  }
  return *calls;
}

bool Transactions::prepare(Ending ending, Done done) {
  if (state_ == State::kFatal) {
    done(failure_);
    return false;
  }
  if (state_ != State::kOpen) {
    done(wrong_state("no transaction is open"));
    return false;
  }
  if (ending_) {  // the caller did not wait to the end
    if (*ending_ == ending) {
      waiting_ = std::move(done);
    } else {
      done(wrong_state("the transaction is ending the other way"));
    }
    return false;
  }
  if (ending == Ending::kCommit && failure_) {
    done(failure_);
    return false;
  }
  if (!start_waiting(done)) return false;
  ending_ = ending;
  return true;
}

void Transactions::end() {
  if (state_ == State::kFatal) return finish(failure_);
  if (*ending_ == Ending::kCommit && failure_) {
    ending_.reset();
    return finish(failure_);
  }
  // Of a transaction without content the coordinator knows nothing.
  if (included_.empty() && wanted_.empty() && !has_offsets_) return ended();
  calls_.call<EndTxnRequest, EndTxnResponse>(
      kNewestEndTxn,
      [this] {
        EndTxnRequest request;
        identify(request);
        request.committed = *ending_ == Ending::kCommit;
        return request;
      },
      [this](const EndTxnResponse& response) {
        const Verdict verdict = CoordinatorCalls::verdict(response.error_code);
        if (verdict != Verdict::kDone) return verdict;
        if (response.error_code != 0) {
          fatal(client_error(response.error_code));
        } else {
          ended();
        }
        return verdict;
      });
}

void Transactions::ended() {
  wanted_.clear();
  included_.clear();
  has_offsets_ = false;
  ending_.reset();
  failure_.reset();
  if (std::exchange(needs_new_epoch_, false)) {
    state_ = State::kInitializing;
    return ask_id();
  }
  state_ = State::kReady;
  finish(std::nullopt);
  changed_();
}

void Transactions::record_failed(const ClientError& error, bool in_doubt) {
  needs_new_epoch_ = needs_new_epoch_ || in_doubt;
  if (!failure_ && !aborting()) failure_ = error;
}

void Transactions::failed(std::int16_t error) {
  const ClientError known = client_error(error);
  if (is_fatal(static_cast<KafkaError>(error))) return fatal(known);
  if (!failure_) failure_ = known;
  if (!ending_) finish(known);
  changed_();
}

void Transactions::fatal(const ClientError& error) {
  state_ = State::kFatal;
  failure_ = error;
  failure_->retriable = false;
  ending_.reset();
  finish(failure_);
  changed_();
}

void Transactions::stop() {
  calls_.stop();
  for (const auto& [group, calls] : group_calls_) calls->stop();
  finish(ClientError{"CLOSED", false, "the producer is closed"});
}

}  // namespace ktrial::client
