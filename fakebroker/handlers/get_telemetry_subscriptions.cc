// SPDX-License-Identifier: Apache-2.0
// GetTelemetrySubscriptions (71), v0 (KIP-714). Without a subscription that is meant for it, a
// client is told to push no metrics and to ask again after five minutes.
#include "fakebroker/handlers/handlers.h"
#include "fakebroker/request_context.h"
#include "protocol/messages/get_telemetry_subscriptions_request.h"
#include "protocol/messages/get_telemetry_subscriptions_response.h"

namespace ktrial::fakebroker {

Reply get_telemetry_subscriptions(RequestContext& ctx,
                                  const protocol::GetTelemetrySubscriptionsRequest& request) {
  Telemetry& telemetry = ctx.cluster.telemetry();
  const TelemetryClient client{
      ctx.broker, ctx.connection,
      request.client_instance_id.is_zero() ? telemetry.next_instance() : request.client_instance_id,
      std::string(ctx.client_id()), std::string(ctx.client_host)};
  protocol::GetTelemetrySubscriptionsResponse response;
  TelemetrySubscription subscription;
  const protocol::KafkaError error = telemetry.subscribe(client, subscription);
  response.error_code = code(error);
  if (error != protocol::KafkaError::kNone) return response;
  response.client_instance_id = client.instance;
  response.subscription_id = subscription.id;
  response.accepted_compression_types = {4, 3, 1, 2};  // zstd, lz4, gzip, snappy: best first
  response.push_interval_ms = subscription.push_interval_ms;
  response.telemetry_max_bytes = Telemetry::kMaxBytes;
  response.delta_temporality = true;
  response.requested_metrics = std::move(subscription.metrics);
  return response;
}

}  // namespace ktrial::fakebroker
