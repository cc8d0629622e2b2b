// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/security/tls_client_for_test.h"

#include "fakebroker/security/certificates.h"
#include "protocol/header.h"
#include "protocol/writer.h"

#include <openssl/bio.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <stdexcept>

namespace ktrial::fakebroker {
namespace {

using Bio = std::unique_ptr<BIO, OpensslFree<BIO_free_all>>;

Bio bio_of(const std::string& text) {
  return Bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

CertificatePtr certificate_of(const std::string& pem) {
  return CertificatePtr(PEM_read_bio_X509(bio_of(pem).get(), nullptr, nullptr, nullptr));
}

}  // namespace

TlsClientForTest::TlsClientForTest(const ListenerStatus& listener, const TlsMaterial& material,
                                   bool with_certificate, const char* ciphers)
    : context_(SSL_CTX_new(TLS_client_method())) {
  X509_STORE_add_cert(SSL_CTX_get_cert_store(context_.get()), certificate_of(material.ca).get());
  SSL_CTX_set_verify(context_.get(), SSL_VERIFY_PEER, nullptr);
  if (ciphers != nullptr) {
    SSL_CTX_set_max_proto_version(context_.get(), TLS1_2_VERSION);
    SSL_CTX_set_cipher_list(context_.get(), ciphers);
  }
  if (with_certificate) {
    SSL_CTX_use_certificate(context_.get(), certificate_of(material.client_certificate).get());
    const KeyPtr key(
        PEM_read_bio_PrivateKey(bio_of(material.client_key).get(), nullptr, nullptr, nullptr));
    SSL_CTX_use_PrivateKey(context_.get(), key.get());
  }
  socket_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const timeval patience{5, 0};
  ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(listener.port);
  ::inet_pton(AF_INET, listener.host.c_str(), &address.sin_addr);
  if (::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    ::close(socket_);
    throw std::runtime_error("connect");
  }
  session_.reset(SSL_new(context_.get()));
  X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(session_.get()), listener.host.c_str());
  SSL_set_fd(session_.get(), socket_);
  if (SSL_connect(session_.get()) != 1) {
    ::close(socket_);
    throw std::runtime_error(openssl_fault());
  }
}

TlsClientForTest::~TlsClientForTest() { ::close(socket_); }

void TlsClientForTest::send(std::int16_t key, std::int16_t version,
                            std::span<const std::uint8_t> body) {
  protocol::Writer writer;
  writer.integer(std::int32_t{0});
  protocol::encode_request_header({key, version, ++correlation_, "test"}, writer);
  writer.append(body);
  writer.patch_int32(0, static_cast<std::int32_t>(writer.size() - 4));
  if (SSL_write(session_.get(), writer.span().data(), static_cast<int>(writer.size())) <= 0)
    throw std::runtime_error(openssl_fault());
}

void TlsClientForTest::read_exactly(std::uint8_t* into, std::size_t count) {
  while (count > 0) {
    const int got = SSL_read(session_.get(), into, static_cast<int>(count));
    if (got <= 0) throw std::runtime_error(openssl_fault());
    into += got;
    count -= static_cast<std::size_t>(got);
  }
}

Slice TlsClientForTest::receive(std::int16_t key, std::int16_t version) {
  std::uint8_t prefix[4];
  read_exactly(prefix, sizeof prefix);
  std::size_t length = 0;
  for (const std::uint8_t byte : prefix) length = length << 8U | byte;
  std::vector<std::uint8_t> bytes(length);
  read_exactly(bytes.data(), length);
  const Slice frame(std::move(bytes));
  std::size_t body_offset = 0;
  protocol::decode_response_header(frame, protocol::response_header_version(key, version),
                                   body_offset);
  return frame.part(body_offset);
}

}  // namespace ktrial::fakebroker
