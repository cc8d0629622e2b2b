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
#include <optional>
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
  // What reading the answer showed; null: nobody reads one.
  struct Reading {
    Millis throttle{0};  // its throttle_time_ms, once `done` has run
    std::optional<Error> unreadable =
        {};  // then `done` has not run: nothing is known of the request
  };
  std::shared_ptr<Reading> reading = {};
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
  request.reading = std::make_shared<Request::Reading>();
  request.done = [done = std::move(done), reading = request.reading](Result<Slice> body,
                                                                     std::int16_t version) {
    if (!body) return done(tl::unexpected<Error>(body.error()));
    Result<Res> response = protocol::decode<Res>(*body, version);
    if (!response) {
      reading->unreadable = response.error();
      return;
    }
    if constexpr (kThrottles) reading->throttle = Millis(response->throttle_time_ms);
    done(std::move(response));
  };
  return request;
}

}  // namespace ktrial::client
