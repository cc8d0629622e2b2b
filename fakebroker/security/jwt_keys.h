// SPDX-License-Identifier: Apache-2.0
// JwtKeys: public keys, from a JWKS (RFC 7517) or from PEM, and signatures checked by them.
#pragma once

#include "common/result.h"

#include <openssl/evp.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ktrial::fakebroker {

class JwtKeys {
 public:
  static Result<JwtKeys> read(const std::string& text);

  // By any key that has this id, or that has none. `algorithm`: "RS256" or "ES256".
  [[nodiscard]] bool verify(std::string_view algorithm, std::string_view key_id,
                            std::string_view signed_part, std::string_view signature) const;

 private:
  struct FreeKey {
    void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  };
  struct Key {
    std::string id;
    std::unique_ptr<EVP_PKEY, FreeKey> key;
  };
  Result<void> read_jwks(const std::string& text);
  Result<void> read_pem(const std::string& text);

  std::vector<Key> keys_;
};

}  // namespace ktrial::fakebroker
