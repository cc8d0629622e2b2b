// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/send_queue.h"

#include "fakebroker/security/tls_session.h"

#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

namespace ktrial::fakebroker {
namespace {

constexpr std::size_t kMostParts = 256;
constexpr std::size_t kKeptCapacity = 16U << 10U;

// The parts of a batch from byte `skip` on, as far as they fit.
class Gather {
 public:
  explicit Gather(std::size_t skip) : skip_(skip) {}
  void add(std::span<const std::uint8_t> bytes) {
    if (skip_ >= bytes.size()) {
      skip_ -= bytes.size();
      return;
    }
    if (full()) return;
    const auto rest = bytes.subspan(std::exchange(skip_, 0));
    parts_[count_++] = {const_cast<std::uint8_t*>(rest.data()), rest.size()};
  }
  [[nodiscard]] bool full() const { return count_ == parts_.size(); }
  [[nodiscard]] iovec* data() { return parts_.data(); }
  [[nodiscard]] std::size_t count() const { return count_; }

 private:
  std::size_t skip_;
  std::array<iovec, kMostParts> parts_;
  std::size_t count_ = 0;
};

}  // namespace

std::size_t SendQueue::Batch::size() const {
  std::size_t sum = writer.size();
  for (const protocol::Splice& splice : splices) sum += splice.bytes.size();
  return sum;
}

std::size_t SendQueue::queued_bytes() const { return next_.size() + sending_size_ - sent_; }

SendQueue::Status SendQueue::flush(int socket, TlsSession* tls) {
  while (true) {
    if (sent_ == sending_size_) {
      release();
      std::swap(next_, sending_);
      sending_size_ = sending_.size();
      sent_ = 0;
      if (sending_size_ == 0) return Status::kDone;
    }
    if (const Status status = send(socket, tls); status != Status::kDone) return status;
  }
}

void SendQueue::release() {
  sending_.splices.clear();
  if (sending_.writer.capacity() > kKeptCapacity) {
    sending_.writer = protocol::Writer();
  } else {
    sending_.writer.clear();
  }
}

SendQueue::Status SendQueue::send(int socket, TlsSession* tls) {
  while (sent_ < sending_size_) {
    Gather gather(sent_);
    const std::span<const std::uint8_t> own = sending_.writer.span();
    std::size_t at = 0;
    for (const protocol::Splice& splice : sending_.splices) {
      gather.add(own.subspan(at, splice.at - at));
      gather.add(splice.bytes.span());
      at = splice.at;
      if (gather.full()) break;
    }
    if (!gather.full()) gather.add(own.subspan(at));
    msghdr message{};
    message.msg_iov = gather.data();
    message.msg_iovlen = gather.count();
    const ssize_t count = tls != nullptr ? tls->send(gather.data(), gather.count())
                                         : ::sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count >= 0) {
      sent_ += static_cast<std::size_t>(count);
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      return Status::kBlocked;
    } else if (errno != EINTR) {
      return Status::kBroken;
    }
  }
  return Status::kDone;
}

}  // namespace ktrial::fakebroker
