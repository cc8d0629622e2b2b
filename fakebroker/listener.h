// SPDX-License-Identifier: Apache-2.0
// Listener: one broker's listening socket, which can be closed and opened again on its port. Where
// the broker's quotas say so, it keeps a connection that it has accepted waiting, and accepts no
// other meanwhile, as Kafka's acceptor thread does: the kernel completes their handshakes, and
// nothing that they send is read.
#pragma once

#include "common/clock.h"
#include "common/result.h"
#include "fakebroker/connection_quotas.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace ktrial::fakebroker {

class Listener {
 public:
  using OnAccept = std::function<void(boost::asio::ip::tcp::socket)>;

  struct Settings {
    std::string host;
    std::uint16_t port = 0;
    bool keepalive = true;
  };
  Listener(boost::asio::io_context& context, Clock& clock, TimerService& timers, Settings settings,
           ConnectionQuotas& quotas, OnAccept on_accept);
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  // Accepting when it returns. Port 0 becomes the one the kernel chose, for later openings too.
  Result<void> open();
  // Connections waiting to be accepted are reset.
  void close();
  // A deaf one answers no connection attempt, as if its host were gone.
  void set_deaf(bool deaf);
  // Who waits is let in, if the quotas have room now.
  void take_waiting();
  [[nodiscard]] bool is_open() const { return acceptor_.is_open(); }
  [[nodiscard]] std::uint16_t port() const { return settings_.port; }

 private:
  void accept();
  void arrived(boost::asio::ip::tcp::socket socket);
  void retry_later();

  boost::asio::ip::tcp::acceptor acceptor_;
  Clock& clock_;
  TimerService& timers_;
  TimerService::Id retry_ = 0;
  Settings settings_;
  ConnectionQuotas& quotas_;
  OnAccept on_accept_;
  std::optional<boost::asio::ip::tcp::socket> waiting_;
  TimerService::Id wait_ = 0;  // for the rate of new connections
};

}  // namespace ktrial::fakebroker
