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

Listener::Listener(boost::asio::io_context& context, Clock& clock, TimerService& timers,
                   Settings settings, ConnectionQuotas& quotas, OnAccept on_accept)
    : acceptor_(context),
      clock_(clock),
      timers_(timers),
      settings_(std::move(settings)),
      quotas_(quotas),
      on_accept_(std::move(on_accept)) {}

Listener::~Listener() { close(); }

Result<void> Listener::open() {
  if (is_open()) return {};
  error_code error;
  const auto address = boost::asio::ip::make_address(settings_.host, error);
  if (error)
    return fail(Errc::kInvalidArgument,
                fmt::format("{} is not an IP address to listen on", settings_.host));
  const tcp::endpoint endpoint(address, settings_.port);
  acceptor_.open(endpoint.protocol(), error);
  // Accepted sockets inherit all three; without the first, the port could not be listened on again
  // while one is open. Only what is not so anyway is asked for: a large cluster takes as long to
  // start as its system calls.
  if (!error) acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
  if (!error) acceptor_.set_option(tcp::no_delay(true), error);
  if (!error && settings_.keepalive)
    acceptor_.set_option(boost::asio::socket_base::keep_alive(true), error);
  if (!error) acceptor_.bind(endpoint, error);
  if (!error) acceptor_.listen(kBacklog, error);
  if (error) {
    close();
    return fail(Errc::kIo, fmt::format("cannot listen on {}:{}: {}", settings_.host, settings_.port,
                                       error.message()));
  }
  if (settings_.port == 0) settings_.port = acceptor_.local_endpoint(error).port();
  // To accept in vain is the dearest call of all, and nobody can be there yet.
  acceptor_.async_wait(tcp::acceptor::wait_read, [this](const error_code& aborted) {
    if (!aborted && is_open()) accept();
  });
  return {};
}

void Listener::close() {
  if (retry_ != 0) timers_.cancel(std::exchange(retry_, 0));
  if (wait_ != 0) timers_.cancel(std::exchange(wait_, 0));
  waiting_.reset();
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
      return arrived(std::move(socket));
    } else if (error == boost::asio::error::no_descriptors ||
               error == boost::asio::error::no_memory) {
      return retry_later();
    }
    if (is_open()) accept();
  });
}

void Listener::arrived(tcp::socket socket) {
  waiting_.emplace(std::move(socket));
  const Millis wait = quotas_.arrived(clock_.now());
  if (wait == Millis(0)) return take_waiting();
  wait_ = timers_.after(wait, [this] {
    wait_ = 0;
    take_waiting();
  });
}

void Listener::take_waiting() {
  if (!waiting_ || wait_ != 0 || !quotas_.has_room()) return;
  tcp::socket socket = std::move(*waiting_);
  waiting_.reset();
  on_accept_(std::move(socket));
  if (is_open()) accept();
}

// Out of descriptors: trying again at once would spin.
void Listener::retry_later() {
  retry_ = timers_.after(kRetry, [this] {
    retry_ = 0;
    if (is_open()) accept();
  });
}

}  // namespace ktrial::fakebroker
