// SPDX-License-Identifier: Apache-2.0
#include "clients/reference/producer_core.h"

#include "protocol/messages/init_producer_id_request.h"
#include "protocol/messages/init_producer_id_response.h"

#include <utility>

namespace ktrial::client {

using protocol::InitProducerIdRequest;
using protocol::InitProducerIdResponse;

namespace {

constexpr std::int16_t kNewestInitProducerId = 4;
constexpr Millis kAnswerPatience{300};

ClientError closed() { return {"CLOSED", false, "the producer is closed"}; }

bool usable(const TopicInfo* info) {
  return info != nullptr && info->error == 0 && !info->partitions.empty();
}

}  // namespace

ProducerCore::ProducerCore(Env& env)
    : env_(env),
      network_(env),
      metadata_(env, network_),
      inbox_(env.config.buffer_memory),
      accumulator_(env.config),
      partitioner_(env.rng, env.config.batch_size),
      blind_(env.config.mutated(Mutant::kProduceWithoutMetadata)) {
  network_.on_trouble([this](int) { metadata_.request_update(); });
  network_.on_progress([this] { drain_soon(); });
  metadata_.on_update([this] { metadata_changed(); });
  if (env.config.transactional_id) {
    transactions_ = std::make_unique<Transactions>(env, network_, sequences_,
                                                   [this] { transactions_changed(); });
  }
}

void ProducerCore::start() {
  const Config& config = env_.config;
  if (config.mutated(Mutant::kLazyConnect)) return;
  if (config.policy == Policy::kArticle || config.mutated(Mutant::kDialAllBootstrap))
    dial_everyone();
  const int first = network_.least_loaded();
  if (blind_) return network_.dial(first);
  metadata_.ask(first);
  if (config.idempotent && !transactions_) ask_producer_id();
}

void ProducerCore::dial_everyone() {
  for (const int node : network_.node_ids()) network_.dial(node);
}

void ProducerCore::metadata_changed() {
  const Config& config = env_.config;
  if (config.policy == Policy::kArticle || config.mutated(Mutant::kDialAllBrokers)) dial_everyone();
  for (auto& [topic, queue] : waiting_) {
    if (!usable(metadata_.topic(topic))) continue;
    for (Waiting& waiting : std::exchange(queue, {}))
      place(std::move(waiting.record), std::move(waiting.callback), waiting.memory);
  }
  drain_soon();
}

void ProducerCore::take_inbox() {
  for (RecordInbox::Entry& entry : inbox_.take())
    send(std::move(entry.record), std::move(entry.callback), entry.size);
}

void ProducerCore::send(OutRecord record, DeliveryCallback callback, std::size_t memory) {
  ++pending_;
  if (closing_) return fail(callback, memory, closed());
  if (transactions_) {
    if (const auto why = transactions_->refusal()) return fail(callback, memory, *why);
  }
  if (usable(metadata_.topic(record.topic))) {
    place(std::move(record), std::move(callback), memory);
    return drain_soon();
  }
  if (blind_) produce_blindly(record);
  const std::string topic = record.topic;
  waiting_[topic].push_back(
      {std::move(record), std::move(callback), memory, env_.clock.now() + env_.config.max_block});
  metadata_.use_topics({topic});
  drain_soon();
}

void ProducerCore::place(OutRecord record, DeliveryCallback callback, std::size_t memory) {
  metadata_.touch(record.topic);
  const auto count = static_cast<std::int32_t>(metadata_.topic(record.topic)->partitions.size());
  const std::int32_t partition = partitioner_.choose(record, count, memory);
  if (partition < 0 || partition >= count) {
    return fail(callback, memory, {"INVALID_PARTITIONS", false, "the topic has no such partition"});
  }
  accumulator_.append(record, partition, env_.clock.now(), env_.clock.wall_ms(),
                      std::move(callback), memory);
}

void ProducerCore::fail(const DeliveryCallback& callback, std::size_t memory,
                        const ClientError& error) {
  callback(tl::unexpected(error));
  settled(1, memory);
}

void ProducerCore::fail_waiting(const ClientError& error) {
  for (auto& [topic, queue] : std::exchange(waiting_, {})) {
    for (const Waiting& waiting : queue) fail(waiting.callback, waiting.memory, error);
  }
}

void ProducerCore::ask_producer_id() {
  if (asking_producer_id_ || sequences_.has_id() || closed_) return;
  asking_producer_id_ = true;
  InitProducerIdRequest request;
  request.transactional_id.reset();
  request.transaction_timeout_ms = INT32_MAX;
  network_.send(network_.least_loaded(),
                make_request<InitProducerIdRequest, InitProducerIdResponse>(
                    std::move(request), kNewestInitProducerId, env_.config.request_timeout,
                    [this](const Result<InitProducerIdResponse>& response) {
                      if (response && response->error_code == 0) {
                        asking_producer_id_ = false;
                        sequences_.set_id(response->producer_id, response->producer_epoch);
                        producer_id_failures_ = 0;
                        return drain_soon();
                      }
                      const ExponentialBackoff backoff{env_.config.retry_backoff,
                                                       env_.config.retry_backoff_max};
                      env_.timers.after(backoff.pause(++producer_id_failures_, env_.rng), [this] {
                        asking_producer_id_ = false;
                        ask_producer_id();
                      });
                    }));
}

void ProducerCore::flush(std::function<void()> done) {
  if (pending_ == 0) return done();
  flushes_.push_back(std::move(done));
  drain_soon();
}

void ProducerCore::settled(std::size_t records, std::size_t memory) {
  inbox_.release(memory);
  pending_ -= records;
  if (pending_ > 0) return;
  for (auto& done : std::exchange(flushes_, {})) done();
  if (closing_ && !closed_) finish_closing();
}

bool ProducerCore::refuses(const Done& done) const {
  if (closing_) {
    done(closed());
  } else if (!transactions_) {
    done(ClientError{"INVALID_STATE", false, "no transactional.id is set"});
  }
  return closing_ || !transactions_;
}

void ProducerCore::init_transactions(const Done& done) {
  if (refuses(done)) return;
  transactions_->init(done);
}

void ProducerCore::begin_transaction(const Done& done) {
  if (refuses(done)) return;
  done(transactions_->begin());
}

void ProducerCore::send_offsets(const Positions& offsets, const GroupMember& member,
                                const Done& done) {
  if (refuses(done)) return;
  transactions_->send_offsets(offsets, member, done);
}

void ProducerCore::end_transaction(Transactions::Ending ending, const Done& done) {
  if (!refuses(done)) begin_to_end(ending, done);
}

void ProducerCore::begin_to_end(Transactions::Ending ending, const Done& done) {
  if (!transactions_->prepare(ending, done)) return;
  if (ending == Transactions::Ending::kAbort) {
    const ClientError aborted{"TRANSACTION_ABORTED", false, "the application aborted"};
    fail_waiting(aborted);
    for (const BatchPtr& batch : accumulator_.take_unsent()) give_up(batch, aborted);
  }
  flush([this] { transactions_->end(); });
}

// What is not under way cannot be part of the transaction any more.
void ProducerCore::transactions_changed() {
  if (transactions_->failure()) {
    const ClientError why = *transactions_->failure();
    fail_waiting(why);
    for (const BatchPtr& batch : accumulator_.take_unsent()) give_up(batch, why);
  }
  drain_soon();
  if (closing_ && !closed_ && pending_ == 0) finish_closing();
}

void ProducerCore::close(Nanos timeout, std::function<void()> done) {
  if (closing_) return done();
  closing_ = true;
  inbox_.close();
  on_closed_ = std::move(done);
  if (env_.config.mutated(Mutant::kDropQueuedOnClose)) {
    waiting_.clear();
    accumulator_.take_all();
    pending_ = 0;
  }
  close_timer_ = env_.timers.after(timeout, [this] {
    close_timer_ = 0;
    close_now();
  });
  if (pending_ == 0) return finish_closing();
  drain_soon();
}

void ProducerCore::finish_closing() {
  if (!transactions_ || !transactions_->open()) return close_now();
  if (transactions_->ending()) return;  // it changes when it has ended
  begin_to_end(Transactions::Ending::kAbort, [](const std::optional<ClientError>&) {});
}

void ProducerCore::close_now() {
  if (std::exchange(closed_, true)) return;
  for (auto* timer : {&drain_timer_, &close_timer_}) env_.timers.cancel(std::exchange(*timer, 0));
  metadata_.stop();
  if (transactions_) transactions_->stop();
  const ClientError late{"TIMED_OUT", true, "closed before delivery"};
  fail_waiting(late);
  for (const BatchPtr& batch : accumulator_.take_all()) complete(batch, tl::unexpected(late));
  const Config& config = env_.config;
  const CloseKind kind = config.mutated(Mutant::kCloseRst)          ? CloseKind::kRst
                         : config.mutated(Mutant::kCloseWithoutFin) ? CloseKind::kLeak
                                                                    : CloseKind::kFin;
  network_.close_all(kind, kAnswerPatience, std::exchange(on_closed_, {}));
}

}  // namespace ktrial::client
