// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/scope.h"

namespace ktrial::harness {

namespace {

// Nested members, or one member whose name has dots.
const boost::json::value* look_up(const boost::json::object& object, std::string_view path) {
  if (const auto* whole = object.if_contains(path)) return whole;
  for (std::size_t dot = path.find('.'); dot != std::string_view::npos;
       dot = path.find('.', dot + 1)) {
    const auto* part = object.if_contains(path.substr(0, dot));
    if (part == nullptr || !part->is_object()) continue;
    if (const auto* found = look_up(part->get_object(), path.substr(dot + 1))) return found;
  }
  return nullptr;
}

}  // namespace

void Scope::set_axis(const std::string& name, std::vector<std::string> values,
                     const std::string& chosen) {
  values_[name] = value_of_text(chosen);
  axes_[name] = std::move(values);
}

std::optional<Value> Scope::find(std::string_view name) const {
  if (const auto found = values_.find(name); found != values_.end()) return found->second;
  constexpr std::string_view kProfile = "profile.";
  if (name.starts_with(kProfile)) return profile(name.substr(kProfile.size()));
  return std::nullopt;
}

Value Scope::profile(std::string_view path) const {
  if (!profile_) return Unknown{};
  const auto* found = look_up(*profile_, path);
  if (found == nullptr || found->is_null()) return Missing{"profile." + std::string(path)};
  return value_of_json(*found);
}

const std::vector<std::string>* Scope::axis(std::string_view name) const {
  const auto found = axes_.find(name);
  return found == axes_.end() ? nullptr : &found->second;
}

std::vector<std::string> Scope::names() const {
  std::vector<std::string> out;
  for (const auto& [name, value] : values_) out.push_back(name);
  return out;
}

}  // namespace ktrial::harness
