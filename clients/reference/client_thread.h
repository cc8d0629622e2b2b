// SPDX-License-Identifier: Apache-2.0
// ClientThread: what a producer or consumer runs on: an event loop, clock and random numbers, and
// the state machine `Core` that lives on the loop's thread.
#pragma once

#include "clients/reference/channel.h"
#include "clients/reference/event_loop.h"

#include <functional>
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
        env_{clock_, loop_.timers(), loop_.dialer(), rng_, config_},
        core_(env_) {}
  // The core goes when nothing can run on it any more.
  ~ClientThread() { loop_.stop(); }
  ClientThread(const ClientThread&) = delete;
  ClientThread& operator=(const ClientThread&) = delete;

  // Once; what was posted before runs first.
  void start() { loop_.start(); }
  // fn(core) on the loop's thread, some time later.
  template <class Fn>
  void post(Fn fn) {
    loop_.post([this, fn = std::move(fn)]() mutable { fn(core_); });
  }
  // Before start(), or for what the core says is safe from any thread.
  [[nodiscard]] Core& core() { return core_; }
  [[nodiscard]] bool on_its_thread() const { return loop_.on_its_thread(); }
  [[nodiscard]] const Config& config() const { return config_; }

 private:
  Config config_;
  SystemClock clock_;
  Rng rng_;
  EventLoop loop_;
  Env env_;
  Core core_;
};

}  // namespace ktrial::client
