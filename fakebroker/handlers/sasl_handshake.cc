// SPDX-License-Identifier: Apache-2.0
// SaslHandshake (17), v0-1 (KIP-43): the client chooses a mechanism, at first or to re-authenticate
// (KIP-368). Whoever need not authenticate is told that this is no time for it.
#include "fakebroker/handlers/handlers.h"
#include "fakebroker/handlers/sasl_failure.h"
#include "protocol/errors.h"
#include "protocol/messages/sasl_handshake_request.h"
#include "protocol/messages/sasl_handshake_response.h"

namespace ktrial::fakebroker {

using protocol::KafkaError;
using protocol::SaslHandshakeRequest;
using protocol::SaslHandshakeResponse;

Reply sasl_handshake(RequestContext& ctx, const SaslHandshakeRequest& request) {
  using Outcome = Authentication::HandshakeOutcome;
  Authentication* const authentication = ctx.authentication;
  const Outcome outcome = authentication == nullptr
                              ? Outcome::kIllegalState
                              : authentication->handshake(request.mechanism, ctx.version());
  SaslHandshakeResponse response;
  switch (outcome) {
    case Outcome::kIllegalState:
      response.error_code = code(KafkaError::kIllegalSaslState);
      return response;
    case Outcome::kClose:
      return Reply::close(authentication->failure());
    case Outcome::kUnsupported:
      response.error_code = code(KafkaError::kUnsupportedSaslMechanism);
      response.mechanisms = authentication->mechanisms();
      return after_failure_delay(ctx, std::move(response));
    case Outcome::kAccepted:
      break;
  }
  response.mechanisms = authentication->mechanisms();
  return response;
}

}  // namespace ktrial::fakebroker
