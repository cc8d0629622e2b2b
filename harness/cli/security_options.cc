// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/security_options.h"

#include <fmt/core.h>

#include <charconv>
#include <fstream>
#include <iterator>

namespace ktrial::harness {
namespace {

using fakebroker::ListenerSpec;
using fakebroker::SecuritySpec;

tl::unexpected<Error> bad(std::string_view option, std::string_view text, std::string_view what) {
  return fail(Errc::kInvalidArgument, fmt::format("{}: '{}' {}", option, text, what));
}

Result<ListenerSpec> listener_of(std::string_view text) {
  constexpr std::string_view kForm = "is not [NAME=]PROTOCOL[:PORT]";
  ListenerSpec listener;
  std::string_view rest = text;
  if (const std::size_t equals = rest.find('='); equals != std::string_view::npos) {
    listener.name = rest.substr(0, equals);
    rest.remove_prefix(equals + 1);
  }
  const std::size_t colon = rest.find(':');
  const auto protocol = fakebroker::security_protocol(rest.substr(0, colon));
  if (!protocol) {
    return bad("--listener", text,
               "has no such protocol; known: PLAINTEXT, SSL, SASL_PLAINTEXT, SASL_SSL");
  }
  listener.protocol = *protocol;
  if (colon == std::string_view::npos) return listener;
  const char* const end = rest.data() + rest.size();
  const auto parsed = std::from_chars(rest.data() + colon + 1, end, listener.port);
  if (parsed.ec != std::errc() || parsed.ptr != end) return bad("--listener", text, kForm);
  return listener;
}

Result<std::string> content_of(const std::string& path) {
  std::ifstream file(path);
  std::string text(std::istreambuf_iterator<char>(file), {});
  if (!file) return bad("--oauth-keys", path, "cannot be read");
  return text;
}

Result<void> read_sasl(const SecurityOptions& options, fakebroker::SaslSpec& sasl) {
  if (!options.mechanisms.empty()) sasl.mechanisms = options.mechanisms;
  for (const std::string& user : options.users) {
    const std::size_t colon = user.find(':');
    if (colon == std::string::npos || colon == 0)
      return bad("--user", user, "is not NAME:PASSWORD");
    sasl.users.push_back({user.substr(0, colon), user.substr(colon + 1)});
  }
  sasl.max_reauth = Millis(options.max_reauth_ms);
  sasl.failure_delay = Millis(options.failure_delay_ms);
  if (!options.oauth_keys.empty()) {
    auto keys = content_of(options.oauth_keys);
    if (!keys) return tl::unexpected<Error>(keys.error());
    sasl.oauth.keys = std::move(*keys);
  }
  if (!options.oauth_issuer.empty()) sasl.oauth.issuer = options.oauth_issuer;
  sasl.oauth.audiences = options.oauth_audiences;
  return {};
}

}  // namespace

Result<SecuritySpec> security_of(const SecurityOptions& options) {
  SecuritySpec spec;
  for (const std::string& text : options.listeners) {
    auto listener = listener_of(text);
    if (!listener) return tl::unexpected<Error>(listener.error());
    spec.listeners.push_back(std::move(*listener));
  }
  KTRIAL_TRY(read_sasl(options, spec.sasl));
  const auto auth = fakebroker::client_auth(options.client_auth);
  if (!auth)
    return bad("--tls-client-auth", options.client_auth, "is not none, requested or required");
  spec.tls.client_auth = *auth;
  spec.tls.certificate_file = options.certificate;
  spec.tls.key_file = options.key;
  spec.tls.client_ca_file = options.client_ca;
  spec.tls.write_to = options.tls_dir;
  spec.tls.key_log_file = options.key_log;
  spec.authorizer = {options.authorizer, options.super_users, options.allow_if_no_acl};
  return spec;
}

}  // namespace ktrial::harness
