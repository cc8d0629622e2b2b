// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/security/cluster_security.h"

#include "fakebroker/releases/releases.h"
#include "fakebroker/security/crypto.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <set>

namespace ktrial::fakebroker {
namespace {

constexpr std::size_t kSaltBytes = 20;

std::vector<ListenerSpec> named(std::vector<ListenerSpec> listeners) {
  if (listeners.empty()) listeners.emplace_back();
  for (ListenerSpec& listener : listeners) {
    if (listener.name.empty()) listener.name = name(listener.protocol);
  }
  return listeners;
}

const std::vector<std::string>& mechanisms_of(const SecuritySpec& spec,
                                              const ListenerSpec& listener) {
  return listener.mechanisms ? *listener.mechanisms : spec.sasl.mechanisms;
}

// Since 3.7.2.
bool checks_nonce(const Release* release) {
  if (release == nullptr) return true;
  int major = 0;
  int minor = 0;
  std::sscanf(release->name().c_str(), "%d.%d", &major, &minor);
  return std::pair(major, minor) >= std::pair(3, 7);
}

void store_users(const SaslSpec& spec, ScramCredentials& scram) {
  for (const SaslUser& user : spec.users) {
    for (const ScramMechanism mechanism : {ScramMechanism::kSha256, ScramMechanism::kSha512}) {
      scram.put(user.name, mechanism,
                make_scram_credential(mechanism, user.password, random_bytes(kSaltBytes),
                                      ScramCredentials::kLeastIterations));
    }
  }
}

}  // namespace

ClusterSecurity::ClusterSecurity(const SecuritySpec& spec, JwtVerifier tokens,
                                 const ScramCredentials& scram, const Clock& clock)
    : spec_(spec),
      listeners_(named(spec.listeners)),
      tokens_(std::move(tokens)),
      scram_(scram),
      clock_(clock) {}

Result<std::unique_ptr<ClusterSecurity>> ClusterSecurity::make(
    const SecuritySpec& spec, const std::vector<std::string>& hosts, ScramCredentials& scram,
    const Clock& clock) {
  auto tokens = JwtVerifier::make(spec.sasl.oauth);
  if (!tokens) {
    return fail(Errc::kInvalidArgument, tokens.error().to_string(), "keys of OAUTHBEARER");
  }
  std::unique_ptr<ClusterSecurity> made(
      new ClusterSecurity(spec, std::move(*tokens), scram, clock));
  KTRIAL_TRY(made->check_listeners());
  if (made->any(has_tls)) {
    auto tls = TlsContexts::make(spec.tls, hosts);
    if (!tls) return tl::unexpected<Error>(tls.error());
    made->tls_ = std::move(*tls);
  }
  if (made->any(has_sasl)) store_users(spec.sasl, scram);
  return made;
}

bool ClusterSecurity::any(bool (*has)(SecurityProtocol)) const {
  return std::ranges::any_of(listeners_, has, &ListenerSpec::protocol);
}

Result<void> ClusterSecurity::check_listeners() const {
  std::set<std::string_view> names;
  for (const ListenerSpec& listener : listeners_) {
    if (!names.insert(listener.name).second) {
      return fail(Errc::kInvalidArgument,
                  fmt::format("two listeners have the name {}", listener.name));
    }
    if (!has_sasl(listener.protocol)) continue;
    const auto& mechanisms = mechanisms_of(spec_, listener);
    if (mechanisms.empty()) {
      return fail(Errc::kInvalidArgument,
                  fmt::format("the listener {} has no SASL mechanism", listener.name));
    }
    const auto unknown = std::ranges::find_if_not(mechanisms, is_sasl_mechanism);
    if (unknown == mechanisms.end()) continue;
    return fail(Errc::kInvalidArgument,
                fmt::format("no such SASL mechanism: '{}'; known: PLAIN, SCRAM-SHA-256, "
                            "SCRAM-SHA-512, OAUTHBEARER",
                            *unknown));
  }
  return {};
}

std::unique_ptr<ConnectionSecurity> ClusterSecurity::secure(std::size_t listener, int socket,
                                                            const Release* release) const {
  const ListenerSpec& spec = listeners_.at(listener);
  if (spec.protocol == SecurityProtocol::kPlaintext) return nullptr;
  auto security = std::make_unique<ConnectionSecurity>();
  if (has_tls(spec.protocol))
    security->tls.emplace(tls_->of(spec.client_auth.value_or(spec_.tls.client_auth)), socket);
  if (has_sasl(spec.protocol)) {
    security->sasl.emplace(SaslBackends{spec_.sasl, scram_, tokens_, clock_, checks_nonce(release)},
                           mechanisms_of(spec_, spec));
  }
  return security;
}

}  // namespace ktrial::fakebroker
