// SPDX-License-Identifier: Apache-2.0
// JwtVerifier: is a token (RFC 7519, JWS compact form) good, and whose is it? Without keys as
// Kafka's validator of unsecured tokens, with keys as its validator of signed ones: RS256 and
// ES256.
#pragma once

#include "common/result.h"
#include "fakebroker/security/security_spec.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace ktrial::fakebroker {

class JwtKeys;

struct VerifiedToken {
  std::string principal;
  std::int64_t expires_ms = 0;
};

class JwtVerifier {
 public:
  // kMalformed if `spec.keys` are neither a JWKS nor PEM, or hold no key that can be used.
  static Result<JwtVerifier> make(const OauthSpec& spec);
  JwtVerifier(JwtVerifier&&) noexcept;
  ~JwtVerifier();

  // The error says what is wrong with it, for the ledger: Kafka does not tell its clients.
  [[nodiscard]] Result<VerifiedToken> verify(std::string_view token, std::int64_t now_ms) const;

 private:
  JwtVerifier(OauthSpec spec, std::unique_ptr<JwtKeys> keys);

  OauthSpec spec_;
  std::unique_ptr<JwtKeys> keys_;  // nullptr: unsecured tokens
};

}  // namespace ktrial::fakebroker
