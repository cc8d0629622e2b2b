// SPDX-License-Identifier: Apache-2.0
#include "clients/reference/coordinator_calls.h"

namespace ktrial::client {

using protocol::KafkaError;

CoordinatorCalls::CoordinatorCalls(Env& env, Network& network, Coordinator::Sought sought,
                                   std::function<void(const ClientError&)> failed)
    : env_(env),
      network_(network),
      failed_(std::move(failed)),
      coordinator_(env, network, std::move(sought),
                   {.found =
                        [this] {
                          looking_ = false;
                          pump();
                        },
                    .failed =
                        [this](const ClientError& error) {
                          looking_ = false;
                          failed_(error);
                        }}) {}

CoordinatorCalls::Verdict CoordinatorCalls::verdict(std::int16_t error) {
  const auto known = static_cast<KafkaError>(error);
  if (known == KafkaError::kNotCoordinator || known == KafkaError::kCoordinatorNotAvailable)
    return Verdict::kMoved;
  return protocol::retriable(known) ? Verdict::kAgain : Verdict::kDone;
}

void CoordinatorCalls::pump() {
  if (busy_ || stopped_ || calls_.empty() || timer_ != 0) return;
  if (!coordinator_.node()) {
    if (!std::exchange(looking_, true)) coordinator_.find(network_.least_loaded());
    return;
  }
  busy_ = true;
  calls_.front()(*coordinator_.node());
}

void CoordinatorCalls::settle(Verdict verdict) {
  busy_ = false;
  if (verdict == Verdict::kDone) {
    failures_ = 0;
    calls_.pop_front();
    return pump();
  }
  if (verdict == Verdict::kMoved) {
    looking_ = true;
    return coordinator_.lost();
  }
  const ExponentialBackoff backoff{env_.config.retry_backoff, env_.config.retry_backoff_max};
  timer_ = env_.timers.after(backoff.pause(++failures_, env_.rng), [this] {
    timer_ = 0;
    pump();
  });
}

void CoordinatorCalls::lost(const Error& error) {
  if (error.code == Errc::kIo || error.code == Errc::kTimeout) return settle(Verdict::kMoved);
  busy_ = false;
  failed_(client_error(error));
}

void CoordinatorCalls::stop() {
  stopped_ = true;
  coordinator_.stop();
  env_.timers.cancel(std::exchange(timer_, 0));
}

}  // namespace ktrial::client
