// SPDX-License-Identifier: Apache-2.0
// ProducerCore: batches on their way to leaders, and what their answers mean.
#include "clients/reference/producer_core.h"
#include "protocol/messages/produce_request.h"

#include <algorithm>
#include <utility>

namespace ktrial::client {

using protocol::KafkaError;
using protocol::ProduceRequest;
using protocol::ProduceResponse;

namespace {

// From version 13 topics are named by id; version 12 adds partitions to a transaction by itself.
constexpr std::int16_t kNewestProduce = 12;
constexpr std::int16_t kNewestTransactionalProduce = 11;

void add_batch(ProduceRequest& request, const TopicPartition& at, Slice records) {
  auto topic = std::ranges::find(request.topic_data, at.topic,
                                 &protocol::produce_request::TopicProduceData::name);
  if (topic == request.topic_data.end()) {
    request.topic_data.emplace_back().name = at.topic;
    topic = request.topic_data.end() - 1;
  }
  auto& partition = topic->partition_data.emplace_back();
  partition.index = at.partition;
  partition.records = std::move(records);
}

}  // namespace

// Soon, not now: records sent in one go share a batch, and callbacks never run inside send().
void ProducerCore::drain_soon() { drain_at(env_.clock.now()); }

void ProducerCore::drain_at(TimePoint when) {
  if (closed_ || when == TimePoint::max()) return;
  if (drain_timer_ != 0 && drain_due_ <= when) return;
  env_.timers.cancel(drain_timer_);
  drain_due_ = when;
  drain_timer_ = env_.timers.after(std::max(when - env_.clock.now(), Nanos::zero()), [this] {
    drain_timer_ = 0;
    drain();
  });
}

void ProducerCore::drain() {
  expire();
  // Bounded, so that what fails at once cannot keep the loop from timers and sockets.
  for (std::size_t round = 0; round < env_.config.max_in_flight; ++round) {
    if (!send_round()) break;
  }
  TimePoint next = accumulator_.next_event(env_.clock.now());
  for (const auto& [topic, queue] : waiting_) {
    if (!queue.empty()) next = std::min(next, queue.front().deadline);
  }
  drain_at(next);
}

void ProducerCore::expire() {
  const TimePoint now = env_.clock.now();
  std::vector<Waiting> late;
  for (auto& [topic, queue] : waiting_) {
    while (!queue.empty() && queue.front().deadline <= now) {
      late.push_back(std::move(queue.front()));
      queue.pop_front();
    }
  }
  for (const Waiting& waiting : late) {
    fail(waiting.callback, waiting.memory,
         {"TIMED_OUT", true, "no metadata for the topic in max.block.ms"});
  }
  if (env_.config.mutated(Mutant::kNeverExpires)) return;
  for (const BatchPtr& batch : accumulator_.take_expired(now))
    give_up(batch, {"TIMED_OUT", true, "not delivered in delivery.timeout.ms"});
}

// The next batch of each partition, a request a leader; true if there was any.
bool ProducerCore::send_round() {
  if (closed_) return false;
  const TimePoint now = env_.clock.now();
  const bool flushing = closing_ || !flushes_.empty();
  std::map<int, std::vector<BatchPtr>> by_leader;
  for (const auto& [at, queue] : accumulator_.queues()) {
    const BatchPtr batch = accumulator_.due(queue, now, flushing);
    if (!batch) continue;
    metadata_.touch(at.topic);
    const auto leader = metadata_.leader(at.topic, at.partition);
    if (!leader) {
      metadata_.request_update();
      continue;
    }
    const int target = target_of(*batch, *leader);
    if (!network_.has_room(target) || !may_send(at, queue, *batch, target)) continue;
    prepare(*batch, target);
    by_leader[target].push_back(batch);
  }
  for (auto& [leader, batches] : by_leader) {
    std::vector<BatchPtr> together;
    std::size_t size = 0;
    for (BatchPtr& batch : batches) {
      if (!together.empty() && size + batch->bytes.size() > env_.config.max_request_size) {
        transmit(leader, std::exchange(together, {}));
        size = 0;
      }
      size += batch->bytes.size();
      together.push_back(std::move(batch));
    }
    transmit(leader, std::move(together));
  }
  return !by_leader.empty();
}

bool ProducerCore::may_send(const TopicPartition& at, const BatchQueue& queue, Batch& batch,
                            int leader) {
  if (!env_.config.idempotent) return true;
  if (transactions_) return transactions_->includes(at) && sequences_.allows(queue, batch, leader);
  const bool mended = sequences_.mend(at, queue);
  if (!sequences_.has_id()) ask_producer_id();
  return mended && sequences_.has_id() && sequences_.allows(queue, batch, leader);
}

int ProducerCore::target_of(const Batch& batch, int leader) const {
  const bool astray = env_.config.mutated(Mutant::kNeverTheLeader) ||
                      (env_.config.mutated(Mutant::kWrongLeader) && batch.attempts == 0);
  if (!astray) return leader;
  const std::vector<int> nodes = network_.node_ids();
  const auto next = std::ranges::upper_bound(nodes, leader);
  return next == nodes.end() ? nodes.front() : *next;
}

// A batch keeps its sequence number when it is sent again: the broker knows it as the same one.
void ProducerCore::prepare(Batch& batch, int leader) {
  batch.in_flight = true;
  batch.full = true;
  batch.sent_to = leader;
  if (!batch.bytes.empty()) return;
  if (env_.config.idempotent) sequences_.stamp(batch);
  if (auto bytes = batch.builder.finish(batch.stamp.value_or(protocol::ProducerState{})))
    batch.bytes = Slice(std::move(*bytes));
}

void ProducerCore::transmit(int leader, std::vector<BatchPtr> batches) {
  ProduceRequest message;
  message.transactional_id = env_.config.transactional_id;
  message.acks = env_.config.acks;
  message.timeout_ms = static_cast<std::int32_t>(env_.config.request_timeout.count());
  for (const BatchPtr& batch : batches) add_batch(message, batch->at, batch->bytes);
  const std::int16_t newest = transactions_ ? kNewestTransactionalProduce : kNewestProduce;
  Request request = make_request<ProduceRequest, ProduceResponse>(
      std::move(message), newest, env_.config.request_timeout,
      [this, batches](const Result<ProduceResponse>& response) { answered(batches, response); });
  if (env_.config.acks == 0) {
    request.expects_response = false;
    request.done = [this, batches](const Result<Slice>& body, std::int16_t) {
      if (!body) return answered(batches, tl::unexpected<Error>(body.error()));
      for (const BatchPtr& batch : batches) {
        if (accumulator_.take(batch)) complete(batch, -1);
      }
      drain_soon();
    };
  }
  network_.send(leader, std::move(request));
}

void ProducerCore::answered(const std::vector<BatchPtr>& sent,
                            const Result<ProduceResponse>& response) {
  if (closed_) return;
  drain_soon();
  if (!response) {
    const Errc code = response.error().code;
    const bool again = code == Errc::kIo || code == Errc::kTimeout;
    for (const BatchPtr& batch : sent) {
      // No pause of its own: the network paces attempts to reach a broker.
      if (again) {
        retry(batch, Nanos::zero(), client_error(response.error()));
      } else if (accumulator_.take(batch)) {
        give_up(batch, client_error(response.error()));
      }
    }
    return;
  }
  std::map<TopicPartition, const protocol::produce_response::PartitionProduceResponse*> answers;
  for (const auto& topic : response->responses) {
    for (const auto& partition : topic.partition_responses)
      answers[{topic.name, partition.index}] = &partition;
  }
  for (const BatchPtr& batch : sent) {
    const auto found = answers.find(batch->at);
    if (found != answers.end()) {
      settle(batch, *found->second);
    } else {
      retry(batch, env_.config.retry_backoff,
            {"UNKNOWN_SERVER_ERROR", true, "left out of the answer"});
    }
  }
}

void ProducerCore::settle(const BatchPtr& batch,
                          const protocol::produce_response::PartitionProduceResponse& answer) {
  const auto error = static_cast<KafkaError>(answer.error_code);
  if (error == KafkaError::kNone || error == KafkaError::kDuplicateSequenceNumber) {
    if (accumulator_.take(batch)) complete(batch, answer.base_offset);
    return;
  }
  const ExponentialBackoff backoff{env_.config.retry_backoff, env_.config.retry_backoff_max};
  const Nanos pause = backoff.pause(batch->attempts + 1, env_.rng);
  const ClientError why = client_error(answer.error_code);
  const BatchPtr first = accumulator_.first(batch->at);
  if (env_.config.idempotent && !transactions_ &&
      (error == KafkaError::kUnknownProducerId || error == KafkaError::kOutOfOrderSequenceNumber)) {
    // One that failed before this one leaves the gap; only the first can tell that it stays.
    if (first == batch) sequences_.broken(batch->at);
    return retry(batch, pause, why);
  }
  const bool out_of_turn = transactions_ && error == KafkaError::kOutOfOrderSequenceNumber &&
                           first != nullptr && first != batch;
  const bool fatal =
      (!protocol::retriable(error) && !out_of_turn) || env_.config.mutated(Mutant::kNeverTheLeader);
  if (fatal) {
    if (accumulator_.take(batch)) give_up(batch, why);
    return;
  }
  metadata_.request_update();
  if (!env_.config.mutated(Mutant::kIgnoresTrouble))
    metadata_.take_leader(batch->at.topic, batch->at.partition,
                          {answer.current_leader.leader_id, answer.current_leader.leader_epoch});
  retry(batch, pause, why);
}

void ProducerCore::retry(const BatchPtr& batch, Nanos pause, const ClientError& error) {
  const TimePoint now = env_.clock.now();
  const bool over = static_cast<std::int64_t>(++batch->attempts) > env_.config.retries ||
                    batch->created + env_.config.delivery_timeout <= now ||
                    (transactions_ && (transactions_->aborting() || transactions_->failure()));
  if (over) {
    if (accumulator_.take(batch)) give_up(batch, error);
    return;
  }
  batch->in_flight = false;
  batch->retry_at = now + pause;
}

// Of a batch that has been sent, the sequence has a gap or may have one.
void ProducerCore::give_up(const BatchPtr& batch, const ClientError& error) {
  if (transactions_) {
    transactions_->record_failed(error, batch->stamp.has_value());
  } else if (batch->stamp) {
    sequences_.broken(batch->at);
  }
  complete(batch, tl::unexpected(error));
  if (transactions_) transactions_changed();
}

void ProducerCore::complete(const BatchPtr& batch, const Outcome& outcome) {
  const std::vector<DeliveryCallback> callbacks = std::exchange(batch->callbacks, {});
  std::int64_t offset = outcome.value_or(-1);
  for (const DeliveryCallback& callback : callbacks) {
    if (outcome) {
      callback(Place{batch->at, offset});
      if (offset >= 0) ++offset;
    } else {
      callback(tl::unexpected(outcome.error()));
    }
  }
  settled(callbacks.size(), batch->memory);
}

void ProducerCore::produce_blindly(const OutRecord& record) {
  blind_ = false;
  protocol::RecordBatchBuilder builder;
  builder.append(env_.clock.wall_ms(), std::nullopt, std::nullopt);
  auto bytes = builder.finish();
  if (!bytes) return;
  ProduceRequest message;
  message.acks = -1;
  message.timeout_ms = 1'000;
  add_batch(message, {record.topic, record.partition.value_or(0)}, Slice(std::move(*bytes)));
  network_.send(network_.least_loaded(),
                make_request<ProduceRequest, ProduceResponse>(
                    std::move(message), kNewestProduce, env_.config.request_timeout,
                    [](const Result<ProduceResponse>&) {}));
}

}  // namespace ktrial::client
