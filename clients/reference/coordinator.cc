// SPDX-License-Identifier: Apache-2.0
#include "clients/reference/coordinator.h"

#include "clients/reference/node_ids.h"
#include "protocol/messages/find_coordinator_request.h"

#include <utility>

namespace ktrial::client {

using protocol::FindCoordinatorRequest;
using protocol::FindCoordinatorResponse;
using protocol::KafkaError;

namespace {

constexpr std::int16_t kNewestFindCoordinator = 3;  // from 4 on several keys at once

}  // namespace

Coordinator::Coordinator(Env& env, Network& network, Sought sought, Observer observer)
    : env_(env), network_(network), sought_(std::move(sought)), observer_(std::move(observer)) {}

void Coordinator::find(int node) {
  FindCoordinatorRequest request;
  request.key = sought_.key;
  request.key_type = static_cast<std::int8_t>(sought_.type);
  network_.send(node, make_request<FindCoordinatorRequest, FindCoordinatorResponse>(
                          std::move(request), kNewestFindCoordinator, env_.config.request_timeout,
                          [this](const Result<FindCoordinatorResponse>& response) {
                            if (!stopped_) answered(response);
                          }));
}

void Coordinator::answered(const Result<FindCoordinatorResponse>& response) {
  const bool refused = response && response->error_code != 0 &&
                       !protocol::retriable(static_cast<KafkaError>(response->error_code));
  if (refused) {
    failed_ = true;
    return observer_.failed(client_error(response->error_code));
  }
  if (!response || response->error_code != 0) return find_later();
  failures_ = 0;
  broker_ = response->node_id;
  node_ = response->node_id;
  const bool shared = !sought_.own_connection || env_.config.mutated(Mutant::kCoordinatorShared) ||
                      env_.config.mutated(Mutant::kFindOnNewConnection);
  if (!shared) node_ = coordinator_node(response->node_id);
  if (!shared || !network_.knows(*node_))
    network_.set_private_node(*node_, {response->host, static_cast<std::uint16_t>(response->port)});
  observer_.found();
}

void Coordinator::find_later() {
  const ExponentialBackoff backoff{env_.config.retry_backoff, env_.config.retry_backoff_max};
  env_.timers.cancel(timer_);
  timer_ = env_.timers.after(backoff.pause(++failures_, env_.rng), [this] {
    timer_ = 0;
    find(network_.least_loaded());
  });
}

void Coordinator::lost() {
  if (!node_ || stopped_) return;
  node_.reset();
  find_later();
}

bool Coordinator::lost_by(std::int16_t error) {
  const auto known = static_cast<KafkaError>(error);
  if (known != KafkaError::kNotCoordinator && known != KafkaError::kCoordinatorNotAvailable)
    return false;
  lost();
  return true;
}

void Coordinator::look_again() {
  if (std::exchange(failed_, false) && !stopped_) find_later();
}

void Coordinator::stop() {
  stopped_ = true;
  env_.timers.cancel(std::exchange(timer_, 0));
}

}  // namespace ktrial::client
