// SPDX-License-Identifier: Apache-2.0
// TlsClientForTest: a blocking TLS client that speaks Kafka, with or without a certificate of its
// own. Nothing waits longer than five seconds.
#pragma once

#include "common/slice.h"
#include "fakebroker/cluster.h"
#include "protocol/codec.h"

#include <openssl/ssl.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace ktrial::fakebroker {

class TlsClientForTest {
 public:
  // Trusts material.ca; shows the client's certificate if `with_certificate`.
  // Throws std::runtime_error with OpenSSL's words if the handshake fails.
  TlsClientForTest(const ListenerStatus& listener, const TlsMaterial& material,
                   bool with_certificate, const char* ciphers = nullptr);
  ~TlsClientForTest();
  TlsClientForTest(const TlsClientForTest&) = delete;
  TlsClientForTest& operator=(const TlsClientForTest&) = delete;

  template <class Response, class Request>
  Response call(const Request& request, std::int16_t version) {
    send(Request::kApiKey, version, protocol::encode_to_bytes(request, version));
    return protocol::decode<Response>(receive(Response::kApiKey, version), version).value();
  }
  void send(std::int16_t key, std::int16_t version, std::span<const std::uint8_t> body);
  // The body of the next response.
  Slice receive(std::int16_t key, std::int16_t version);

 private:
  void read_exactly(std::uint8_t* into, std::size_t count);

  struct FreeContext {
    void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
  };
  struct FreeSession {
    void operator()(SSL* session) const { SSL_free(session); }
  };
  int socket_ = -1;
  std::int32_t correlation_ = 0;
  std::unique_ptr<SSL_CTX, FreeContext> context_;
  std::unique_ptr<SSL, FreeSession> session_;
};

}  // namespace ktrial::fakebroker
