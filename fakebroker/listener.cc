// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/listener.h"

#include "fakebroker/faults/socket_faults.h"

#include <boost/asio/ip/address.hpp>
#include <fmt/core.h>

#include <utility>

namespace ktrial::fakebroker {
namespace {

using boost::asio::ip::tcp;
using boost::system::error_code;

constexpr int kBacklog = 4096;
constexpr Millis kRetry{20};

}  // namespace

Listener::Listener(boost::asio::io_context& context, TimerService& timers, std::string host,
                   std::uint16_t port, bool keepalive, OnAccept on_accept)
    : acceptor_(context),
      timers_(timers),
      host_(std::move(host)),
      port_(port),
      keepalive_(keepalive),
      on_accept_(std::move(on_accept)) {}

Listener::~Listener() { close(); }

Result<void> Listener::open() {
  if (is_open()) return {};
  error_code error;
  const auto address = boost::asio::ip::make_address(host_, error);
  if (error)
    return fail(Errc::kInvalidArgument, fmt::format("{} is not an IP address to listen on", host_));
  const tcp::endpoint endpoint(address, port_);
  acceptor_.open(endpoint.protocol(), error);
  // Accepted sockets inherit all three; without the first, the port could not be listened on again
  // while one is open. Only what is not so anyway is asked for: a large cluster takes as long to
  // start as its system calls.
  if (!error) acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
  if (!error) acceptor_.set_option(tcp::no_delay(true), error);
  if (!error && keepalive_) acceptor_.set_option(boost::asio::socket_base::keep_alive(true), error);
  if (!error) acceptor_.bind(endpoint, error);
  if (!error) acceptor_.listen(kBacklog, error);
  if (error) {
    close();
    return fail(Errc::kIo,
                fmt::format("cannot listen on {}:{}: {}", host_, port_, error.message()));
  }
  if (port_ == 0) port_ = acceptor_.local_endpoint(error).port();
  accept();
  return {};
}

void Listener::close() {
  if (retry_ != 0) timers_.cancel(std::exchange(retry_, 0));
  error_code ignored;
  acceptor_.close(ignored);
}

void Listener::set_deaf(bool deaf) {
  if (!is_open()) return;
  if (deaf)
    deafen(acceptor_.native_handle());
  else
    undeafen(acceptor_.native_handle());
}

void Listener::accept() {
  acceptor_.async_accept([this](const error_code& error, tcp::socket socket) {
    if (error == boost::asio::error::operation_aborted) return;
    if (!error) {
      on_accept_(std::move(socket));
    } else if (error == boost::asio::error::no_descriptors ||
               error == boost::asio::error::no_memory) {
      return retry_later();
    }
    if (is_open()) accept();
  });
}

// Out of descriptors: trying again at once would spin.
void Listener::retry_later() {
  retry_ = timers_.after(kRetry, [this] {
    retry_ = 0;
    if (is_open()) accept();
  });
}

}  // namespace ktrial::fakebroker
