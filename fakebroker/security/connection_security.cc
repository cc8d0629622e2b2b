// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/security/connection_security.h"

#include "fakebroker/security/principal.h"

#include <sys/socket.h>

namespace ktrial::fakebroker {

ssize_t ConnectionSecurity::receive(int socket, std::span<std::uint8_t> room) {
  return tls ? tls->receive(room) : ::recv(socket, room.data(), room.size(), MSG_DONTWAIT);
}

// SASL says who it is even if a certificate says otherwise, as in Kafka.
const std::string& ConnectionSecurity::principal() {
  if (sasl) return sasl->principal();
  if (principal_.empty() && tls && tls->established()) {
    const std::string name = tls->peer_name();
    principal_ = name.empty() ? std::string(kAnonymous) : user_principal(name);
  }
  static const std::string kNobody(kAnonymous);
  return principal_.empty() ? kNobody : principal_;
}

}  // namespace ktrial::fakebroker
