// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/client_for_test.h"

#include <arpa/inet.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace ktrial::fakebroker {
namespace {

sockaddr_in address_of(const BrokerStatus& broker) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(broker.port);
  ::inet_pton(AF_INET, broker.host.c_str(), &address.sin_addr);
  return address;
}

}  // namespace

ClientForTest::ClientForTest(const BrokerStatus& broker, std::string client_id)
    : client_id_(std::move(client_id)) {
  socket_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const timeval patience{5, 0};
  ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  ::setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  const sockaddr_in address = address_of(broker);
  if (::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    const std::string why = std::strerror(errno);
    ::close(socket_);
    throw_error("connect: " + why);
  }
}

ClientForTest::~ClientForTest() { ::close(socket_); }

void ClientForTest::throw_error(const std::string& what) { throw std::runtime_error(what); }

std::int32_t ClientForTest::send_body(std::int16_t key, std::int16_t version,
                                      std::span<const std::uint8_t> body) {
  protocol::Writer writer;
  writer.integer(std::int32_t{0});
  protocol::encode_request_header({key, version, ++last_correlation_, client_id_}, writer);
  writer.append(body);
  writer.patch_int32(0, static_cast<std::int32_t>(writer.size() - 4));
  send_raw(writer.span());
  return last_correlation_;
}

void ClientForTest::send_raw(std::span<const std::uint8_t> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count <= 0) return;  // the test sees it when it reads
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
}

std::vector<std::uint8_t> ClientForTest::read_exactly(std::size_t count) {
  std::vector<std::uint8_t> bytes(count);
  for (std::size_t have = 0; have < count;) {
    const ssize_t got = ::recv(socket_, bytes.data() + have, count - have, 0);
    if (got == 0) throw_error("closed by the broker");
    if (got < 0) throw_error(std::string("receive: ") + std::strerror(errno));
    have += static_cast<std::size_t>(got);
  }
  return bytes;
}

std::vector<std::uint8_t> ClientForTest::read_to_end() {
  std::vector<std::uint8_t> bytes;
  std::uint8_t byte = 0;
  while (::recv(socket_, &byte, 1, 0) == 1) bytes.push_back(byte);
  return bytes;
}

int ClientForTest::unacknowledged_bytes() const {
  int bytes = 0;
  ::ioctl(socket_, SIOCOUTQ, &bytes);
  return bytes;
}

bool ClientForTest::connects(const BrokerStatus& broker, Millis patience) {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  const sockaddr_in address = address_of(broker);
  ::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address);
  pollfd writable{socket, POLLOUT, 0};
  int error = 0;
  socklen_t size = sizeof error;
  const bool ready = ::poll(&writable, 1, static_cast<int>(patience.count())) == 1 &&
                     ::getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size) == 0 && error == 0;
  ::close(socket);
  return ready;
}

Slice ClientForTest::receive_body(std::int32_t correlation_id, std::int16_t key,
                                  std::int16_t version) {
  const auto prefix = read_exactly(4);
  std::size_t length = 0;
  for (const std::uint8_t byte : prefix) length = length << 8U | byte;
  const Slice frame(read_exactly(length));
  std::size_t body_offset = 0;
  const auto correlation = protocol::decode_response_header(
      frame, protocol::response_header_version(key, version), body_offset);
  if (value_of(correlation) != correlation_id) throw_error("response to another request");
  return frame.part(body_offset);
}

ClientForTest::Ending ClientForTest::ending(Millis patience) {
  pollfd readable{socket_, POLLIN, 0};
  if (::poll(&readable, 1, static_cast<int>(patience.count())) == 0) return Ending::kSilence;
  std::uint8_t byte = 0;
  const ssize_t count = ::recv(socket_, &byte, 1, MSG_PEEK);
  if (count > 0) return Ending::kData;
  return count == 0 ? Ending::kFin : Ending::kRst;
}

void ClientForTest::send_fin() { ::shutdown(socket_, SHUT_WR); }

void ClientForTest::reset() {
  const linger now{1, 0};
  ::setsockopt(socket_, SOL_SOCKET, SO_LINGER, &now, sizeof now);
  ::close(socket_);
  socket_ = -1;
}

}  // namespace ktrial::fakebroker
