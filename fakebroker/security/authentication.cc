// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/security/authentication.h"

#include "fakebroker/security/principal.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace ktrial::fakebroker {
namespace {

constexpr std::int16_t kSaslHandshake = 17;
constexpr std::int16_t kApiVersions = 18;
constexpr std::int16_t kSaslAuthenticate = 36;
constexpr Millis kLeastBetweenReauthentications{1'000};
constexpr Millis kLongestSession = std::chrono::hours(24 * 365 * 10);

// Clients see the mechanisms in the order of a Java HashSet, and some take the first they know.
std::uint32_t bucket(const std::string& name) {
  std::uint32_t hash = 0;
  for (const char c : name) hash = 31 * hash + static_cast<unsigned char>(c);
  constexpr std::uint32_t kBuckets = 16;
  return (hash ^ hash >> 16U) % kBuckets;
}

}  // namespace

Authentication::Authentication(const SaslBackends& backends,
                               const std::vector<std::string>& mechanisms)
    : backends_(backends), mechanisms_(mechanisms), principal_(kAnonymous) {
  std::ranges::stable_sort(mechanisms_, {}, bucket);
}

Authentication::Admission Authentication::admit(std::int16_t api_key) const {
  switch (state_) {
    case State::kInitial:
      return api_key == kApiVersions || api_key == kSaslHandshake ? Admission::kAdmitted
                                                                  : Admission::kClose;
    case State::kHandshakeOnly:
      return api_key == kSaslHandshake ? Admission::kAdmitted : Admission::kClose;
    case State::kExchange:
      return api_key == kSaslAuthenticate ? Admission::kAdmitted : Admission::kIllegalState;
    case State::kComplete:
      return api_key != kSaslHandshake && session_expired() ? Admission::kClose
                                                            : Admission::kAdmitted;
    default:
      return Admission::kClose;
  }
}

bool Authentication::takes_raw_tokens() const { return state_ == State::kExchange && raw_; }

void Authentication::saw_api_versions() {
  if (state_ == State::kInitial) state_ = State::kHandshakeOnly;
}

Authentication::HandshakeOutcome Authentication::handshake(const std::string& mechanism,
                                                           std::int16_t version) {
  using Outcome = HandshakeOutcome;
  if (state_ == State::kComplete) {
    const TimePoint now = backends_.clock.now();
    const bool too_soon =
        reauthentication_began_ && now - *reauthentication_began_ < kLeastBetweenReauthentications;
    if (!session_end_ || too_soon) return Outcome::kIllegalState;
    reauthentication_began_ = now;
  }
  const bool known = std::ranges::find(mechanisms_, mechanism) != mechanisms_.end();
  if (!known) {
    fail("SASL mechanism '" + mechanism + "' is not enabled");
    return reauthenticating() ? Outcome::kClose : Outcome::kUnsupported;
  }
  if (reauthenticating() && mechanism != principal_mechanism_) {
    state_ = State::kFailsNext;
    failure_ = fmt::format("re-authentication of {} by {}", principal_mechanism_, mechanism);
    return Outcome::kAccepted;
  }
  raw_ = version == 0;
  mechanism_ = mechanism;
  server_ = make_sasl_server(mechanism, backends_);
  state_ = State::kExchange;
  return Outcome::kAccepted;
}

Authentication::Step Authentication::authenticate(std::string_view token) {
  using Kind = Step::Kind;
  if (state_ != State::kExchange) return {Kind::kIllegalState, {}};
  SaslOutcome outcome = server_->evaluate(token);
  Step step{Kind::kGoesOn, std::move(outcome.bytes)};
  switch (outcome.kind) {
    case SaslOutcome::Kind::kChallenge:
      break;
    case SaslOutcome::Kind::kComplete:
      finish(step);
      break;
    case SaslOutcome::Kind::kRefused:
      step.kind = Kind::kFailed;
      step.at_once = false;
      break;
    case SaslOutcome::Kind::kInvalid:
      step.kind = Kind::kFailed;
      step.bytes = fmt::format(
          "Authentication failed during {} due to invalid credentials with SASL mechanism {}",
          reauthenticating() ? "re-authentication" : "authentication", mechanism_);
      break;
    case SaslOutcome::Kind::kBroken:
      step.kind = Kind::kClose;
      break;
  }
  if (step.kind != Kind::kGoesOn) fail(step.bytes);
  return step;
}

void Authentication::finish(Step& step) {
  const std::string principal = user_principal(server_->user());
  if (reauthenticating() && principal != principal_) {
    const auto printed = [](std::string name) {
      name[name.find(':')] = '.';
      return name;
    };
    step.kind = Step::Kind::kFailed;
    step.at_once = false;
    step.bytes = fmt::format("Cannot change principals during re-authentication from {}: {}",
                             printed(principal_), printed(principal));
    return;
  }
  const std::int64_t max_reauth = backends_.spec.max_reauth.count();
  const std::optional<std::int64_t> expires = server_->expires_ms();
  session_end_.reset();
  if (expires || max_reauth > 0) {
    std::int64_t lifetime = expires ? *expires - backends_.clock.wall_ms() : max_reauth;
    if (max_reauth > 0) lifetime = std::min(lifetime, max_reauth);
    step.session_lifetime_ms = std::max<std::int64_t>(lifetime, 0);
    // A token may be good for longer than the clock can count.
    session_end_ = backends_.clock.now() + Millis(std::min<std::int64_t>(step.session_lifetime_ms,
                                                                         kLongestSession.count()));
  }
  principal_ = principal;
  principal_mechanism_ = mechanism_;
  server_.reset();
  state_ = State::kComplete;
}

void Authentication::fail(std::string why) {
  state_ = State::kFailed;
  failure_ = std::move(why);
  server_.reset();
}

bool Authentication::session_expired() const {
  return session_end_ && backends_.clock.now() > *session_end_;
}

}  // namespace ktrial::fakebroker
