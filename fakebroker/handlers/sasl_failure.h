// SPDX-License-Identifier: Apache-2.0
// A failed authentication is answered, and the connection closed, only after
// connection.failed.authentication.delay.ms (KAFKA-5950): guessing is slow that way.
#pragma once

#include "fakebroker/request_context.h"
#include "fakebroker/security/authentication.h"

#include <memory>
#include <utility>

namespace ktrial::fakebroker {

// Of a connection that has an authentication.
inline Reply after_failure_delay(const RequestContext& ctx, Reply reply) {
  auto held = std::make_shared<std::pair<Responder, Reply>>(ctx.defer(), std::move(reply));
  ctx.cluster.timers().after(ctx.authentication->failure_delay(),
                             [held] { held->first.send(std::move(held->second)); });
  return Reply::deferred();
}

}  // namespace ktrial::fakebroker
