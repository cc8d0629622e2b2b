// SPDX-License-Identifier: Apache-2.0
// Names that Kafka defines, for the static checks: APIs and error codes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ktrial::harness {

const std::vector<std::string>& api_names();
// Error codes by name ("NOT_LEADER_OR_FOLLOWER"), as many as Kafka has.
const std::vector<std::string>& error_names();
std::optional<std::int16_t> error_code(std::string_view name);

}  // namespace ktrial::harness
