// SPDX-License-Identifier: Apache-2.0
// SASL/PLAIN (RFC 4616).
#include "fakebroker/security/crypto.h"
#include "fakebroker/security/sasl_server.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <vector>

namespace ktrial::fakebroker {
namespace {

constexpr std::size_t kTokens = 3;

std::vector<std::string_view> split(std::string_view message) {
  std::vector<std::string_view> tokens;
  while (true) {
    const std::size_t end = message.find('\0');
    tokens.push_back(message.substr(0, end));
    // More than needed is wrong, however many they are.
    if (end == std::string_view::npos || tokens.size() > kTokens) return tokens;
    message.remove_prefix(end + 1);
  }
}

SaslOutcome refused(std::string why) { return {SaslOutcome::Kind::kRefused, std::move(why)}; }

class PlainServer final : public SaslServer {
 public:
  explicit PlainServer(const SaslSpec& spec) : spec_(spec) {}

  SaslOutcome evaluate(std::string_view message) override {
    const auto tokens = split(message);
    if (tokens.size() != kTokens) {
      return refused(
          fmt::format("Invalid SASL/PLAIN response: expected 3 tokens, got {}", tokens.size()));
    }
    const std::string_view authorization = tokens[0];
    const std::string_view name = tokens[1];
    if (name.empty()) return refused("Authentication failed: username not specified");
    if (tokens[2].empty()) return refused("Authentication failed: password not specified");
    if (!knows(name, tokens[2]))
      return refused("Authentication failed: Invalid username or password");
    if (!authorization.empty() && authorization != name) {
      return refused(
          "Authentication failed: Client requested an authorization id that is different from "
          "username");
    }
    user_ = name;
    return {SaslOutcome::Kind::kComplete};
  }

 private:
  [[nodiscard]] bool knows(std::string_view name, std::string_view password) const {
    return std::any_of(spec_.users.begin(), spec_.users.end(), [&](const SaslUser& user) {
      return user.name == name && same_secret(user.password, password);
    });
  }

  const SaslSpec& spec_;
};

}  // namespace

std::unique_ptr<SaslServer> make_plain_server(const SaslSpec& spec) {
  return std::make_unique<PlainServer>(spec);
}

}  // namespace ktrial::fakebroker
