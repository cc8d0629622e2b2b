// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/security/tls_session.h"

#include "fakebroker/security/certificates.h"

#include <openssl/bio.h>
#include <openssl/err.h>

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <limits>

namespace ktrial::fakebroker {
namespace {

// OpenSSL's own socket BIO may raise SIGPIPE and obeys the descriptor's mode; this does neither.
int read_socket(BIO* bio, char* into, int size) {
  BIO_clear_retry_flags(bio);
  const auto socket = static_cast<int>(reinterpret_cast<std::intptr_t>(BIO_get_data(bio)));
  const ssize_t count = ::recv(socket, into, static_cast<std::size_t>(size), MSG_DONTWAIT);
  if (count == 0) BIO_set_flags(bio, BIO_FLAGS_IN_EOF);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) BIO_set_retry_read(bio);
  return static_cast<int>(count);
}

int write_socket(BIO* bio, const char* from, int size) {
  BIO_clear_retry_flags(bio);
  const auto socket = static_cast<int>(reinterpret_cast<std::intptr_t>(BIO_get_data(bio)));
  const ssize_t count =
      ::send(socket, from, static_cast<std::size_t>(size), MSG_DONTWAIT | MSG_NOSIGNAL);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) BIO_set_retry_write(bio);
  return static_cast<int>(count);
}

long control_socket(BIO* bio, int command, long, void*) {
  if (command == BIO_CTRL_EOF) return BIO_test_flags(bio, BIO_FLAGS_IN_EOF) != 0 ? 1 : 0;
  return command == BIO_CTRL_FLUSH ? 1 : 0;
}

BIO_METHOD* socket_method() {
  static BIO_METHOD* const kMethod = [] {
    BIO_METHOD* const made =
        BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "ktrial socket");
    BIO_meth_set_read(made, read_socket);
    BIO_meth_set_write(made, write_socket);
    BIO_meth_set_ctrl(made, control_socket);
    return made;
  }();
  return kMethod;
}

}  // namespace

TlsSession::TlsSession(SSL_CTX* context, int socket) : session_(SSL_new(context)) {
  BIO* const bio = BIO_new(socket_method());
  BIO_set_data(bio, reinterpret_cast<void*>(static_cast<std::intptr_t>(socket)));
  BIO_set_init(bio, 1);
  SSL_set_bio(session_.get(), bio, bio);
  SSL_set_accept_state(session_.get());
}

int TlsSession::error_of(int result) {
  const int system_error = errno;
  switch (SSL_get_error(session_.get(), result)) {
    case SSL_ERROR_WANT_READ:
      return EAGAIN;
    case SSL_ERROR_WANT_WRITE:
      wants_write_ = true;
      return EAGAIN;
    case SSL_ERROR_ZERO_RETURN:
      return 0;
    case SSL_ERROR_SYSCALL:
      ERR_clear_error();
      return system_error == 0 ? ECONNRESET : system_error;
    default:
      fault_ = openssl_fault();
      return EPROTO;
  }
}

ssize_t TlsSession::receive(std::span<std::uint8_t> room) {
  if (!fault_.empty()) {
    errno = EPROTO;
    return -1;
  }
  wants_write_ = false;
  const auto size =
      static_cast<int>(std::min<std::size_t>(room.size(), std::numeric_limits<int>::max()));
  ERR_clear_error();  // else an earlier fault would be taken for this call's
  errno = 0;
  const int count = SSL_read(session_.get(), room.data(), size);
  if (count > 0) return count;
  const int error = error_of(count);
  errno = error;
  return error == 0 ? 0 : -1;
}

ssize_t TlsSession::send(const iovec* parts, std::size_t count) {
  wants_write_ = false;
  ssize_t sent = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (parts[i].iov_len == 0) continue;
    const auto size =
        static_cast<int>(std::min<std::size_t>(parts[i].iov_len, std::numeric_limits<int>::max()));
    ERR_clear_error();
    errno = 0;
    const int written = SSL_write(session_.get(), parts[i].iov_base, size);
    if (written <= 0) {
      const int error = error_of(written);
      if (sent > 0 && error == EAGAIN) return sent;
      errno = error == 0 ? EPIPE : error;
      return -1;
    }
    sent += written;
    if (static_cast<std::size_t>(written) < parts[i].iov_len) return sent;
  }
  return sent;
}

void TlsSession::end() {
  if (established() && fault_.empty()) SSL_shutdown(session_.get());
  ERR_clear_error();
}

std::string TlsSession::peer_name() const {
  const CertificatePtr certificate(SSL_get1_peer_certificate(session_.get()));
  if (!certificate) return {};
  const std::unique_ptr<BIO, OpensslFree<BIO_free_all>> bio(BIO_new(BIO_s_mem()));
  X509_NAME_print_ex(bio.get(), X509_get_subject_name(certificate.get()), 0,
                     XN_FLAG_RFC2253 & ~ASN1_STRFLGS_ESC_MSB);
  char* text = nullptr;
  const long length = BIO_get_mem_data(bio.get(), &text);
  return {text, static_cast<std::size_t>(length)};
}

}  // namespace ktrial::fakebroker
