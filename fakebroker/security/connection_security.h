// SPDX-License-Identifier: Apache-2.0
// ConnectionSecurity: what a connection of a listener that is not PLAINTEXT has more: its TLS
// session, its authentication, whose it is.
#pragma once

#include "common/clock.h"
#include "fakebroker/security/authentication.h"
#include "fakebroker/security/tls_session.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace ktrial::fakebroker {

class ConnectionSecurity {
 public:
  std::optional<TlsSession> tls;
  std::optional<Authentication> sasl;
  TimerService::Id timer = 0;  // until it is authenticated

  // As ::recv without waiting.
  ssize_t receive(int socket, std::span<std::uint8_t> room);
  [[nodiscard]] TlsSession* tls_session() { return tls ? &*tls : nullptr; }
  [[nodiscard]] Authentication* authentication() { return sasl ? &*sasl : nullptr; }
  [[nodiscard]] bool authenticated() const {
    return (!tls || tls->established()) && (!sasl || sasl->complete());
  }
  [[nodiscard]] const std::string& principal();

 private:
  std::string principal_;  // by certificate, once it is known
};

}  // namespace ktrial::fakebroker
