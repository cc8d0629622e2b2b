// SPDX-License-Identifier: Apache-2.0
// How clients get in, as data: listeners with their protocols, TLS, SASL users, who may do what.
#pragma once

#include "common/clock.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ktrial::fakebroker {

enum class SecurityProtocol : std::uint8_t { kPlaintext, kSsl, kSaslPlaintext, kSaslSsl };
enum class ClientAuth : std::uint8_t { kNone, kRequested, kRequired };  // ssl.client.auth

// "SASL_SSL", in any case; nothing for another name.
std::optional<SecurityProtocol> security_protocol(std::string_view name);
std::string_view name(SecurityProtocol protocol);
std::optional<ClientAuth> client_auth(std::string_view name);
[[nodiscard]] constexpr bool has_tls(SecurityProtocol protocol) {
  return protocol == SecurityProtocol::kSsl || protocol == SecurityProtocol::kSaslSsl;
}
[[nodiscard]] constexpr bool has_sasl(SecurityProtocol protocol) {
  return protocol == SecurityProtocol::kSaslPlaintext || protocol == SecurityProtocol::kSaslSsl;
}

// One endpoint of every broker. The first of a cluster is at the broker's own host and ports; the
// ports of the others are for the first broker of a host, and one more for each further one.
struct ListenerSpec {
  std::string name = {};  // empty: that of the protocol
  SecurityProtocol protocol = SecurityProtocol::kPlaintext;
  std::uint16_t port = 0;  // 0: the kernel chooses
  std::optional<std::string> advertised_host = {};
  std::optional<std::uint16_t> advertised_port = {};
  std::optional<ClientAuth> client_auth = {};            // else the cluster's
  std::optional<std::vector<std::string>> mechanisms{};  // of SASL; else the cluster's
};

// Files are PEM. Without a certificate a CA is made at start, and by it a certificate for all
// addresses of the brokers and one for a client.
struct TlsSpec {
  std::string certificate_file = {};  // the broker's, then the chain to its CA
  std::string key_file = {};          // PKCS#8 without password
  std::string client_ca_file = {};    // whose clients are let in; empty: the CA that was made
  ClientAuth client_auth = ClientAuth::kNone;
  // The made CA and the client's certificate and key go here, for clients to use.
  std::string write_to = {};
  // Secrets of each session as NSS writes them, so that Wireshark can decrypt a capture.
  std::string key_log_file = {};
  std::function<void(std::string_view line)> on_key_log = {};
};

struct SaslUser {
  std::string name = {};
  std::string password = {};
};

// Tokens of OAUTHBEARER. Without keys, unsecured ones (alg none) are taken.
struct OauthSpec {
  std::string keys = {};  // a JWKS, or PEM public keys: whose RS256 and ES256 signatures count
  std::optional<std::string> issuer = {};
  std::vector<std::string> audiences = {};  // any of them; none: whatever it says
  std::string principal_claim = "sub";
  // Absent: none for unsecured tokens and 30 s for signed ones, as in Kafka.
  std::optional<Millis> clock_skew = {};
};

struct SaslSpec {
  std::vector<std::string> mechanisms = {"PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "OAUTHBEARER"};
  std::vector<SaslUser> users = {};  // of PLAIN and SCRAM
  OauthSpec oauth = {};
  Millis max_reauth{0};       // connections.max.reauth.ms; 0: sessions do not end
  Millis failure_delay{100};  // connection.failed.authentication.delay.ms
};

struct AuthorizerSpec {
  bool enabled = false;
  std::vector<std::string> super_users = {};  // "User:admin"
  bool allow_if_no_acl = false;               // allow.everyone.if.no.acl.found
};

struct SecuritySpec {
  std::vector<ListenerSpec> listeners = {};  // none: one, PLAINTEXT
  TlsSpec tls = {};
  SaslSpec sasl = {};
  AuthorizerSpec authorizer = {};
  // From the connection to its authentication; Kafka itself only knows idle connections.
  Millis authentication_timeout{30'000};
};

}  // namespace ktrial::fakebroker
