// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/security/jwt_keys.h"

#include "fakebroker/security/crypto.h"

#include <boost/json.hpp>
#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/param_build.h>
#include <openssl/pem.h>

#include <optional>

namespace ktrial::fakebroker {
namespace {

constexpr std::size_t kEcCoordinate = 32;  // of P-256

template <auto kFree>
struct Freer {
  template <class T>
  void operator()(T* of) const {
    kFree(of);
  }
};
using Number = std::unique_ptr<BIGNUM, Freer<BN_free>>;
using ParamBuilder = std::unique_ptr<OSSL_PARAM_BLD, Freer<OSSL_PARAM_BLD_free>>;
using Params = std::unique_ptr<OSSL_PARAM, Freer<OSSL_PARAM_free>>;
using KeyContext = std::unique_ptr<EVP_PKEY_CTX, Freer<EVP_PKEY_CTX_free>>;
using DigestContext = std::unique_ptr<EVP_MD_CTX, Freer<EVP_MD_CTX_free>>;
using Signature = std::unique_ptr<ECDSA_SIG, Freer<ECDSA_SIG_free>>;

const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

Number number_of(std::string_view bytes) {
  return Number(BN_bin2bn(bytes_of(bytes), static_cast<int>(bytes.size()), nullptr));
}

std::optional<std::string> member(const boost::json::object& object, std::string_view name) {
  const auto* const value = object.if_contains(name);
  if (value == nullptr || !value->is_string()) return std::nullopt;
  return std::string(value->get_string());
}

std::optional<std::string> binary_member(const boost::json::object& object, std::string_view name) {
  const auto text = member(object, name);
  return text ? from_base64url(*text) : std::nullopt;
}

EVP_PKEY* key_from(const char* type, OSSL_PARAM_BLD* builder) {
  const Params params(OSSL_PARAM_BLD_to_param(builder));
  const KeyContext context(EVP_PKEY_CTX_new_from_name(nullptr, type, nullptr));
  EVP_PKEY* key = nullptr;
  if (!params || !context || EVP_PKEY_fromdata_init(context.get()) != 1 ||
      EVP_PKEY_fromdata(context.get(), &key, EVP_PKEY_PUBLIC_KEY, params.get()) != 1)
    return nullptr;
  return key;
}

EVP_PKEY* rsa_key(const boost::json::object& jwk) {
  const auto modulus = binary_member(jwk, "n");
  const auto exponent = binary_member(jwk, "e");
  if (!modulus || !exponent) return nullptr;
  const Number n = number_of(*modulus);
  const Number e = number_of(*exponent);
  const ParamBuilder builder(OSSL_PARAM_BLD_new());
  OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_N, n.get());
  OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_E, e.get());
  return key_from("RSA", builder.get());
}

EVP_PKEY* ec_key(const boost::json::object& jwk) {
  const auto x = binary_member(jwk, "x");
  const auto y = binary_member(jwk, "y");
  if (member(jwk, "crv") != "P-256" || !x || !y || x->size() != kEcCoordinate ||
      y->size() != kEcCoordinate)
    return nullptr;
  const std::string point = '\x04' + *x + *y;
  const ParamBuilder builder(OSSL_PARAM_BLD_new());
  OSSL_PARAM_BLD_push_utf8_string(builder.get(), OSSL_PKEY_PARAM_GROUP_NAME, "prime256v1", 0);
  OSSL_PARAM_BLD_push_octet_string(builder.get(), OSSL_PKEY_PARAM_PUB_KEY, point.data(),
                                   point.size());
  return key_from("EC", builder.get());
}

