// SPDX-License-Identifier: Apache-2.0
// TlsContexts: what the TLS listeners of a cluster share: certificates, whom they trust, the log of
// session secrets. One OpenSSL context per way of asking clients for a certificate.
#pragma once

#include "common/result.h"
#include "fakebroker/security/security_spec.h"

#include <openssl/ssl.h>

#include <memory>
#include <string>
#include <vector>

namespace ktrial::fakebroker {

class TlsContexts {
 public:
  // `hosts`: how clients reach the brokers, for the certificate that is made if none is given.
  static Result<std::unique_ptr<TlsContexts>> make(const TlsSpec& spec,
                                                   const std::vector<std::string>& hosts);
  ~TlsContexts();
  TlsContexts(const TlsContexts&) = delete;
  TlsContexts& operator=(const TlsContexts&) = delete;

  [[nodiscard]] SSL_CTX* of(ClientAuth auth) const;
  // PEM: whom clients have to trust, and a client's own; empty where certificates were given.
  [[nodiscard]] const std::string& ca_pem() const { return ca_pem_; }
  [[nodiscard]] const std::string& client_certificate_pem() const { return client_pem_; }
  [[nodiscard]] const std::string& client_key_pem() const { return client_key_pem_; }

 private:
  struct Free {
    void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
  };
  using Context = std::unique_ptr<SSL_CTX, Free>;
  struct KeyLog;

  TlsContexts();
  Result<void> use_files(const TlsSpec& spec);
  Result<void> use_made(const TlsSpec& spec, const std::vector<std::string>& hosts);
  Result<void> write_files(const std::string& folder) const;
  Result<void> log_keys(const TlsSpec& spec);
  [[nodiscard]] std::vector<SSL_CTX*> all() const;

  Context none_, requested_, required_;
  std::unique_ptr<KeyLog> key_log_;
  std::string ca_pem_, client_pem_, client_key_pem_;
};

}  // namespace ktrial::fakebroker
