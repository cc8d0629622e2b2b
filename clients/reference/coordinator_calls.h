// SPDX-License-Identifier: Apache-2.0
// CoordinatorCalls: requests to a coordinator, one at a time in their order, each repeated until it
// is answered for good: over another broker if the coordinator has moved, after a pause if it
// cannot answer yet.
#pragma once

#include "clients/reference/coordinator.h"
#include "clients/reference/outcome.h"

#include <deque>
#include <functional>
#include <optional>
#include <utility>

namespace ktrial::client {

class CoordinatorCalls {
 public:
  enum class Verdict : std::uint8_t { kDone, kAgain, kMoved };

  // `failed`: no coordinator will be found, or it does not speak as this client does.
  CoordinatorCalls(Env& env, Network& network, Coordinator::Sought sought,
                   std::function<void(const ClientError&)> failed);
  CoordinatorCalls(const CoordinatorCalls&) = delete;
  CoordinatorCalls& operator=(const CoordinatorCalls&) = delete;
  ~CoordinatorCalls() { stop(); }

  // `make` is asked anew for each attempt, so that it may say what has come up meanwhile.
  template <class Req, class Res>
  void call(std::int16_t newest, std::function<Req()> make,
            std::function<Verdict(const Res&)> answered) {
    calls_.push_back(
        [this, newest, make = std::move(make), answered = std::move(answered)](int node) {
          network_.send(node, make_request<Req, Res>(make(), newest, env_.config.request_timeout,
                                                     [this, answered](const Result<Res>& response) {
                                                       if (stopped_) return;
                                                       if (!response) return lost(response.error());
                                                       settle(answered(*response));
                                                     }));
        });
    pump();
  }
  void stop();

  // kDone for what a retry cannot mend.
  static Verdict verdict(std::int16_t error);

 private:
  void pump();
  void settle(Verdict verdict);
  void lost(const Error& error);

  Env& env_;
  Network& network_;
  std::function<void(const ClientError&)> failed_;
  Coordinator coordinator_;
  std::deque<std::function<void(int node)>> calls_;
  bool busy_ = false;
  bool looking_ = false;
  bool stopped_ = false;
  unsigned failures_ = 0;
  TimerService::Id timer_ = 0;
};

}  // namespace ktrial::client
