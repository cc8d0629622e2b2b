// SPDX-License-Identifier: Apache-2.0
// Principals as Kafka writes them: a type, a colon, a name.
#pragma once

#include <string>
#include <string_view>

namespace ktrial::fakebroker {

inline constexpr std::string_view kAnonymous = "User:ANONYMOUS";

inline std::string user_principal(std::string_view name) { return "User:" + std::string(name); }

// The name without its type, as quotas have it.
inline std::string_view user_of(std::string_view principal) {
  return principal.substr(principal.find(':') + 1);
}

}  // namespace ktrial::fakebroker
