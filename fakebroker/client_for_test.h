// SPDX-License-Identifier: Apache-2.0
// ClientForTest: a blocking socket that speaks Kafka, for end-to-end tests. Nothing waits longer
// than five seconds.
#pragma once

#include "common/result.h"
#include "common/slice.h"
#include "fakebroker/cluster.h"
#include "protocol/codec.h"
#include "protocol/header.h"
#include "protocol/writer.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace ktrial::fakebroker {

class ClientForTest {
 public:
  // Throws std::runtime_error if the connection is refused.
  explicit ClientForTest(const BrokerStatus& broker, std::string client_id = "test");
  ~ClientForTest();
  ClientForTest(const ClientForTest&) = delete;
  ClientForTest& operator=(const ClientForTest&) = delete;

  // Returns the correlation id.
  template <class Request>
  std::int32_t send(const Request& request, std::int16_t version) {
    const auto body = protocol::encode_to_bytes(request, version);
    return send_body(Request::kApiKey, version, body);
  }
  std::int32_t send_body(std::int16_t key, std::int16_t version,
                         std::span<const std::uint8_t> body);
  void send_raw(std::span<const std::uint8_t> bytes);

  // The next response, which must carry this correlation id.
  template <class Response>
  Response receive(std::int32_t correlation_id, std::int16_t version,
                   std::int16_t encoded_version = -1) {
    const Slice body = receive_body(correlation_id, Response::kApiKey, version);
    return value_of(
        protocol::decode<Response>(body, encoded_version == -1 ? version : encoded_version));
  }
  template <class Response, class Request>
  Response call(const Request& request, std::int16_t version) {
    return receive<Response>(send(request, version), version);
  }

  enum class Ending { kFin, kRst, kData, kSilence };
  // What comes next; kSilence after `patience`.
  Ending ending(Millis patience = Millis(5000));
  // Half closes: what was sent arrives, then a FIN.
  void send_fin();
  void reset();
  std::vector<std::uint8_t> read_exactly(std::size_t count);
  std::vector<std::uint8_t> read_to_end();
  // Sent, and not yet acknowledged by the peer's kernel.
  [[nodiscard]] int unacknowledged_bytes() const;
  // Whether a connection comes about within `patience`.
  static bool connects(const BrokerStatus& broker, Millis patience);

 private:
  Slice receive_body(std::int32_t correlation_id, std::int16_t key, std::int16_t version);
  template <class T>
  static T value_of(Result<T> result) {
    if (!result) throw_error(result.error().to_string());
    return std::move(*result);
  }
  [[noreturn]] static void throw_error(const std::string& what);

  int socket_ = -1;
  std::int32_t last_correlation_ = 0;
  std::string client_id_;
};

}  // namespace ktrial::fakebroker
