// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/security/jwt.h"

#include "fakebroker/security/crypto.h"
#include "fakebroker/security/jwt_keys.h"

#include <boost/json.hpp>

#include <algorithm>
#include <cmath>
#include <optional>

namespace ktrial::fakebroker {
namespace {

constexpr Millis kSignedSkew{30'000};

tl::unexpected<Error> bad(std::string why) {
  return fail(Errc::kMalformed, std::move(why), "token");
}

// Without doubts about depth or size: a token is at most as long as a SASL message.
std::optional<boost::json::object> object_of(std::string_view part) {
  const auto text = from_base64url(part);
  if (!text) return std::nullopt;
  boost::system::error_code error;
  boost::json::value value = boost::json::parse(*text, error);
  if (error || !value.is_object()) return std::nullopt;
  return std::move(value.get_object());
}

std::string_view text_in(const boost::json::object& object, std::string_view name) {
  const auto* const value = object.if_contains(name);
  if (value == nullptr || !value->is_string()) return {};
  return value->get_string();
}

struct Time {
  bool there = false;
  std::optional<std::int64_t> ms;  // nothing if it is there and no number
};

Time time_in(const boost::json::object& claims, std::string_view name) {
  const auto* const value = claims.if_contains(name);
  if (value == nullptr || value->is_null()) return {};
  if (!value->is_number()) return {true, {}};
  const double seconds = value->to_number<double>();
  constexpr double kMost = 9e15;
  if (!(std::abs(seconds) < kMost / 1000)) return {true, {}};
  return {true, static_cast<std::int64_t>(std::llround(seconds * 1000))};
}

bool names_one_of(const boost::json::value* audience, const std::vector<std::string>& wanted) {
  if (audience == nullptr) return false;
  const auto is_wanted = [&](const boost::json::value& each) {
    return each.is_string() &&
           std::ranges::find(wanted, std::string_view(each.get_string())) != wanted.end();
  };
  if (!audience->is_array()) return is_wanted(*audience);
  return std::ranges::any_of(audience->get_array(), is_wanted);
}

struct Parts {
  std::string_view header, claims, signature;
};

std::optional<Parts> split(std::string_view token) {
  const std::size_t first = token.find('.');
  if (first == std::string_view::npos) return std::nullopt;
  const std::size_t second = token.find('.', first + 1);
  if (second == std::string_view::npos || token.find('.', second + 1) != std::string_view::npos)
    return std::nullopt;
  return Parts{token.substr(0, first), token.substr(first + 1, second - first - 1),
               token.substr(second + 1)};
}

}  // namespace

JwtVerifier::JwtVerifier(OauthSpec spec, std::unique_ptr<JwtKeys> keys)
    : spec_(std::move(spec)), keys_(std::move(keys)) {}
JwtVerifier::JwtVerifier(JwtVerifier&&) noexcept = default;
JwtVerifier::~JwtVerifier() = default;

Result<JwtVerifier> JwtVerifier::make(const OauthSpec& spec) {
  if (spec.keys.empty()) return JwtVerifier(spec, nullptr);
  auto keys = JwtKeys::read(spec.keys);
  if (!keys) return tl::unexpected<Error>(keys.error());
  return JwtVerifier(spec, std::make_unique<JwtKeys>(std::move(*keys)));
}

Result<VerifiedToken> JwtVerifier::verify(std::string_view token, std::int64_t now_ms) const {
  const auto parts = split(token);
  if (!parts) return bad("not three parts");
  const auto header = object_of(parts->header);
  const auto claims = object_of(parts->claims);
  if (!header || !claims) return bad("header or claims are no JSON object");
  const std::string_view algorithm = text_in(*header, "alg");
  if (!keys_ && (algorithm != "none" || !parts->signature.empty())) return bad("not unsecured");
  if (keys_) {
    const auto signature = from_base64url(parts->signature);
    const std::string_view signed_part =
        token.substr(0, parts->header.size() + 1 + parts->claims.size());
    if (!signature || !keys_->verify(algorithm, text_in(*header, "kid"), signed_part, *signature))
      return bad("no key verifies its signature");
    if (spec_.issuer && text_in(*claims, "iss") != *spec_.issuer) return bad("another issuer");
    if (!spec_.audiences.empty() && !names_one_of(claims->if_contains("aud"), spec_.audiences))
      return bad("for another audience");
  }
  const std::string_view principal = text_in(*claims, spec_.principal_claim);
  if (principal.find_first_not_of(" \t") == std::string_view::npos)
    return bad("no claim '" + spec_.principal_claim + "'");
  const std::int64_t skew = spec_.clock_skew.value_or(keys_ ? kSignedSkew : Millis(0)).count();
  const Time issued = time_in(*claims, "iat");
  const Time expires = time_in(*claims, "exp");
  if (!expires.ms) return bad("no time of expiry");
  if (issued.there ? !issued.ms : keys_ != nullptr) return bad("no time of issue");
  if (issued.ms && *issued.ms > now_ms + skew) return bad("issued in the future");
  if (issued.ms && *issued.ms >= *expires.ms) return bad("expires before it was issued");
  if (*expires.ms + skew <= now_ms) return bad("expired");
  return VerifiedToken{std::string(principal), *expires.ms};
}

}  // namespace ktrial::fakebroker
