// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/differential/variables.h"

#include <charconv>
#include <optional>

namespace ktrial::fakebroker::differential {

using boost::json::value;

std::string Variables::own(std::string_view name) const {
  return std::string(name) + "-" + std::to_string(run_);
}

Result<std::string> Variables::text(std::string_view written) const {
  if (written.size() > 1 && written.ends_with('@') && !written.starts_with('$')) {
    return own(written.substr(0, written.size() - 1));
  }
  if (!written.starts_with('$')) return std::string(written);
  std::string_view name = written.substr(1);
  std::int64_t more = 0;
  const std::size_t sign = name.find_last_of("+-");
  if (sign != std::string_view::npos && sign > 0) {
    const std::string_view digits = name.substr(sign + 1);
    std::from_chars(digits.data(), digits.data() + digits.size(), more);
    if (name[sign] == '-') more = -more;
    name = name.substr(0, sign);
  }
  const auto found = values_.find(std::string(name));
  if (found == values_.end()) {
    return fail(Errc::kInvalidArgument, "nothing was saved as " + std::string(name));
  }
  if (more == 0) return found->second;
  return std::to_string(std::stoll(found->second) + more);
}

Result<value> Variables::put_into(const value& body) const {
  if (const auto* const written = body.if_string()) {
    auto put = text(*written);
    KTRIAL_TRY(put);
    return value(std::move(*put));
  }
  if (const auto* const elements = body.if_array()) {
    boost::json::array made;
    for (const value& element : *elements) {
      auto put = put_into(element);
      KTRIAL_TRY(put);
      made.push_back(std::move(*put));
    }
    return made;
  }
  if (const auto* const members = body.if_object()) {
    boost::json::object made;
    for (const auto& [name, member] : *members) {
      auto put = put_into(member);
      KTRIAL_TRY(put);
      auto own_name = text(name);
      KTRIAL_TRY(own_name);
      made[*own_name] = std::move(*put);
    }
    return made;
  }
  return body;
}

std::optional<std::string> value_at(const value& answer, std::string_view path) {
  const value* at = &answer;
  while (!path.empty()) {
    const std::size_t dot = path.find('.');
    const std::string_view part = path.substr(0, dot);
    path = dot == std::string_view::npos ? std::string_view() : path.substr(dot + 1);
    if (const auto* const elements = at->if_array()) {
      std::size_t index = 0;
      std::from_chars(part.data(), part.data() + part.size(), index);
      if (index >= elements->size()) return std::nullopt;
      at = &(*elements)[index];
    } else if (const auto* const members = at->if_object()) {
      at = members->if_contains(part);
      if (at == nullptr) return std::nullopt;
    } else {
      return std::nullopt;
    }
  }
  if (at->is_string()) return std::string(at->get_string());
  return boost::json::serialize(*at);
}

}  // namespace ktrial::fakebroker::differential
