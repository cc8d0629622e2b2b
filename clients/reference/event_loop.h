// SPDX-License-Identifier: Apache-2.0
// EventLoop: a client's one I/O thread, with its timers and its sockets. The only part of the
// client that knows Asio. There is no thread before start(), so that what runs on it is complete.
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
  ~EventLoop();  // stops; sockets still open are closed

  void start();
  // Ends the thread, after what it is doing. Not to be called on it; nothing runs afterwards.
  void stop();

  [[nodiscard]] TimerService& timers();
  [[nodiscard]] Dialer& dialer();
  // Before start(): runs once the thread does.
  void post(std::function<void()> fn);
  [[nodiscard]] bool on_its_thread() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ktrial::client
