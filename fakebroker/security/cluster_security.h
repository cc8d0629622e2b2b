// SPDX-License-Identifier: Apache-2.0
// ClusterSecurity: the listeners of a cluster and what secures the connections they accept.
#pragma once

#include "common/clock.h"
#include "common/result.h"
#include "fakebroker/security/connection_security.h"
#include "fakebroker/security/jwt.h"
#include "fakebroker/security/security_spec.h"
#include "fakebroker/security/tls_context.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ktrial::fakebroker {

class Release;

class ClusterSecurity {
 public:
  // kInvalidArgument names what is wrong with the specification. `hosts`: as clients reach the
  // brokers. The users of the specification become SCRAM credentials. All must outlive this.
  static Result<std::unique_ptr<ClusterSecurity>> make(const SecuritySpec& spec,
                                                       const std::vector<std::string>& hosts,
                                                       ScramCredentials& scram, const Clock& clock);

  // At least one, with names.
  [[nodiscard]] const std::vector<ListenerSpec>& listeners() const { return listeners_; }
  // For a connection that a listener has accepted; nullptr if it is PLAINTEXT. `release`: that the
  // broker passes for; nullptr: the newest.
  [[nodiscard]] std::unique_ptr<ConnectionSecurity> secure(std::size_t listener, int socket,
                                                           const Release* release) const;
  [[nodiscard]] Millis authentication_timeout() const { return spec_.authentication_timeout; }
  // nullptr if no listener has TLS.
  [[nodiscard]] const TlsContexts* tls() const { return tls_.get(); }

 private:
  ClusterSecurity(const SecuritySpec& spec, JwtVerifier tokens, const ScramCredentials& scram,
                  const Clock& clock);
  Result<void> check_listeners() const;
  [[nodiscard]] bool any(bool (*has)(SecurityProtocol)) const;

  const SecuritySpec& spec_;
  std::vector<ListenerSpec> listeners_;
  JwtVerifier tokens_;
  const ScramCredentials& scram_;
  const Clock& clock_;
  std::unique_ptr<TlsContexts> tls_;
};

}  // namespace ktrial::fakebroker
