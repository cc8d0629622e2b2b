// SPDX-License-Identifier: Apache-2.0
#include "bench/kblast/kafka_socket.h"

#include "protocol/byte_order.h"
#include "protocol/header.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>

namespace ktrial::bench {
namespace {

constexpr std::int32_t kLargestAnswer = 64 << 20;

tl::unexpected<Error> failed(const std::string& what) {
  return fail(Errc::kIo, what + ": " + std::strerror(errno));
}

std::int32_t size_at(std::span<const std::uint8_t> prefix) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, prefix.data(), sizeof bits);
  return static_cast<std::int32_t>(protocol::wire_order(bits));
}

}  // namespace

Result<Endpoint> Endpoint::parse(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  Endpoint endpoint;
  if (colon == std::string::npos)
    return fail(Errc::kInvalidArgument, "expected ADDRESS:PORT", text);
  endpoint.host = text.substr(0, colon);
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data() + colon + 1, end, endpoint.port);
  if (error != std::errc() || rest != end) return fail(Errc::kInvalidArgument, "no port", text);
  return endpoint;
}

Result<sockaddr_in> Endpoint::address() const {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  if (::inet_pton(AF_INET, host.c_str(), &address.sin_addr) != 1)
    return fail(Errc::kInvalidArgument, "expected an IPv4 address", host);
  return address;
}

std::vector<std::uint8_t> frame_of(std::int16_t key, std::int16_t version,
                                   std::span<const std::uint8_t> body) {
  protocol::Writer writer;
  writer.integer(std::int32_t{0});
  protocol::encode_request_header({key, version, 1, "kblast"}, writer);
  writer.append(body);
  writer.patch_int32(0, static_cast<std::int32_t>(writer.size() - 4));
  return std::move(writer).take();
}

Result<Slice> body_of(std::int16_t key, std::int16_t version, const Slice& frame) {
  std::size_t body = 0;
  KTRIAL_TRY(protocol::decode_response_header(
      frame, protocol::response_header_version(key, version), body));
  return frame.part(body);
}

Result<KafkaSocket> KafkaSocket::connect(const Endpoint& broker) {
  const auto address = broker.address();
  if (!address) return tl::unexpected(address.error());
  KafkaSocket socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (socket.fd() < 0) return failed("socket");
  const int on = 1;
  ::setsockopt(socket.fd(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (::connect(socket.fd(), reinterpret_cast<const sockaddr*>(&*address), sizeof *address) != 0)
    return failed("connect to " + broker.host + ":" + std::to_string(broker.port));
  return socket;
}

KafkaSocket::~KafkaSocket() {
  if (socket_ >= 0) ::close(socket_);
}

Result<std::vector<std::uint8_t>> KafkaSocket::read_exactly(std::size_t count) {
  std::vector<std::uint8_t> bytes(count);
  for (std::size_t have = 0; have < count;) {
    const ssize_t got = ::recv(socket_, bytes.data() + have, count - have, 0);
    if (got == 0) return fail(Errc::kIo, "the broker closed the connection");
    if (got < 0) return failed("receive");
    have += static_cast<std::size_t>(got);
  }
  return bytes;
}

Result<Slice> KafkaSocket::exchange(std::span<const std::uint8_t> request) {
  while (!request.empty()) {
    const ssize_t sent = ::send(socket_, request.data(), request.size(), MSG_NOSIGNAL);
    if (sent < 0) return failed("send");
    request = request.subspan(static_cast<std::size_t>(sent));
  }
  const auto prefix = read_exactly(4);
  if (!prefix) return tl::unexpected(prefix.error());
  const auto size = size_at(*prefix);
  if (size < 0 || size > kLargestAnswer) return fail(Errc::kTooLarge, "the answer's size");
  auto frame = read_exactly(static_cast<std::size_t>(size));
  if (!frame) return tl::unexpected(frame.error());
  return Slice(std::move(*frame));
}

}  // namespace ktrial::bench
