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

// From version 13 topics are named by id.
constexpr std::int16_t kNewestProduce = 12;

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
void ProducerCore::drain_soon() {
  if (closed_) return;
  const TimePoint now = env_.clock.now();
  if (drain_timer_ != 0 && drain_at_ <= now) return;
  env_.timers.cancel(drain_timer_);
  drain_at_ = now;
  drain_timer_ = env_.timers.after(Nanos::zero(), [this] {
    drain_timer_ = 0;
    drain();
  });
}

void ProducerCore::drain() {
  expire();
  if (closed_) return;
  const TimePoint now = env_.clock.now();
  const bool flushing = closing_ || !flushes_.empty();
  std::map<int, std::vector<Batch*>> by_leader;
  for (auto& [at, queue] : accumulator_.queues()) {
    if (!accumulator_.due(queue, now, flushing)) continue;
    if (env_.config.idempotent && producer_id_ < 0) {
      ask_producer_id();
      continue;
    }
    const auto leader = metadata_.leader(at.topic, at.partition);
    if (!leader) {
      metadata_.request_update();
      continue;
    }
    int target = *leader;
    const bool astray = env_.config.mutated(Mutant::kNeverTheLeader) ||
                        (env_.config.mutated(Mutant::kWrongLeader) && queue.front().attempts == 0);
    if (astray) {
      const std::vector<int> nodes = network_.node_ids();
      const auto next = std::ranges::upper_bound(nodes, target);
      target = next == nodes.end() ? nodes.front() : *next;
    }
    by_leader[target].push_back(&queue.front());
  }
  for (const auto& [leader, batches] : by_leader) {
    std::vector<Batch*> together;
    std::size_t size = 0;
    for (Batch* batch : batches) {
      prepare(*batch);
      if (!together.empty() && size + batch->bytes.size() > env_.config.max_request_size) {
        transmit(leader, std::exchange(together, {}));
        size = 0;
      }
      size += batch->bytes.size();
      together.push_back(batch);
    }
    transmit(leader, together);
  }
  TimePoint next = accumulator_.next_event(now);
  for (const auto& [topic, queue] : waiting_) {
    if (!queue.empty()) next = std::min(next, queue.front().deadline);
  }
  if (next == TimePoint::max() || drain_timer_ != 0 || closed_) return;
  drain_at_ = next;
  drain_timer_ = env_.timers.after(next - env_.clock.now(), [this] {
    drain_timer_ = 0;
    drain();
  });
}

void ProducerCore::expire() {
  const TimePoint now = env_.clock.now();
  std::vector<DeliveryCallback> late;
  for (auto& [topic, queue] : waiting_) {
    while (!queue.empty() && queue.front().deadline <= now) {
      late.push_back(std::move(queue.front().callback));
      queue.pop_front();
    }
  }
  for (const auto& callback : late) {
    callback(tl::unexpected(
        ClientError{"TIMED_OUT", true, "no metadata for the topic in max.block.ms"}));
    record_done();
    if (closed_) return;
  }
  std::vector<TopicPartition> expired;
  for (const auto& [at, queue] : accumulator_.queues()) {
    if (queue.empty() || queue.front().in_flight) continue;
    if (queue.front().created + env_.config.delivery_timeout <= now) expired.push_back(at);
  }
  for (const TopicPartition& at : expired) {
    finish(at,
           tl::unexpected(ClientError{"TIMED_OUT", true, "not delivered in delivery.timeout.ms"}));
    if (closed_) return;
  }
}

// A batch keeps its sequence number when it is sent again: the broker knows it as the same one.
void ProducerCore::prepare(Batch& batch) {
  batch.in_flight = true;
  batch.full = true;
  if (!batch.bytes.empty()) return;
  protocol::ProducerState state;
  if (env_.config.idempotent) {
    std::int32_t& next = next_sequence_[batch.at];
    batch.sequence = next;
    next += batch.builder.record_count();
    state = {producer_id_, producer_epoch_, *batch.sequence};
  }
  if (auto bytes = batch.builder.finish(state)) batch.bytes = std::move(*bytes);
  partitioner_.batch_sent(batch.at.topic);
}

