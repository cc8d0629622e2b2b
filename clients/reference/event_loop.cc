// SPDX-License-Identifier: Apache-2.0
#include "clients/reference/event_loop.h"

#include "clients/reference/orphan_sockets.h"
#include "common/net/asio_timers.h"

#include <boost/asio/connect.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>

#include <array>
#include <deque>
#include <thread>
#include <utility>

namespace ktrial::client {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

constexpr std::size_t kReadSize = 64 * 1024;

// Outlives its Link while handlers are pending.
class Socket : public std::enable_shared_from_this<Socket> {
 public:
  Socket(asio::io_context& context, const SocketOptions& options, LinkListener& listener)
      : socket_(context), resolver_(context), options_(options), listener_(&listener) {}

  void dial(const HostPort& to) {
    error_code bad;
    const auto address = asio::ip::make_address(to.host, bad);
    if (!bad) return connect({address, to.port});
    resolver_.async_resolve(
        to.host, std::to_string(to.port),
        [self = shared_from_this()](const error_code& error, const auto& found) {
          if (error) return self->down(error);
          self->connect(found.begin()->endpoint());
        });
  }

  void write(std::vector<std::uint8_t> bytes) {
    queue_.push_back(std::move(bytes));
    if (queue_.size() == 1) write_next();
  }

  void close(CloseKind kind) {
    listener_ = nullptr;
    resolver_.cancel();
    if (!socket_.is_open()) return;
    error_code ignored;
    if (kind == CloseKind::kLeak) {
      static_cast<void>(
          socket_.release(ignored));  // the descriptor stays open until the process ends
      return;
    }
    if (kind == CloseKind::kRst) socket_.set_option(asio::socket_base::linger(true, 0), ignored);
    socket_.close(ignored);
  }

 private:
  void connect(const tcp::endpoint& endpoint) {
    if (listener_ == nullptr) return;
    error_code bad;
    socket_.open(endpoint.protocol(), bad);
    if (!bad) socket_.set_option(tcp::no_delay(true), bad);
    if (!bad && options_.keepalive) socket_.set_option(asio::socket_base::keep_alive(true), bad);
    if (bad) return down(bad);
    socket_.async_connect(endpoint, [self = shared_from_this()](const error_code& error) {
      if (error) return self->down(error);
      if (self->listener_ == nullptr) return;
      if (self->options_.outlive_process) hold_sockets_after_exit();
      self->read();
      self->listener_->link_up();
    });
  }
  void read() {
    socket_.async_read_some(asio::buffer(in_),
                            [self = shared_from_this()](const error_code& error, std::size_t size) {
                              if (error) return self->down(error);
                              if (self->listener_ == nullptr) return;
                              self->listener_->link_data({self->in_.data(), size});
                              if (self->listener_ != nullptr) self->read();
                            });
  }
  void write_next() {
    asio::async_write(socket_, asio::buffer(queue_.front()),
                      [self = shared_from_this()](const error_code& error, std::size_t) {
                        if (error) return self->down(error);
                        self->queue_.pop_front();
                        if (!self->queue_.empty()) self->write_next();
                      });
  }
  void down(const error_code& error) {
    if (listener_ == nullptr || error == asio::error::operation_aborted) return;
    if (error == asio::error::eof && options_.ignore_peer_fin) return;
    LinkListener* listener = std::exchange(listener_, nullptr);
    error_code ignored;
    socket_.close(ignored);
    listener->link_down(error.message());
  }

  tcp::socket socket_;
  tcp::resolver resolver_;
  SocketOptions options_;
  LinkListener* listener_;
  std::array<std::uint8_t, kReadSize> in_{};
  std::deque<std::vector<std::uint8_t>> queue_;
};

class SocketLink final : public Link {
 public:
  explicit SocketLink(std::shared_ptr<Socket> socket) : socket_(std::move(socket)) {}
  ~SocketLink() override { socket_->close(CloseKind::kFin); }
  void write(std::vector<std::uint8_t> bytes) override { socket_->write(std::move(bytes)); }
  void close(CloseKind kind) override { socket_->close(kind); }

 private:
  std::shared_ptr<Socket> socket_;
};

class SocketDialer final : public Dialer {
 public:
  SocketDialer(asio::io_context& context, const SocketOptions& options)
      : context_(context), options_(options) {}
  std::unique_ptr<Link> dial(const HostPort& to, LinkListener& listener) override {
    auto socket = std::make_shared<Socket>(context_, options_, listener);
    // An error found at once is reported later, as dial() promises.
    asio::post(context_, [socket, to] { socket->dial(to); });
    return std::make_unique<SocketLink>(std::move(socket));
  }

 private:
  asio::io_context& context_;
  SocketOptions options_;
};

}  // namespace

struct EventLoop::Impl {
  explicit Impl(const SocketOptions& options) : dialer(context, options) {}
  asio::io_context context{1};
  asio::executor_work_guard<asio::io_context::executor_type> work{context.get_executor()};
  AsioTimers timers{context};
  SocketDialer dialer;
  std::thread thread;
};

EventLoop::EventLoop(const SocketOptions& options) : impl_(std::make_unique<Impl>(options)) {}

EventLoop::~EventLoop() { stop(); }

void EventLoop::start() {
  impl_->thread = std::thread([impl = impl_.get()] { impl->context.run(); });
}

void EventLoop::stop() {
  impl_->context.stop();
  if (impl_->thread.joinable()) impl_->thread.join();
}

TimerService& EventLoop::timers() { return impl_->timers; }
Dialer& EventLoop::dialer() { return impl_->dialer; }
void EventLoop::post(std::function<void()> fn) { asio::post(impl_->context, std::move(fn)); }
bool EventLoop::on_its_thread() const {
  return impl_->thread.get_id() == std::this_thread::get_id();
}

}  // namespace ktrial::client
