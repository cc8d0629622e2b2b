// SPDX-License-Identifier: Apache-2.0
// Certificates made at run time: a CA, and what it issues. EC P-256, good for two days: they are
// for tests.
#pragma once

#include "common/result.h"

#include <openssl/evp.h>
#include <openssl/x509.h>

#include <memory>
#include <string>
#include <vector>

namespace ktrial::fakebroker {

template <auto kFree>
struct OpensslFree {
  template <class T>
  void operator()(T* of) const {
    kFree(of);
  }
};
using KeyPtr = std::unique_ptr<EVP_PKEY, OpensslFree<EVP_PKEY_free>>;
using CertificatePtr = std::unique_ptr<X509, OpensslFree<X509_free>>;

struct Identity {
  KeyPtr key;
  CertificatePtr certificate;

  [[nodiscard]] std::string key_pem() const;  // PKCS#8
  [[nodiscard]] std::string certificate_pem() const;
};

class CertificateAuthority {
 public:
  static Result<CertificateAuthority> make();

  // For a server that is reached by any of these host names and addresses.
  [[nodiscard]] Result<Identity> issue_server(const std::vector<std::string>& hosts) const;
  // For a client: CN=`name`, O=ktrial.
  [[nodiscard]] Result<Identity> issue_client(const std::string& name) const;
  [[nodiscard]] const Identity& identity() const { return own_; }

 private:
  explicit CertificateAuthority(Identity own) : own_(std::move(own)) {}
  Identity own_;
};

// The text of the last fault in OpenSSL's queue, which is emptied.
[[nodiscard]] std::string openssl_fault();

}  // namespace ktrial::fakebroker
