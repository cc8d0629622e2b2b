// SPDX-License-Identifier: Apache-2.0
// SASL/OAUTHBEARER (RFC 7628, KIP-255). A bad token is answered with a challenge that says so; the
// client acknowledges it and is refused.
#include "fakebroker/security/sasl_server.h"
#include "fakebroker/security/sasl_text.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>

namespace ktrial::fakebroker {
namespace {

constexpr char kSeparator = '\x01';
constexpr std::string_view kBadToken = R"({"status":"invalid_token"})";

bool is_kv_value(char c) {
  return (c >= '!' && c <= '~') || c == ' ' || c == '\t' || c == '\r' || c == '\n';
}
bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_token(char c) { return is_word(c) || c == '-' || c == '.'; }
bool is_space(char c) { return c == ' '; }

struct FirstMessage {
  std::string authorization;
  std::optional<std::string_view> auth;
};

// gs2-header kvsep *kvpair kvsep
std::optional<FirstMessage> read_first(std::string_view message) {
  const std::string_view separator(&kSeparator, 1);
  SaslText text(message);
  FirstMessage first;
  if (!text.skip("n,")) return std::nullopt;
  if (text.skip("a=")) {
    const auto name = text.take(SaslText::is_value);
    if (!name || !unescape_saslname(*name)) return std::nullopt;
    first.authorization = *name;  // as it is written: Kafka does not unescape it
  }
  if (!text.skip(",") || !text.skip(separator)) return std::nullopt;
  while (const auto key = text.take(SaslText::is_letter)) {
    if (!text.skip("=")) return std::nullopt;
    const auto value = text.take(is_kv_value);
    if (!value || !text.skip(separator)) return std::nullopt;
    if (*key == "auth") first.auth = *value;
  }
  return text.skip(separator) && text.at_end() ? std::optional(std::move(first)) : std::nullopt;
}

bool is_bearer(std::string_view scheme) {
  constexpr std::string_view kBearer = "bearer";
  return std::equal(
      scheme.begin(), scheme.end(), kBearer.begin(), kBearer.end(),
      [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; });
}

class OauthServer final : public SaslServer {
 public:
  OauthServer(const JwtVerifier& tokens, const Clock& clock) : tokens_(tokens), clock_(clock) {}

  SaslOutcome evaluate(std::string_view message) override {
    if (refused_ && message == std::string_view(&kSeparator, 1))
      return {Kind::kRefused, std::string(kBadToken)};
    refused_ = false;
    const auto first = read_first(message);
    if (!first || !first->auth) return {Kind::kInvalid};
    SaslText auth(*first->auth);
    const auto scheme = auth.take(is_word);
    if (!scheme || !auth.take(is_space)) return {Kind::kInvalid};
    const auto token = auth.take(is_token);
    if (!token || !auth.at_end()) return {Kind::kInvalid};
    // A broker trips over its own message here and closes.
    if (!is_bearer(*scheme)) return {Kind::kBroken, fmt::format("scheme '{}'", *scheme)};
    return judge(*token, first->authorization);
  }

 private:
  using Kind = SaslOutcome::Kind;

  SaslOutcome judge(std::string_view token, const std::string& authorization) {
    const auto verified = tokens_.verify(token, clock_.wall_ms());
    if (!verified) {
      refused_ = true;
      return {Kind::kChallenge, std::string(kBadToken)};
    }
    if (!authorization.empty() && authorization != verified->principal) {
      return {Kind::kRefused, fmt::format("Authentication failed: Client requested an "
                                          "authorization id ({}) that is different from the "
                                          "token's principal name ({})",
                                          authorization, verified->principal)};
    }
    user_ = verified->principal;
    expires_ms_ = verified->expires_ms;
    return {Kind::kComplete};
  }

  const JwtVerifier& tokens_;
  const Clock& clock_;
  bool refused_ = false;
};

}  // namespace

std::unique_ptr<SaslServer> make_oauth_server(const JwtVerifier& tokens, const Clock& clock) {
  return std::make_unique<OauthServer>(tokens, clock);
}

bool is_sasl_mechanism(std::string_view name) {
  return name == "PLAIN" || name == "SCRAM-SHA-256" || name == "SCRAM-SHA-512" ||
         name == "OAUTHBEARER";
}

std::unique_ptr<SaslServer> make_sasl_server(std::string_view mechanism,
                                             const SaslBackends& backends, std::string nonce) {
  if (mechanism == "PLAIN") return make_plain_server(backends.spec);
  if (mechanism == "OAUTHBEARER") return make_oauth_server(backends.tokens, backends.clock);
  return make_scram_server(
      mechanism == "SCRAM-SHA-256" ? ScramMechanism::kSha256 : ScramMechanism::kSha512,
      backends.scram, std::move(nonce), backends.checks_nonce);
}

}  // namespace ktrial::fakebroker
