// SPDX-License-Identifier: Apache-2.0
// Listener: one broker's listening socket, which can be closed and opened again on its port.
#pragma once

#include "common/clock.h"
#include "common/result.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <cstdint>
#include <functional>
#include <string>

namespace ktrial::fakebroker {

class Listener {
 public:
  using OnAccept = std::function<void(boost::asio::ip::tcp::socket)>;

  Listener(boost::asio::io_context& context, TimerService& timers, std::string host,
           std::uint16_t port, bool keepalive, OnAccept on_accept);
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  // Accepting when it returns. Port 0 becomes the one the kernel chose, for later openings too.
  Result<void> open();
  // Connections waiting to be accepted are reset.
  void close();
  // A deaf one answers no connection attempt, as if its host were gone.
  void set_deaf(bool deaf);
  [[nodiscard]] bool is_open() const { return acceptor_.is_open(); }
  [[nodiscard]] std::uint16_t port() const { return port_; }

 private:
  void accept();
  void retry_later();

  boost::asio::ip::tcp::acceptor acceptor_;
  TimerService& timers_;
  TimerService::Id retry_ = 0;
  std::string host_;
  std::uint16_t port_;
  bool keepalive_;
  OnAccept on_accept_;
};

}  // namespace ktrial::fakebroker
