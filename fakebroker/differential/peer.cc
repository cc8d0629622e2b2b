// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/differential/peer.h"

#include "protocol/header.h"
#include "protocol/writer.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <stdexcept>
#include <vector>

namespace ktrial::fakebroker::differential {

Peer::~Peer() { close_all(); }

void Peer::close_all() {
  for (auto& [name, connection] : connections_) drop(connection);
  connections_.clear();
}

void Peer::drop(Connection& connection) {
  if (connection.socket >= 0) ::close(connection.socket);
  connection.socket = -1;
}

std::uint16_t Peer::port_of(const std::string& connection) const {
  const std::size_t at = connection.find('@');
  const int broker = at == std::string::npos ? 1 : std::stoi(connection.substr(at + 1));
  return ports_.at(static_cast<std::size_t>(broker) - 1);
}

Peer::Connection& Peer::open(const std::string& name) {
  Connection& connection = connections_[name];
  if (connection.socket >= 0) return connection;
  connection.socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int yes = 1;
  ::setsockopt(connection.socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port_of(name));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(connection.socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) !=
      0) {
    throw std::runtime_error("no broker accepts at port " + std::to_string(port_of(name)));
  }
  return connection;
}

void Peer::send(const std::string& name, const Frame& frame) {
  Connection& connection = open(name);
  connection.key = frame.key;
  connection.version = frame.version;
  protocol::Writer writer;
  writer.integer(std::int32_t{0});
  protocol::encode_request_header(
      {frame.key, frame.version, ++connection.correlation, "differential"}, writer);
  writer.append(frame.body);
  writer.patch_int32(0, static_cast<std::int32_t>(writer.size() - 4));
  for (auto bytes = writer.span(); !bytes.empty();) {
    const ssize_t count = ::send(connection.socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count <= 0) return;  // closed: seen when the answer is read
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
}

bool Peer::read_exactly(int socket, std::span<std::uint8_t> into, bool& silent) {
  while (!into.empty()) {
    const ssize_t got = ::recv(socket, into.data(), into.size(), 0);
    silent = got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
    if (got <= 0) return false;
    into = into.subspan(static_cast<std::size_t>(got));
  }
  return true;
}

Received Peer::receive(const std::string& name, std::chrono::milliseconds patience) {
  Connection& connection = open(name);
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(patience);
  const timeval limit{seconds.count(), (patience - seconds).count() * 1000};
  ::setsockopt(connection.socket, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  std::vector<std::uint8_t> prefix(4);
  std::vector<std::uint8_t> frame;
  bool silent = false;
  bool whole = read_exactly(connection.socket, prefix, silent);
  if (whole) {
    std::size_t length = 0;
    for (const std::uint8_t byte : prefix) length = length << 8U | byte;
    frame.resize(length);
    whole = read_exactly(connection.socket, frame, silent);
  }
  if (!whole) {
    drop(connection);
    return {silent ? Received::Kind::kSilence : Received::Kind::kClosed, {}};
  }
  const Slice bytes(std::move(frame));
  std::size_t body = 0;
  const auto header = protocol::response_header_version(connection.key, connection.version);
  const auto correlation = protocol::decode_response_header(bytes, header, body);
  if (!correlation || *correlation != connection.correlation) {
    throw std::runtime_error("an answer to another request");
  }
  return {Received::Kind::kAnswer, bytes.part(body)};
}

}  // namespace ktrial::fakebroker::differential
