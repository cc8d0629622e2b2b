// SPDX-License-Identifier: Apache-2.0
// Request: what a client asks of a broker, encoded only once the version both sides know is found.
#pragma once

#include "common/clock.h"
#include "common/result.h"
#include "common/slice.h"
#include "protocol/codec.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace ktrial::client {

struct Request {
  std::int16_t api_key = 0;
  std::int16_t min_version = 0;
  std::int16_t max_version = 0;
  Millis timeout{30'000};
  bool expects_response = true;
  std::function<std::vector<std::uint8_t>(std::int16_t version)> encode = {};
  // The body after its header; kIo: no answer came because the connection failed; kTimeout.
  std::function<void(Result<Slice> body, std::int16_t version)> done = {};
  // What the answer's throttle_time_ms was, once `done` has run; null: the answer has none.
  std::shared_ptr<Millis> throttle = {};
};

// `newest`: the highest version to use, if the client does not speak the codec's newest.
template <class Req, class Res>
Request make_request(Req message, std::int16_t newest, Millis timeout,
                     std::function<void(Result<Res>)> done) {
  Request request;
  request.api_key = Req::kApiKey;
  request.min_version = Req::kMinVersion;
  request.max_version = std::min(newest, Req::kMaxVersion);
  request.timeout = timeout;
  request.encode = [message = std::move(message)](std::int16_t version) {
    return protocol::encode_to_bytes(message, version);
  };
  constexpr bool kThrottles = requires(Res response) { response.throttle_time_ms; };
  if constexpr (kThrottles) request.throttle = std::make_shared<Millis>(0);
  request.done = [done = std::move(done), throttle = request.throttle](Result<Slice> body,
                                                                       std::int16_t version) {
    Result<Res> response = body ? protocol::decode<Res>(*body, version)
                                : Result<Res>(tl::unexpected<Error>(body.error()));
    if constexpr (kThrottles) {
      if (response) *throttle = Millis(response->throttle_time_ms);
    }
    done(std::move(response));
  };
  return request;
}

}  // namespace ktrial::client
