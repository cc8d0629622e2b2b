// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/security/security_spec.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace ktrial::fakebroker {
namespace {

constexpr std::array<std::pair<std::string_view, SecurityProtocol>, 4> kProtocols{
    {{"PLAINTEXT", SecurityProtocol::kPlaintext},
     {"SSL", SecurityProtocol::kSsl},
     {"SASL_PLAINTEXT", SecurityProtocol::kSaslPlaintext},
     {"SASL_SSL", SecurityProtocol::kSaslSsl}}};
constexpr std::array<std::pair<std::string_view, ClientAuth>, 3> kClientAuths{
    {{"NONE", ClientAuth::kNone},
     {"REQUESTED", ClientAuth::kRequested},
     {"REQUIRED", ClientAuth::kRequired}}};

template <class Table>
auto find(const Table& table, std::string_view name) -> std::optional<decltype(table[0].second)> {
  for (const auto& [known, value] : table) {
    const bool same =
        std::equal(known.begin(), known.end(), name.begin(), name.end(),
                   [](char a, char b) { return a == std::toupper(static_cast<unsigned char>(b)); });
    if (same) return value;
  }
  return std::nullopt;
}

}  // namespace

std::optional<SecurityProtocol> security_protocol(std::string_view name) {
  return find(kProtocols, name);
}

std::string_view name(SecurityProtocol protocol) {
  return kProtocols.at(static_cast<std::size_t>(protocol)).first;
}

std::optional<ClientAuth> client_auth(std::string_view name) { return find(kClientAuths, name); }

}  // namespace ktrial::fakebroker
