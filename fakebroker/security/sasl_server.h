// SPDX-License-Identifier: Apache-2.0
// SaslServer: one exchange of one mechanism, from the server's side: tokens in, challenges out.
// What it refuses, and in which words, is as in Kafka 4.4.
#pragma once

#include "common/clock.h"
#include "fakebroker/security/jwt.h"
#include "fakebroker/security/security_spec.h"
#include "fakebroker/state/scram_credentials.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace ktrial::fakebroker {

struct SaslOutcome {
  enum class Kind : std::uint8_t {
    kChallenge,  // `bytes` for the client, who sends more
    kComplete,   // `bytes` for the client
    kRefused,    // `bytes` says why, to the client too
    kInvalid,    // the client is told no more than that its credentials are invalid
    kBroken,     // the connection is closed at once
  };
  Kind kind = Kind::kBroken;
  std::string bytes = {};
};

class SaslServer {
 public:
  virtual ~SaslServer() = default;
  virtual SaslOutcome evaluate(std::string_view token) = 0;
  // Once complete: whom it authenticated, and until when (by Clock::wall_ms) if that is limited.
  [[nodiscard]] const std::string& user() const { return user_; }
  [[nodiscard]] std::optional<std::int64_t> expires_ms() const { return expires_ms_; }

 protected:
  std::string user_;
  std::optional<std::int64_t> expires_ms_;
};

// What the mechanisms ask.
struct SaslBackends {
  const SaslSpec& spec;
  const ScramCredentials& scram;
  const JwtVerifier& tokens;
  const Clock& clock;
  // Whether SCRAM wants its nonce back: brokers before 3.7.2 did not look (CVE-2024-56128), and
  // librdkafka before 2.8 sends another.
  bool checks_nonce = true;
};

[[nodiscard]] bool is_sasl_mechanism(std::string_view name);
// The name must be that of a mechanism. `nonce`: the server's part of SCRAM's, for tests.
std::unique_ptr<SaslServer> make_sasl_server(std::string_view mechanism,
                                             const SaslBackends& backends, std::string nonce = {});

std::unique_ptr<SaslServer> make_plain_server(const SaslSpec& spec);
std::unique_ptr<SaslServer> make_scram_server(ScramMechanism mechanism,
                                              const ScramCredentials& credentials,
                                              std::string nonce, bool checks_nonce);
std::unique_ptr<SaslServer> make_oauth_server(const JwtVerifier& tokens, const Clock& clock);

// What a user with this password is stored as.
ScramCredential make_scram_credential(ScramMechanism mechanism, std::string_view password,
                                      std::string_view salt, std::int32_t iterations);

}  // namespace ktrial::fakebroker
