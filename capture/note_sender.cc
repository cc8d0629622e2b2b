// SPDX-License-Identifier: Apache-2.0
#include "capture/note_sender.h"

#include "capture/note_codec.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace ktrial::capture {

namespace {

sockaddr_in address_of(std::uint32_t network_order_address, std::uint16_t port) {
  sockaddr_in out{};
  out.sin_family = AF_INET;
  out.sin_addr.s_addr = network_order_address;
  out.sin_port = htons(port);
  return out;
}

int bind_sink(const sockaddr_in& address) {
  const int fd = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return -1;
  const int yes = 1;
  const int tiny = 0;  // the kernel raises it to its minimum; nothing is ever read
  ::setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  ::setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &tiny, sizeof tiny);
  if (::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return fd;
  ::close(fd);
  return -1;
}

}  // namespace

Result<NoteSender> NoteSender::open(const NoteSenderOptions& options) {
  in_addr parsed{};
  if (inet_pton(AF_INET, options.address.c_str(), &parsed) != 1)
    return fail(Errc::kInvalidArgument, "'" + options.address + "' is no IPv4 address");
  NoteSender sender;
  sender.address_ = parsed.s_addr;
  sender.port_ = options.port;
  sender.limit_ = options.datagram_limit;
  sender.socket_ = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (sender.socket_ < 0)
    return fail(Errc::kIo, std::string("no socket for notes: ") + std::strerror(errno));
  sender.sink_ = bind_sink(address_of(sender.address_, sender.port_));
  return sender;
}

NoteSender::NoteSender(NoteSender&& other) noexcept { *this = std::move(other); }

NoteSender& NoteSender::operator=(NoteSender&& other) noexcept {
  std::swap(socket_, other.socket_);
  std::swap(sink_, other.sink_);
  address_ = other.address_;
  port_ = other.port_;
  limit_ = other.limit_;
  number_ = other.number_.load();
  return *this;
}

NoteSender::~NoteSender() {
  if (socket_ >= 0) ::close(socket_);
  if (sink_ >= 0) ::close(sink_);
}

Result<void> NoteSender::send(const boost::json::object& note) {
  const sockaddr_in to = address_of(address_, port_);
  for (const std::string& datagram : encode_note(note, ++number_, limit_)) {
    // Unconnected on purpose: an ICMP answer is then no error of the next send.
    ssize_t sent = 0;
    do {
      sent = ::sendto(socket_, datagram.data(), datagram.size(), MSG_NOSIGNAL,
                      reinterpret_cast<const sockaddr*>(&to), sizeof to);
    } while (sent < 0 && errno == EINTR);
    if (sent < 0)
      return fail(Errc::kIo, std::string("cannot send a note: ") + std::strerror(errno));
  }
  return {};
}

}  // namespace ktrial::capture
