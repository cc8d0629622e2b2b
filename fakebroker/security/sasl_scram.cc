// SPDX-License-Identifier: Apache-2.0
// SASL/SCRAM (RFC 5802, RFC 7677), without channel binding. As Kafka does it: the gs2 header says
// "n", extensions are read over, and delegation tokens have no owner here.
#include "fakebroker/security/crypto.h"
#include "fakebroker/security/sasl_server.h"
#include "fakebroker/security/sasl_text.h"

#include <fmt/core.h>

namespace ktrial::fakebroker {
namespace {

constexpr std::size_t kMostMessage = 64U << 10U;

Hash hash_of(ScramMechanism mechanism) {
  return mechanism == ScramMechanism::kSha256 ? Hash::kSha256 : Hash::kSha512;
}

// Nothing if they are not equally long.
std::optional<std::string> exclusive_or(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return std::nullopt;
  std::string out(a);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<char>(out[i] ^ b[i]);
  return out;
}

std::string text_of(const std::vector<std::uint8_t>& bytes) { return {bytes.begin(), bytes.end()}; }

struct ClientFirst {
  std::string authorization;
  std::string name;
  std::string_view nonce;
  std::string bare;  // as it goes into the signatures
  bool by_token = false;
};

// *("," ALPHA "=" value), all or nothing.
bool skip_extensions(SaslText& text, bool& by_token) {
  while (text.skip(",")) {
    const auto key = text.take(SaslText::is_letter);
    if (!key || !text.skip("=")) return false;
    const auto value = text.take(SaslText::is_value);
    if (!value) return false;
    if (*key == "tokenauth" && *value == "true") by_token = true;
  }
  return text.at_end();
}

std::optional<ClientFirst> read_client_first(std::string_view message) {
  SaslText text(message);
  ClientFirst first;
  if (!text.skip("n,")) return std::nullopt;
  if (text.skip("a=")) {
    const auto name = text.take(SaslText::is_value);
    if (!name) return std::nullopt;
    const auto plain = unescape_saslname(*name);
    if (!plain) return std::nullopt;
    first.authorization = *plain;
  }
  if (!text.skip(",")) return std::nullopt;
  if (text.skip("m=") && (!text.take(SaslText::is_value) || !text.skip(","))) return std::nullopt;
  if (!text.skip("n=")) return std::nullopt;
  const auto name = text.take(SaslText::is_value);
  if (!name) return std::nullopt;
  const auto plain = unescape_saslname(*name);
  if (!plain || !text.skip(",r=")) return std::nullopt;
  const auto nonce = text.take(SaslText::is_printable);
  if (!nonce) return std::nullopt;
  first.name = *plain;
  first.nonce = *nonce;
  const char* const start = name->data() - 2;
  first.bare.assign(start, message.data() + message.size());
  return skip_extensions(text, first.by_token) ? std::optional(std::move(first)) : std::nullopt;
}

struct ClientFinal {
  std::string_view channel;
  std::string_view nonce;
  std::string proof;
};

// c=, r=, extensions, p=: the proof comes last.
std::optional<ClientFinal> read_client_final(std::string_view message) {
  SaslText text(message);
  ClientFinal final;
  if (!text.skip("c=")) return std::nullopt;
  const auto channel = text.take(SaslText::is_value);
  if (!channel || !from_base64(*channel) || !text.skip(",r=")) return std::nullopt;
  const auto nonce = text.take(SaslText::is_printable);
  if (!nonce) return std::nullopt;
  const std::size_t proof_at = message.rfind(",p=");
  if (proof_at == std::string_view::npos || message.data() + proof_at < nonce->data())
    return std::nullopt;
  const auto proof = from_base64(message.substr(proof_at + 3));
  if (!proof) return std::nullopt;
  final.channel = *channel;
  final.nonce = *nonce;
  final.proof = *proof;
  return final;
}

class ScramServer final : public SaslServer {
 public:
  ScramServer(ScramMechanism mechanism, const ScramCredentials& credentials, std::string nonce,
              bool checks_nonce)
      : mechanism_(mechanism),
        hash_(hash_of(mechanism)),
        credentials_(credentials),
        checks_nonce_(checks_nonce),
        nonce_(nonce.empty() ? random_text() : std::move(nonce)) {}

  SaslOutcome evaluate(std::string_view message) override {
    if (message.size() > kMostMessage || step_ == Step::kOver) return {Kind::kInvalid};
    return step_ == Step::kFirst ? first(message) : final(message);
  }

 private:
  enum class Step : std::uint8_t { kFirst, kFinal, kOver };
  using Kind = SaslOutcome::Kind;

  SaslOutcome first(std::string_view message) {
    step_ = Step::kOver;
    const auto client = read_client_first(message);
    if (!client || client->by_token) return {Kind::kInvalid};
    const auto known = credentials_.all().find(client->name);
    if (known == credentials_.all().end()) return {Kind::kInvalid};
    const auto found = known->second.find(mechanism_);
    if (found == known->second.end()) return {Kind::kInvalid};
    if (!client->authorization.empty() && client->authorization != client->name) {
      return {Kind::kRefused,
              "Authentication failed: Client requested an authorization id that is different from "
              "username"};
    }
    credential_ = found->second;
    user_ = client->name;
    client_first_ = client->bare;
    nonce_.insert(0, client->nonce);
    server_first_ = fmt::format("r={},s={},i={}", nonce_, to_base64(text_of(credential_.salt)),
                                credential_.iterations);
    step_ = Step::kFinal;
    return {Kind::kChallenge, server_first_};
  }

  SaslOutcome final(std::string_view message) {
    step_ = Step::kOver;
    const auto client = read_client_final(message);
    if (!client || (checks_nonce_ && client->nonce != nonce_)) return {Kind::kInvalid};
    const std::string salted = text_of(credential_.salted_password);
    const std::string stored_key = digest(hash_, hmac(hash_, salted, "Client Key"));
    const std::string auth_message = fmt::format("{},{},c={},r={}", client_first_, server_first_,
                                                 client->channel, client->nonce);
    const auto client_key = exclusive_or(hmac(hash_, stored_key, auth_message), client->proof);
    if (!client_key) return {Kind::kBroken, "a proof of another length"};
    if (!same_secret(digest(hash_, *client_key), stored_key)) return {Kind::kInvalid};
    const std::string server_key = hmac(hash_, salted, "Server Key");
    return {Kind::kComplete, "v=" + to_base64(hmac(hash_, server_key, auth_message))};
  }

  ScramMechanism mechanism_;
  Hash hash_;
  const ScramCredentials& credentials_;
  ScramCredential credential_;
  Step step_ = Step::kFirst;
  bool checks_nonce_;
  std::string nonce_;  // the server's, then the client's before it
  std::string client_first_;
  std::string server_first_;
};

}  // namespace

std::unique_ptr<SaslServer> make_scram_server(ScramMechanism mechanism,
                                              const ScramCredentials& credentials,
                                              std::string nonce, bool checks_nonce) {
  return std::make_unique<ScramServer>(mechanism, credentials, std::move(nonce), checks_nonce);
}

ScramCredential make_scram_credential(ScramMechanism mechanism, std::string_view password,
                                      std::string_view salt, std::int32_t iterations) {
  const std::string salted = pbkdf2(hash_of(mechanism), password, salt, iterations);
  return {iterations, {salt.begin(), salt.end()}, {salted.begin(), salted.end()}};
}

}  // namespace ktrial::fakebroker
