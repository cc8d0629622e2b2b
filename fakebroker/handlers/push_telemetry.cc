// SPDX-License-Identifier: Apache-2.0
// PushTelemetry (72), v0 (KIP-714).
#include "fakebroker/handlers/handlers.h"
#include "fakebroker/request_context.h"
#include "protocol/messages/push_telemetry_request.h"
#include "protocol/messages/push_telemetry_response.h"

namespace ktrial::fakebroker {

Reply push_telemetry(RequestContext& ctx, const protocol::PushTelemetryRequest& request) {
  const TelemetryClient client{ctx.broker, ctx.connection, request.client_instance_id,
                               std::string(ctx.client_id()), std::string(ctx.client_host)};
  protocol::PushTelemetryResponse response;
  response.error_code =
      code(ctx.cluster.telemetry().push(client, {.subscription = request.subscription_id,
                                                 .terminating = request.terminating,
                                                 .compression = request.compression_type,
                                                 .bytes = request.metrics.size()}));
  return response;
}

}  // namespace ktrial::fakebroker
