// SPDX-License-Identifier: Apache-2.0
// SASL PLAIN at a channel (RFC 4616, KIP-43, KIP-152): after ApiVersions and before anything else;
// again, on the same connection, before the session that the broker grants has ended (KIP-368).
#include "clients/reference/channel.h"
#include "protocol/messages/sasl_authenticate_request.h"
#include "protocol/messages/sasl_authenticate_response.h"
#include "protocol/messages/sasl_handshake_request.h"
#include "protocol/messages/sasl_handshake_response.h"

#include <fmt/core.h>

namespace ktrial::client {
namespace {

using protocol::SaslAuthenticateRequest;
using protocol::SaslAuthenticateResponse;
using protocol::SaslHandshakeRequest;
using protocol::SaslHandshakeResponse;

constexpr std::int16_t kHandshakeVersion = 1;  // 0: tokens without headers
constexpr std::int16_t kNewestAuthenticate = 2;
constexpr double kRenewAfter = 0.85;  // of the session

template <class Message>
Request request_of(const Message& message, Millis timeout) {
  Request request;
  request.api_key = Message::kApiKey;
  request.timeout = timeout;
  request.encode = [message](std::int16_t version) {
    return protocol::encode_to_bytes(message, version);
  };
  return request;
}

}  // namespace

void Channel::begin_sasl() {
  authenticating_ = true;
  if (env_.config.mutated(Mutant::kSkipsSaslHandshake)) return authenticate();
  SaslHandshakeRequest message;
  message.mechanism = "PLAIN";
  Request request = request_of(message, env_.config.request_timeout);
  request.done = [this](const Result<Slice>& body, std::int16_t version) {
    if (!body) return;  // the channel is down
    const auto response = protocol::decode<SaslHandshakeResponse>(*body, version);
    if (!response) return sasl_failed(response.error().to_string());
    if (response->error_code != 0)
      return sasl_failed(fmt::format("SaslHandshake: error {}", response->error_code));
    authenticate();
  };
  transmit(std::move(request), kHandshakeVersion);
}

void Channel::authenticate() {
  // Before the first NUL: as whom to act, which is nobody else.
  std::string token(1, '\0');
  token += env_.config.sasl_user + '\0' + env_.config.sasl_password;
  SaslAuthenticateRequest message;
  message.auth_bytes = Slice::copy_of(token);
  const auto offered = versions_.find(SaslAuthenticateRequest::kApiKey);
  const std::int16_t newest = offered == versions_.end() ? std::int16_t{0} : offered->second.second;
  Request request = request_of(message, env_.config.request_timeout);
  request.done = [this](const Result<Slice>& body, std::int16_t version) {
    if (body) authenticated(*body, version);
  };
  transmit(std::move(request), std::min(newest, kNewestAuthenticate));
}

void Channel::authenticated(const Slice& body, std::int16_t version) {
  const auto response = protocol::decode<SaslAuthenticateResponse>(body, version);
  if (!response) return sasl_failed(response.error().to_string());
  if (response->error_code != 0) {
    return sasl_failed(fmt::format("SaslAuthenticate: error {}: {}", response->error_code,
                                   response->error_message.value_or("")));
  }
  authenticating_ = false;
  const bool renews = !env_.config.mutated(Mutant::kNeverReauthenticates);
  if (response->session_lifetime_ms > 0 && renews) {
    const auto lifetime = static_cast<double>(response->session_lifetime_ms);
    renewal_timer_ = env_.timers.after(Millis(static_cast<std::int64_t>(lifetime * kRenewAfter)),
                                       [this] { begin_sasl(); });
  }
  if (state_ != State::kReady) become_ready();
}

void Channel::sasl_failed(const std::string& why) {
  down(state_ == State::kReady ? DownReason::kLost : DownReason::kNotReached, {Errc::kIo, why, {}},
       CloseKind::kFin);
}

}  // namespace ktrial::client
