// SPDX-License-Identifier: Apache-2.0
// EventLoop: a client's one I/O thread, with its timers and its sockets. The only part of the
// client that knows Asio.
#pragma once

#include "clients/reference/link.h"
#include "common/clock.h"

#include <functional>
#include <memory>

namespace ktrial::client {

struct SocketOptions {
  bool keepalive = true;
  bool ignore_peer_fin = false;  // mutant
  bool outlive_process = false;  // mutant
};

class EventLoop {
 public:
  explicit EventLoop(const SocketOptions& options);
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;
  ~EventLoop();  // stops the thread; sockets still open are closed

  [[nodiscard]] TimerService& timers();
  [[nodiscard]] Dialer& dialer();
  void post(std::function<void()> fn);
  // Runs fn on the loop's thread and waits for it.
  void run(const std::function<void()>& fn);
  // On the loop's thread: what it is doing is the last thing it does.
  void stop();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ktrial::client
