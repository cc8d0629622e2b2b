// SPDX-License-Identifier: Apache-2.0
// UnregisterBroker (64), v0: meant for brokers that are gone for good. One that still runs is left
// out of the metadata until it starts again.
#include "fakebroker/handlers/handlers.h"
#include "fakebroker/request_context.h"
#include "protocol/messages/unregister_broker_request.h"
#include "protocol/messages/unregister_broker_response.h"

#include <fmt/core.h>

namespace ktrial::fakebroker {

Reply unregister_broker(RequestContext& ctx, const protocol::UnregisterBrokerRequest& request) {
  protocol::UnregisterBrokerResponse response;
  response.error_message = std::nullopt;
  if (!ctx.cluster.unregister(request.broker_id)) {
    response.error_code = code(protocol::KafkaError::kBrokerIdNotRegistered);
    response.error_message =
        fmt::format("Broker ID {} is not currently registered", request.broker_id);
  }
  return response;
}

}  // namespace ktrial::fakebroker
