// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/names.h"

#include "protocol/api_info.h"
#include "protocol/errors.h"

namespace ktrial::harness {

namespace {

constexpr std::int16_t kFirstError = -1;
constexpr std::int16_t kBeyondErrors = 1000;

template <class Visit>
void each_error(Visit visit) {
  for (std::int16_t code = kFirstError; code < kBeyondErrors; ++code) {
    const std::string_view name = protocol::name(static_cast<protocol::KafkaError>(code));
    if (name != "UNKNOWN") visit(code, name);
  }
}

}  // namespace

const std::vector<std::string>& api_names() {
  static const std::vector<std::string> kNames = [] {
    std::vector<std::string> out;
    for (const auto& api : protocol::all_apis()) out.emplace_back(api.name);
    return out;
  }();
  return kNames;
}

const std::vector<std::string>& error_names() {
  static const std::vector<std::string> kNames = [] {
    std::vector<std::string> out;
    each_error([&](std::int16_t, std::string_view name) { out.emplace_back(name); });
    return out;
  }();
  return kNames;
}

std::optional<std::int16_t> error_code(std::string_view wanted) {
  const auto known = protocol::find_error(wanted);
  return known ? std::optional(code(*known)) : std::nullopt;
}

}  // namespace ktrial::harness
