// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/control/control_target.h"

#include <fmt/format.h>

#include <charconv>

namespace ktrial::fakebroker {
namespace {

Result<std::string> decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    unsigned byte = 0;
    const std::string_view digits = text.substr(i + 1, 2);
    const auto [end, bad] = std::from_chars(digits.data(), digits.data() + digits.size(), byte, 16);
    if (digits.size() != 2 || bad != std::errc() || end != digits.data() + 2)
      return fail(Errc::kMalformed, "a '%' is followed by two hexadecimal digits");
    out += static_cast<char>(byte);
    i += 2;
  }
  return out;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

std::optional<std::int64_t> as_number(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, bad] = std::from_chars(text.data(), text.data() + text.size(), number);
  return bad == std::errc() && end == text.data() + text.size() && !text.empty()
             ? std::optional(number)
             : std::nullopt;
}

}  // namespace

Result<ControlTarget> ControlTarget::parse(std::string_view target) {
  if (!target.starts_with('/')) return fail(Errc::kMalformed, "a path begins with '/'");
  ControlTarget parsed;
  const std::size_t mark = target.find('?');
  parsed.path_ = target.substr(0, mark);
  for (const std::string_view segment : split(std::string_view(parsed.path_).substr(1), '/')) {
    auto text = decoded(segment);
    KTRIAL_TRY(text);
    parsed.segments_.push_back(std::move(*text));
  }
  if (mark == std::string_view::npos) return parsed;
  for (const std::string_view pair : split(target.substr(mark + 1), '&')) {
    const std::size_t equals = pair.find('=');
    auto name = decoded(pair.substr(0, equals));
    auto value = decoded(equals == std::string_view::npos ? "" : pair.substr(equals + 1));
    KTRIAL_TRY(name);
    KTRIAL_TRY(value);
    parsed.query_[*name] = std::move(*value);
  }
  return parsed;
}

bool ControlTarget::match(std::string_view pattern) {
  const auto wanted = split(pattern.substr(1), '/');
  parameters_.clear();
  if (wanted.size() != segments_.size()) return false;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i].starts_with('{')) {
      parameters_[std::string(wanted[i].substr(1, wanted[i].size() - 2))] = segments_[i];
    } else if (wanted[i] != segments_[i]) {
      return false;
    }
  }
  return true;
}

std::string_view ControlTarget::parameter(std::string_view name) const {
  const auto found = parameters_.find(name);
  return found == parameters_.end() ? std::string_view() : std::string_view(found->second);
}

std::optional<std::int64_t> ControlTarget::number(std::string_view name) const {
  const auto parsed = as_number(parameter(name));
  return parsed && *parsed >= 0 && *parsed <= INT32_MAX ? parsed : std::nullopt;
}

std::optional<std::string> ControlTarget::query(std::string_view name) const {
  const auto found = query_.find(name);
  return found == query_.end() ? std::nullopt : std::optional(found->second);
}

Result<std::optional<std::int64_t>> ControlTarget::query_number(std::string_view name,
                                                                std::int64_t least,
                                                                std::int64_t most) const {
  const auto text = query(name);
  if (!text) return std::optional<std::int64_t>();
  const auto number = as_number(*text);
  if (number && *number >= least && *number <= most) return number;
  return fail(Errc::kInvalidArgument,
              fmt::format("{} is an integer from {} to {}", name, least, most),
              "?" + std::string(name));
}

}  // namespace ktrial::fakebroker
