// SPDX-License-Identifier: Apache-2.0
// A plain Boost.Asio server, a coroutine a connection, that knows no protocol: plain_asio. Answers
// whatever it receives with the same bytes. Prints its address and serves until its input ends.
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <exception>
#include <utility>

namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

asio::awaitable<void> serve(tcp::socket socket) {
  // Of all connections: there is one thread, and nothing is kept in it over a wait.
  static std::array<char, 65536> buffer;
  while (true) {
    co_await socket.async_wait(tcp::socket::wait_read, asio::use_awaitable);
    const std::size_t count = socket.read_some(asio::buffer(buffer));
    asio::write(socket, asio::buffer(buffer, count));
  }
}

asio::awaitable<void> listen(tcp::acceptor acceptor) {
  while (true) {
    tcp::socket socket = co_await acceptor.async_accept(asio::use_awaitable);
    // A client that closes ends its coroutine by an exception, which is all there is to do.
    asio::co_spawn(acceptor.get_executor(), serve(std::move(socket)), asio::detached);
  }
}

}  // namespace

int main() {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
  asio::io_context context;
  tcp::acceptor acceptor(context, {asio::ip::make_address("127.0.0.1"), 0});
  std::printf("%s 127.0.0.1:%d\n", BOOST_LIB_VERSION, acceptor.local_endpoint().port());
  std::fflush(stdout);
  asio::posix::stream_descriptor input(context, ::dup(STDIN_FILENO));
  input.async_wait(asio::posix::stream_descriptor::wait_read, [&](auto) { context.stop(); });
  asio::co_spawn(context, listen(std::move(acceptor)), [](const std::exception_ptr& failure) {
    if (failure) std::rethrow_exception(failure);
  });
  context.run();
}
