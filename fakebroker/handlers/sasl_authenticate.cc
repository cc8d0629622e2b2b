// SPDX-License-Identifier: Apache-2.0
// SaslAuthenticate (36), v0-2 (KIP-152): a token of the mechanism that was agreed on.
#include "fakebroker/handlers/handlers.h"
#include "fakebroker/handlers/sasl_failure.h"
#include "protocol/errors.h"
#include "protocol/messages/sasl_authenticate_request.h"
#include "protocol/messages/sasl_authenticate_response.h"

namespace ktrial::fakebroker {

using protocol::KafkaError;
using protocol::SaslAuthenticateRequest;
using protocol::SaslAuthenticateResponse;

Reply sasl_authenticate(RequestContext& ctx, const SaslAuthenticateRequest& request) {
  using Kind = Authentication::Step::Kind;
  SaslAuthenticateResponse response;
  Authentication::Step step{Kind::kIllegalState, {}};
  if (ctx.authentication != nullptr)
    step = ctx.authentication->authenticate(request.auth_bytes.text());
  switch (step.kind) {
    case Kind::kIllegalState:
      response.error_code = code(KafkaError::kIllegalSaslState);
      response.error_message = "SaslAuthenticate request received after successful authentication";
      return response;
    case Kind::kClose:
      return Reply::close(ctx.authentication->failure());
    case Kind::kFailed:
      response.error_code = code(KafkaError::kSaslAuthenticationFailed);
      response.error_message = std::move(step.bytes);
      return after_failure_delay(ctx, std::move(response));
    case Kind::kGoesOn:
      break;
  }
  response.auth_bytes = Slice::copy_of(step.bytes);
  response.session_lifetime_ms = step.session_lifetime_ms;
  return response;
}

}  // namespace ktrial::fakebroker