void ProducerCore::transmit(int leader, const std::vector<Batch*>& batches) {
  ProduceRequest message;
  message.acks = env_.config.acks;
  message.timeout_ms = static_cast<std::int32_t>(env_.config.request_timeout.count());
  std::vector<TopicPartition> sent;
  for (const Batch* batch : batches) {
    add_batch(message, batch->at, Slice::copy_of(std::span<const std::uint8_t>(batch->bytes)));
    sent.push_back(batch->at);
  }
  Request request = make_request<ProduceRequest, ProduceResponse>(
      std::move(message), kNewestProduce, env_.config.request_timeout,
      [this, sent](const Result<ProduceResponse>& response) { answered(sent, response); });
  if (env_.config.acks == 0) {
    request.expects_response = false;
    request.done = [this, sent](const Result<Slice>& body, std::int16_t) {
      if (!body) return answered(sent, tl::unexpected<Error>(body.error()));
      for (const TopicPartition& at : sent) settle(at, 0, -1);
      drain_soon();
    };
  }
  network_.send(leader, std::move(request));
}

void ProducerCore::answered(const std::vector<TopicPartition>& sent,
                            const Result<ProduceResponse>& response) {
  if (closed_) return;
  if (!response) {
    const Errc code = response.error().code;
    const bool again = code == Errc::kIo || code == Errc::kTimeout;
    for (const TopicPartition& at : sent) {
      auto& queue = accumulator_.queues()[at];
      if (queue.empty() || !queue.front().in_flight) continue;
      // No pause of its own: the network paces attempts to reach a broker.
      if (again) {
        retry(queue.front(), Nanos::zero(), client_error(response.error()));
      } else {
        finish(at, tl::unexpected(client_error(response.error())));
      }
    }
    return drain_soon();
  }
  for (const auto& topic : response->responses) {
    for (const auto& partition : topic.partition_responses) {
      settle({topic.name, partition.index}, partition.error_code, partition.base_offset);
    }
  }
  drain_soon();
}

void ProducerCore::settle(const TopicPartition& at, std::int16_t error, std::int64_t offset) {
  auto& queue = accumulator_.queues()[at];
  if (closed_ || queue.empty() || !queue.front().in_flight) return;
  Batch& batch = queue.front();
  const auto known = static_cast<KafkaError>(error);
  if (known == KafkaError::kNone || known == KafkaError::kDuplicateSequenceNumber)
    return finish(at, offset);
  if (known == KafkaError::kUnknownProducerId || known == KafkaError::kOutOfOrderSequenceNumber) {
    producer_id_ = -1;  // a new one starts its sequences anew
  }
  const bool fatal = !protocol::retriable(known) || env_.config.mutated(Mutant::kNeverTheLeader);
  if (fatal) return finish(at, tl::unexpected(client_error(error)));
  metadata_.request_update();
  const ExponentialBackoff backoff{env_.config.retry_backoff, env_.config.retry_backoff_max};
  retry(batch, backoff.pause(batch.attempts + 1, env_.rng), client_error(error));
}

void ProducerCore::retry(Batch& batch, Nanos pause, const ClientError& error) {
  const TimePoint now = env_.clock.now();
  if (static_cast<std::int64_t>(++batch.attempts) > env_.config.retries ||
      batch.created + env_.config.delivery_timeout <= now) {
    return finish(TopicPartition(batch.at), tl::unexpected(error));
  }
  batch.in_flight = false;
  batch.retry_at = now + pause;
}

void ProducerCore::finish(const TopicPartition& at,
                          const tl::expected<std::int64_t, ClientError>& outcome) {
  auto& queue = accumulator_.queues()[at];
  const std::vector<DeliveryCallback> callbacks = std::move(queue.front().callbacks);
  queue.pop_front();
  std::int64_t offset = outcome ? *outcome : -1;
  for (const auto& callback : callbacks) {
    if (outcome) {
      callback(Place{at, offset});
      if (offset >= 0) ++offset;
    } else {
      callback(tl::unexpected(outcome.error()));
    }
    record_done();
  }
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
