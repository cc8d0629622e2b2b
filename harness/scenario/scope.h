// SPDX-License-Identifier: Apache-2.0
// Scope: what names mean inside ${...}. While a file is only checked, `profile` and `client` are
// unknown; once a case is bound they have values.
#pragma once

#include "harness/scenario/value.h"

#include <boost/json.hpp>

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ktrial::harness {

class Scope {
 public:
  void set(const std::string& name, Value value) { values_[name] = std::move(value); }
  // A matrix axis: comparisons with a word that is none of its values are refused.
  void set_axis(const std::string& name, std::vector<std::string> values,
                const std::string& chosen);
  void set_profile(boost::json::object profile) { profile_ = std::move(profile); }

  // nullopt: no such name.
  [[nodiscard]] std::optional<Value> find(std::string_view name) const;
  // Members of the profile: "idle.granularity". Unknown before a client is chosen.
  [[nodiscard]] Value profile(std::string_view path) const;
  [[nodiscard]] bool has_profile() const { return profile_.has_value(); }
  // nullptr: not an axis.
  [[nodiscard]] const std::vector<std::string>* axis(std::string_view name) const;
  [[nodiscard]] std::vector<std::string> names() const;

 private:
  std::map<std::string, Value, std::less<>> values_;
  std::map<std::string, std::vector<std::string>, std::less<>> axes_;
  std::optional<boost::json::object> profile_;
};

}  // namespace ktrial::harness
