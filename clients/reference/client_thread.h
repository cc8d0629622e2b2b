// SPDX-License-Identifier: Apache-2.0
// ClientThread: what a producer or consumer runs on: an event loop, clock and random numbers, and
// the state machine `Core` that lives on the loop's thread.
#pragma once

#include "clients/reference/channel.h"
#include "clients/reference/event_loop.h"

#include <functional>
#include <memory>
#include <random>
#include <utility>

namespace ktrial::client {

template <class Core>
class ClientThread {
 public:
  explicit ClientThread(Config config)
      : config_(std::move(config)),
        rng_(std::random_device{}(), "reference"),
        loop_({.keepalive = !config_.mutated(Mutant::kNoKeepalive),
               .ignore_peer_fin = config_.ignores_fin(),
               .outlive_process = config_.mutated(Mutant::kSocketsOutliveProcess)}),
        env_{clock_, loop_.timers(), loop_.dialer(), rng_, config_} {
    loop_.run([this] { core_ = std::make_unique<Core>(env_); });
  }
  ~ClientThread() {
    // Timers that are still pending must not find the core gone.
    loop_.run([this] {
      core_.reset();
      loop_.stop();
    });
  }
  ClientThread(const ClientThread&) = delete;
  ClientThread& operator=(const ClientThread&) = delete;

  // fn(core) on the loop's thread, some time later.
  template <class Fn>
  void post(Fn fn) {
    loop_.post([this, fn = std::move(fn)]() mutable { fn(*core_); });
  }
  [[nodiscard]] const Config& config() const { return config_; }

 private:
  Config config_;
  SystemClock clock_;
  Rng rng_;
  EventLoop loop_;
  Env env_;
  std::unique_ptr<Core> core_;
};

}  // namespace ktrial::client
