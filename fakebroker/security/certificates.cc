// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/security/certificates.h"

#include <boost/asio/ip/address.hpp>
#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>

#include <array>

namespace ktrial::fakebroker {
namespace {

using Bio = std::unique_ptr<BIO, OpensslFree<BIO_free_all>>;
using Extension = std::unique_ptr<X509_EXTENSION, OpensslFree<X509_EXTENSION_free>>;

constexpr long kBackdated = 3600;  // for clocks that do not agree
constexpr long kLifetime = 48L * 3600;
constexpr int kSerialBytes = 16;

tl::unexpected<Error> failed(const char* what) {
  return fail(Errc::kInternal, std::string(what) + ": " + openssl_fault());
}

void name(X509_NAME* into, const std::string& common_name) {
  const auto add = [into](const char* field, const std::string& value) {
    X509_NAME_add_entry_by_txt(into, field, MBSTRING_UTF8,
                               reinterpret_cast<const unsigned char*>(value.data()),
                               static_cast<int>(value.size()), -1, 0);
  };
  add("O", "ktrial");
  add("CN", common_name);
}

bool add_extension(X509* to, X509* issuer, int kind, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, to, nullptr, nullptr, 0);
  const Extension extension(X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str()));
  return extension && X509_add_ext(to, extension.get(), -1) == 1;
}

// A new key and a certificate for it that lacks what the issuer decides.
Result<Identity> blank(const std::string& common_name) {
  Identity made{KeyPtr(EVP_EC_gen("P-256")), CertificatePtr(X509_new())};
  if (!made.key || !made.certificate) return failed("cannot make a key");
  X509* const certificate = made.certificate.get();
  X509_set_version(certificate, X509_VERSION_3);
  std::array<unsigned char, kSerialBytes> serial{};
  RAND_bytes(serial.data(), kSerialBytes);
  serial[0] &= 0x7F;
  BIGNUM* const number = BN_bin2bn(serial.data(), kSerialBytes, nullptr);
  BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate));
  BN_free(number);
  X509_gmtime_adj(X509_getm_notBefore(certificate), -kBackdated);
  X509_gmtime_adj(X509_getm_notAfter(certificate), kLifetime);
  X509_set_pubkey(certificate, made.key.get());
  name(X509_get_subject_name(certificate), common_name);
  return made;
}

std::string alternative_names(const std::vector<std::string>& hosts) {
  std::string names = "DNS:localhost";
  for (const std::string& host : hosts) {
    boost::system::error_code not_an_address;
    boost::asio::ip::make_address(host, not_an_address);
    names += (not_an_address ? ",DNS:" : ",IP:") + host;
  }
  return names;
}

std::string pem_of(const Bio& bio) {
  char* bytes = nullptr;
  const long length = BIO_get_mem_data(bio.get(), &bytes);
  return {bytes, static_cast<std::size_t>(length)};
}

}  // namespace

std::string openssl_fault() {
  std::array<char, 256> text{"no reason given"};
  if (const unsigned long code = ERR_peek_last_error())
    ERR_error_string_n(code, text.data(), text.size());
  ERR_clear_error();
  return text.data();
}

std::string Identity::key_pem() const {
  const Bio bio(BIO_new(BIO_s_mem()));
  PEM_write_bio_PKCS8PrivateKey(bio.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr);
  return pem_of(bio);
}

std::string Identity::certificate_pem() const {
  const Bio bio(BIO_new(BIO_s_mem()));
  PEM_write_bio_X509(bio.get(), certificate.get());
  return pem_of(bio);
}

Result<CertificateAuthority> CertificateAuthority::make() {
  auto made = blank("ktrial CA");
  if (!made) return tl::unexpected<Error>(made.error());
  X509* const own = made->certificate.get();
  X509_set_issuer_name(own, X509_get_subject_name(own));
  const bool good = add_extension(own, own, NID_basic_constraints, "critical,CA:TRUE") &&
                    add_extension(own, own, NID_key_usage, "critical,keyCertSign,cRLSign") &&
                    add_extension(own, own, NID_subject_key_identifier, "hash") &&
                    X509_sign(own, made->key.get(), EVP_sha256()) > 0;
  if (!good) return failed("cannot make a CA");
  return CertificateAuthority(std::move(*made));
}

Result<Identity> CertificateAuthority::issue_server(const std::vector<std::string>& hosts) const {
  auto made = blank("ktrial broker");
  if (!made) return made;
  X509* const certificate = made->certificate.get();
  X509_set_issuer_name(certificate, X509_get_subject_name(own_.certificate.get()));
  X509* const issuer = own_.certificate.get();
  const bool good =
      add_extension(certificate, issuer, NID_subject_alt_name, alternative_names(hosts)) &&
      add_extension(certificate, issuer, NID_ext_key_usage, "serverAuth") &&
      X509_sign(certificate, own_.key.get(), EVP_sha256()) > 0;
  if (!good) return failed("cannot issue a server's certificate");
  return made;
}

Result<Identity> CertificateAuthority::issue_client(const std::string& name) const {
  auto made = blank(name);
  if (!made) return made;
  X509* const certificate = made->certificate.get();
  X509_set_issuer_name(certificate, X509_get_subject_name(own_.certificate.get()));
  const bool good =
      add_extension(certificate, own_.certificate.get(), NID_ext_key_usage, "clientAuth") &&
      X509_sign(certificate, own_.key.get(), EVP_sha256()) > 0;
  if (!good) return failed("cannot issue a client's certificate");
  return made;
}

}  // namespace ktrial::fakebroker
