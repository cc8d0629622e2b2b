// SPDX-License-Identifier: Apache-2.0
// TlsSession: the server's side of TLS on one socket that never blocks. Stands in for recv() and
// sendmsg(); the handshake happens by itself in receive(). OpenSSL reads and writes the socket
// directly, a record at a time, so that nothing but its own buffers can grow.
#pragma once

#include <openssl/ssl.h>

#include <sys/uio.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace ktrial::fakebroker {

class TlsSession {
 public:
  TlsSession(SSL_CTX* context, int socket);

  // As ::recv: bytes, 0 when the other side has ended, or -1 with errno: EAGAIN, ECONNRESET, or
  // EPROTO for a violation of TLS, which fault() explains and an alert has answered.
  ssize_t receive(std::span<std::uint8_t> room);
  // As ::sendmsg of these parts.
  ssize_t send(const iovec* parts, std::size_t count);
  // What OpenSSL could not write of itself waits for the socket; receive() or send() go on.
  [[nodiscard]] bool wants_write() const { return wants_write_; }
  // Decrypted bytes wait in memory: the socket need not become readable for them.
  [[nodiscard]] bool has_pending() const { return SSL_pending(session_.get()) > 0; }
  // Says so (close_notify) if there is something to end.
  void end();

  [[nodiscard]] bool established() const { return SSL_is_init_finished(session_.get()) == 1; }
  [[nodiscard]] const std::string& fault() const { return fault_; }
  // The subject of the client's certificate (RFC 2253), empty if it showed none.
  [[nodiscard]] std::string peer_name() const;

 private:
  struct Free {
    void operator()(SSL* session) const { SSL_free(session); }
  };
  // errno for what OpenSSL says of a call that returned `result`.
  int error_of(int result);

  std::unique_ptr<SSL, Free> session_;
  std::string fault_;
  bool wants_write_ = false;
};

}  // namespace ktrial::fakebroker
