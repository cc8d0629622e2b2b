// SPDX-License-Identifier: Apache-2.0
#include "bench/kblast/crowd.h"

#include "protocol/messages/api_versions_request.h"

#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace ktrial::bench {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::size_t kAtATime = 256;

tl::unexpected<Error> failed(const std::string& what) {
  return fail(Errc::kIo, what + ": " + std::strerror(errno));
}

class Opening {
 public:
  Opening(const std::vector<Endpoint>& brokers, bool greeting) : greeting_(greeting) {
    for (const Endpoint& broker : brokers) addresses_.push_back(*broker.address());
  }
  ~Opening() { ::close(epoll_); }
  Opening(const Opening&) = delete;
  Opening& operator=(const Opening&) = delete;

  Result<void> run(std::vector<int>& sockets, std::size_t count, Clock::time_point deadline) {
    while (done_ < count) {
      while (sockets.size() < count && sockets.size() - done_ < kAtATime) {
        sockets.push_back(-1);
        KTRIAL_TRY(dial(sockets, sockets.size() - 1));
      }
      std::array<epoll_event, kAtATime> events;
      const int ready = ::epoll_wait(epoll_, events.data(), kAtATime, 1000);
      if (ready < 0) return failed("epoll_wait");
      if (Clock::now() > deadline)
        return fail(Errc::kTimeout, std::to_string(done_) + " connections in time");
      for (int i = 0; i < ready; ++i)
        KTRIAL_TRY(advance(sockets, events[static_cast<std::size_t>(i)]));
    }
    return {};
  }

 private:
  Result<void> dial(std::vector<int>& sockets, std::size_t index) {
    const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (socket < 0) return failed("socket");
    sockets[index] = socket;
    const sockaddr_in& address = addresses_[index % addresses_.size()];
    if (::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 &&
        errno != EINPROGRESS && errno != ECONNREFUSED) {
      return failed("connect");
    }
    epoll_event event{};
    event.events = EPOLLOUT;
    event.data.u64 = index;
    if (::epoll_ctl(epoll_, EPOLL_CTL_ADD, socket, &event) != 0) return failed("epoll_ctl");
    return {};
  }

  Result<void> advance(std::vector<int>& sockets, epoll_event event) {
    const std::size_t index = event.data.u64;
    const int socket = sockets[index];
    if ((event.events & EPOLLIN) != 0) {
      std::array<char, 4096> answer;
      if (::recv(socket, answer.data(), answer.size(), 0) > 0) return finish(socket);
    }
    int error = 0;
    socklen_t size = sizeof error;
    ::getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size);
    if (error != 0 || (event.events & (EPOLLERR | EPOLLHUP)) != 0) {
      ::close(socket);
      return dial(sockets, index);
    }
    if (!greeting_) return finish(socket);
    if (::send(socket, hello_.data(), hello_.size(), MSG_NOSIGNAL) < 0) return failed("send");
    event.events = EPOLLIN;
    if (::epoll_ctl(epoll_, EPOLL_CTL_MOD, socket, &event) != 0) return failed("epoll_ctl");
    return {};
  }

  Result<void> finish(int socket) {
    ++done_;
    if (::epoll_ctl(epoll_, EPOLL_CTL_DEL, socket, nullptr) != 0) return failed("epoll_ctl");
    return {};
  }

  std::vector<sockaddr_in> addresses_;
  bool greeting_;
  std::vector<std::uint8_t> hello_ = frame_of(protocol::ApiVersionsRequest{}, 0);
  int epoll_ = ::epoll_create1(EPOLL_CLOEXEC);
  std::size_t done_ = 0;
};

}  // namespace

Result<Crowd> Crowd::open(const std::vector<Endpoint>& brokers, std::size_t count, bool greeting,
                          std::chrono::nanoseconds patience) {
  for (const Endpoint& broker : brokers) KTRIAL_TRY(broker.address());
  Crowd crowd;
  const Clock::time_point begin = Clock::now();
  Opening opening(brokers, greeting);
  KTRIAL_TRY(opening.run(crowd.sockets_, count, begin + patience));
  crowd.took_ = Clock::now() - begin;
  return crowd;
}

Crowd::~Crowd() {
  for (const int socket : sockets_) ::close(socket);
}

}  // namespace ktrial::bench
