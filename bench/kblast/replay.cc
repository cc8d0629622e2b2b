// SPDX-License-Identifier: Apache-2.0
#include "bench/kblast/replay.h"

#include "protocol/byte_order.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace ktrial::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kPrefix = 4;
constexpr int kSilenceMs = 10'000;  // of the peer, before it is given up
constexpr std::size_t kPieces = 64;

class Replay {
 public:
  Replay(int socket, ReplayPlan plan) : socket_(socket), plan_(std::move(plan)) {}

  Result<ReplayResult> run() {
    const Clock::time_point begin = Clock::now();
    const Clock::time_point end = begin + plan_.longest;
    while (true) {
      if (Clock::now() >= end) planned_ = std::min(planned_, started_);
      if (result_.requests == planned_) break;
      bool moved = false;
      KTRIAL_TRY(send(moved));
      KTRIAL_TRY(receive(moved));
      if (!moved) KTRIAL_TRY(wait());
    }
    result_.took = Clock::now() - begin;
    return result_;
  }

 private:
  [[nodiscard]] std::vector<std::uint8_t>& frame(std::uint64_t n) {
    return plan_.frames[n % plan_.frames.size()];
  }
  // Requests that may be on their way now, of those planned.
  [[nodiscard]] std::uint64_t allowed() const {
    return std::min<std::uint64_t>(planned_, result_.requests + plan_.window);
  }

  Result<void> send(bool& moved) {
    std::array<iovec, kPieces> pieces;
    std::size_t count = 0;
    for (std::uint64_t n = sent_; n < allowed() && count < kPieces; ++n, ++count) {
      std::vector<std::uint8_t>& bytes = frame(n);
      if (n == started_) {
        if (plan_.prepare) plan_.prepare(n, bytes);
        ++started_;
      }
      const std::size_t from = n == sent_ ? sent_of_it_ : 0;
      pieces[count] = {bytes.data() + from, bytes.size() - from};
    }
    if (count == 0) return {};
    msghdr message{};
    message.msg_iov = pieces.data();
    message.msg_iovlen = count;
    const ssize_t sent = ::sendmsg(socket_, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0) return errno == EAGAIN ? Result<void>() : failed("send");
    moved = true;
    result_.bytes_sent += static_cast<std::uint64_t>(sent);
    for (sent_of_it_ += static_cast<std::size_t>(sent);
         sent_ < started_ && sent_of_it_ >= frame(sent_).size(); ++sent_) {
      sent_of_it_ -= frame(sent_).size();
    }
    return {};
  }

  Result<void> receive(bool& moved) {
    if (buffer_.size() - filled_ < kRoom / 2) buffer_.resize(buffer_.size() + kRoom);
    const ssize_t got =
        ::recv(socket_, buffer_.data() + filled_, buffer_.size() - filled_, MSG_DONTWAIT);
    if (got == 0) return fail(Errc::kIo, "the broker closed the connection");
    if (got < 0) return errno == EAGAIN ? Result<void>() : failed("receive");
    moved = true;
    result_.bytes_received += static_cast<std::uint64_t>(got);
    filled_ += static_cast<std::size_t>(got);
    return take_answers();
  }

  Result<void> take_answers() {
    std::size_t at = 0;
    while (filled_ - at >= kPrefix) {
      std::uint32_t size = 0;
      std::memcpy(&size, buffer_.data() + at, sizeof size);
      size = protocol::wire_order(size);
      if (size > kLargest) return fail(Errc::kTooLarge, "the answer's size");
      if (filled_ - at - kPrefix < size) break;
      KTRIAL_TRY(plan_.check(result_.requests, {buffer_.data() + at + kPrefix, size}));
      ++result_.requests;
      at += kPrefix + size;
    }
    std::memmove(buffer_.data(), buffer_.data() + at, filled_ - at);
    filled_ -= at;
    return {};
  }

  Result<void> wait() const {
    const bool more = sent_ < allowed();
    pollfd one{socket_, static_cast<short>(more ? POLLIN | POLLOUT : POLLIN), 0};
    const int ready = ::poll(&one, 1, kSilenceMs);
    if (ready < 0) return failed("poll");
    if (ready == 0) return fail(Errc::kTimeout, "no answer within ten seconds");
    return {};
  }

  static tl::unexpected<Error> failed(const std::string& what) {
    return fail(Errc::kIo, what + ": " + std::strerror(errno));
  }

  static constexpr std::size_t kRoom = 256U << 10U;
  static constexpr std::uint32_t kLargest = 64U << 20U;

  int socket_;
  ReplayPlan plan_;
  ReplayResult result_;
  std::uint64_t planned_ = plan_.requests;
  std::uint64_t started_ = 0;  // at least begun to be sent
  std::uint64_t sent_ = 0;     // wholly
  std::size_t sent_of_it_ = 0;
  std::vector<std::uint8_t> buffer_ = std::vector<std::uint8_t>(kRoom);
  std::size_t filled_ = 0;
};

}  // namespace

Result<ReplayResult> replay(int socket, ReplayPlan plan) {
  const int flags = ::fcntl(socket, F_GETFL);
  if (flags < 0 || ::fcntl(socket, F_SETFL, flags | O_NONBLOCK) < 0)
    return fail(Errc::kIo, std::string("fcntl: ") + std::strerror(errno));
  return Replay(socket, std::move(plan)).run();
}

}  // namespace ktrial::bench
