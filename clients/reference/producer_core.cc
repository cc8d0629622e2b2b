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

ClientError timed_out(std::string message) { return {"TIMED_OUT", true, std::move(message)}; }

}  // namespace

ProducerCore::ProducerCore(Env& env)
    : env_(env),
      network_(env),
      metadata_(env, network_),
      accumulator_(env.config),
      partitioner_(env.rng),
      blind_(env.config.mutated(Mutant::kProduceWithoutMetadata)) {
  network_.on_trouble([this](int) { metadata_.request_update(); });
  metadata_.on_update([this] { metadata_changed(); });
}

void ProducerCore::start() {
  const Config& config = env_.config;
  if (config.mutated(Mutant::kLazyConnect)) return;
  if (config.policy == Policy::kArticle || config.mutated(Mutant::kDialAllBootstrap))
    dial_everyone();
  const int first = network_.least_loaded();
  if (blind_) return network_.dial(first);
  metadata_.ask(first);
  if (config.idempotent) ask_producer_id();
}

void ProducerCore::dial_everyone() {
  for (const int node : network_.node_ids()) network_.dial(node);
}

void ProducerCore::metadata_changed() {
  const Config& config = env_.config;
  if (config.policy == Policy::kArticle || config.mutated(Mutant::kDialAllBrokers)) dial_everyone();
  for (auto& [topic, queue] : waiting_) {
    const TopicInfo* info = metadata_.topic(topic);
    if (info == nullptr || info->error != 0 || info->partitions.empty()) continue;
    for (Waiting& waiting : std::exchange(queue, {})) {
      place(std::move(waiting.record), std::move(waiting.callback));
    }
  }
  drain_soon();
}

void ProducerCore::send(OutRecord record, DeliveryCallback callback) {
  if (closing_)
    return callback(tl::unexpected(ClientError{"CLOSED", false, "the producer is closed"}));
  ++pending_;
  const TopicInfo* info = metadata_.topic(record.topic);
  if (info != nullptr && info->error == 0 && !info->partitions.empty()) {
    place(std::move(record), std::move(callback));
    return drain_soon();
  }
  if (blind_) produce_blindly(record);
  const std::string topic = record.topic;
  waiting_[topic].push_back(
      {std::move(record), std::move(callback), env_.clock.now() + env_.config.max_block});
  metadata_.use_topics({topic});
  drain_soon();
}

void ProducerCore::place(OutRecord record, DeliveryCallback callback) {
  const auto count = static_cast<std::int32_t>(metadata_.topic(record.topic)->partitions.size());
  const std::int32_t partition = partitioner_.choose(record, count);
  if (partition < 0 || partition >= count) {
    callback(tl::unexpected(
        ClientError{"INVALID_PARTITIONS", false, "the topic has no such partition"}));
    return record_done();
  }
  accumulator_.append(record, partition, env_.clock.now(), env_.clock.wall_ms(),
                      std::move(callback));
}

void ProducerCore::ask_producer_id() {
  if (asking_producer_id_ || producer_id_ >= 0 || closed_) return;
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
                        producer_id_ = response->producer_id;
                        producer_epoch_ = response->producer_epoch;
                        producer_id_failures_ = 0;
                        next_sequence_.clear();
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

void ProducerCore::record_done() {
  if (--pending_ > 0) return;
  for (auto& done : std::exchange(flushes_, {})) done();
  if (closing_) close_now();
}

void ProducerCore::close(Nanos timeout, std::function<void()> done) {
  if (closing_) return done();
  closing_ = true;
  on_closed_ = std::move(done);
  if (env_.config.mutated(Mutant::kDropQueuedOnClose)) {
    waiting_.clear();
    accumulator_.queues().clear();
    pending_ = 0;
  }
  if (pending_ == 0) return close_now();
  close_timer_ = env_.timers.after(timeout, [this] {
    close_timer_ = 0;
    close_now();
  });
  drain_soon();
}

void ProducerCore::close_now() {
  if (std::exchange(closed_, true)) return;
  for (auto* timer : {&drain_timer_, &close_timer_}) env_.timers.cancel(std::exchange(*timer, 0));
  metadata_.stop();
  const ClientError late = timed_out("closed before delivery");
  for (auto& [topic, queue] : std::exchange(waiting_, {})) {
    for (const Waiting& waiting : queue) waiting.callback(tl::unexpected(late));
  }
  for (auto& [at, queue] : std::exchange(accumulator_.queues(), {})) {
    for (const Batch& batch : queue) {
      for (const auto& callback : batch.callbacks) callback(tl::unexpected(late));
    }
  }
  const Config& config = env_.config;
  const CloseKind kind = config.mutated(Mutant::kCloseRst)          ? CloseKind::kRst
                         : config.mutated(Mutant::kCloseWithoutFin) ? CloseKind::kLeak
                                                                    : CloseKind::kFin;
  network_.close_all(kind, kAnswerPatience, std::exchange(on_closed_, {}));
}

}  // namespace ktrial::client