// JWS has r and s side by side (RFC 7518 section 3.4), OpenSSL wants them as ASN.1.
std::optional<std::string> as_asn1(std::string_view signature) {
  if (signature.size() != 2 * kEcCoordinate) return std::nullopt;
  const Signature both(ECDSA_SIG_new());
  Number r = number_of(signature.substr(0, kEcCoordinate));
  Number s = number_of(signature.substr(kEcCoordinate));
  if (ECDSA_SIG_set0(both.get(), r.get(), s.get()) != 1) return std::nullopt;
  static_cast<void>(r.release());
  static_cast<void>(s.release());
  std::string out(static_cast<std::size_t>(i2d_ECDSA_SIG(both.get(), nullptr)), '\0');
  auto* at = reinterpret_cast<unsigned char*>(out.data());
  i2d_ECDSA_SIG(both.get(), &at);
  return out;
}

bool verifies(EVP_PKEY* key, std::string_view signed_part, std::string_view signature) {
  const DigestContext context(EVP_MD_CTX_new());
  const bool good = EVP_DigestVerifyInit(context.get(), nullptr, EVP_sha256(), nullptr, key) == 1 &&
                    EVP_DigestVerify(context.get(), bytes_of(signature), signature.size(),
                                     bytes_of(signed_part), signed_part.size()) == 1;
  ERR_clear_error();
  return good;
}

}  // namespace

Result<JwtKeys> JwtKeys::read(const std::string& text) {
  JwtKeys keys;
  const std::size_t start = text.find_first_not_of(" \t\r\n");
  const bool json = start != std::string::npos && text[start] == '{';
  KTRIAL_TRY(json ? keys.read_jwks(text) : keys.read_pem(text));
  if (keys.keys_.empty()) {
    return fail(Errc::kMalformed,
                json ? "no key of the JWKS is of RSA or of EC P-256" : "no public key in the PEM");
  }
  return keys;
}

Result<void> JwtKeys::read_jwks(const std::string& text) {
  boost::system::error_code error;
  const boost::json::value parsed = boost::json::parse(text, error);
  if (error) return fail(Errc::kMalformed, "the JWKS is not JSON: " + error.message());
  const auto* const root = parsed.if_object();
  const auto* const list = root == nullptr ? nullptr : root->if_contains("keys");
  if (list == nullptr || !list->is_array())
    return fail(Errc::kMalformed, "the JWKS has no array 'keys'");
  for (const boost::json::value& entry : list->get_array()) {
    if (!entry.is_object()) return fail(Errc::kMalformed, "a key of the JWKS is no object");
    const boost::json::object& jwk = entry.get_object();
    const auto type = member(jwk, "kty");
    // What is for other algorithms may be in it, too.
    EVP_PKEY* const key = type == "RSA" ? rsa_key(jwk) : type == "EC" ? ec_key(jwk) : nullptr;
    if (key == nullptr) continue;
    keys_.push_back({member(jwk, "kid").value_or(""), {}});
    keys_.back().key.reset(key);
  }
  ERR_clear_error();
  return {};
}

Result<void> JwtKeys::read_pem(const std::string& text) {
  const std::unique_ptr<BIO, Freer<BIO_free_all>> bio(
      BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
  while (EVP_PKEY* const key = PEM_read_bio_PUBKEY(bio.get(), nullptr, nullptr, nullptr)) {
    keys_.emplace_back();
    keys_.back().key.reset(key);
  }
  ERR_clear_error();
  return {};
}

bool JwtKeys::verify(std::string_view algorithm, std::string_view key_id,
                     std::string_view signed_part, std::string_view signature) const {
  const bool elliptic = algorithm == "ES256";
  if (!elliptic && algorithm != "RS256") return false;
  const auto asn1 = elliptic ? as_asn1(signature) : std::string(signature);
  if (!asn1) return false;
  for (const Key& key : keys_) {
    const bool of_type = EVP_PKEY_is_a(key.key.get(), elliptic ? "EC" : "RSA") == 1;
    const bool named = key.id.empty() || key_id.empty() || key.id == key_id;
    if (of_type && named && verifies(key.key.get(), signed_part, *asn1)) return true;
  }
  return false;
}

}  // namespace ktrial::fakebroker
