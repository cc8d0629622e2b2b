// SPDX-License-Identifier: Apache-2.0
// KafkaSocket: a blocking connection for the few requests before a measurement begins.
#pragma once

#include "common/result.h"
#include "common/slice.h"
#include "protocol/codec.h"

#include <netinet/in.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace ktrial::bench {

// "127.0.0.1:9092"; IPv4 literals only, so that no lookup is measured.
struct Endpoint {
  std::string host;
  std::uint16_t port = 0;
  static Result<Endpoint> parse(const std::string& text);
  [[nodiscard]] Result<sockaddr_in> address() const;
};

// A whole request as it goes over the wire.
template <class Request>
std::vector<std::uint8_t> frame_of(const Request& request, std::int16_t version);
std::vector<std::uint8_t> frame_of(std::int16_t key, std::int16_t version,
                                   std::span<const std::uint8_t> body);

// The body of an answer; `frame` is what follows the length.
Result<Slice> body_of(std::int16_t key, std::int16_t version, const Slice& frame);

class KafkaSocket {
 public:
  static Result<KafkaSocket> connect(const Endpoint& broker);
  KafkaSocket(KafkaSocket&& other) noexcept : socket_(std::exchange(other.socket_, -1)) {}
  KafkaSocket& operator=(KafkaSocket&& other) noexcept {
    std::swap(socket_, other.socket_);
    return *this;
  }
  KafkaSocket(const KafkaSocket&) = delete;
  KafkaSocket& operator=(const KafkaSocket&) = delete;
  ~KafkaSocket();

  template <class Response, class Request>
  Result<Response> call(const Request& request, std::int16_t version) {
    const auto frame = exchange(frame_of(request, version));
    if (!frame) return tl::unexpected(frame.error());
    const auto body = body_of(Request::kApiKey, version, *frame);
    if (!body) return tl::unexpected(body.error());
    return protocol::decode<Response>(*body, version);
  }
  [[nodiscard]] int fd() const { return socket_; }

 private:
  explicit KafkaSocket(int socket) : socket_(socket) {}
  Result<Slice> exchange(std::span<const std::uint8_t> request);
  Result<std::vector<std::uint8_t>> read_exactly(std::size_t count);

  int socket_;
};

template <class Request>
std::vector<std::uint8_t> frame_of(const Request& request, std::int16_t version) {
  return frame_of(Request::kApiKey, version, protocol::encode_to_bytes(request, version));
}

}  // namespace ktrial::bench
