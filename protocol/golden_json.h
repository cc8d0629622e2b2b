// SPDX-License-Identifier: Apache-2.0
// For tests: compares JSON that Kafka's converters wrote with ours. Kafka shows bytes as base64 and
// the size of records under another name; we show both as {"bytes": n}.
#pragma once

#include <cmath>
#include <string>
#include <string_view>

#include <boost/json.hpp>

namespace ktrial::protocol {

inline std::size_t size_of_base64(std::string_view text) {
  while (text.ends_with('=')) text.remove_suffix(1);
  return text.size() * 3 / 4;
}

// "" if they agree, else where and how they differ.
std::string difference(const boost::json::value& java, const boost::json::value& ours, const std::string& path);

inline std::string difference_of_objects(const boost::json::object& java, const boost::json::object& ours, const std::string& path) {
  constexpr std::string_view kSize = "SizeInBytes";
  if (java.size() != ours.size()) return path + ": " + boost::json::serialize(java) + " and " + boost::json::serialize(ours);
  for (const auto& [key, value] : java) {
    std::string_view name = key;
    boost::json::value expected = value;
    if (name.ends_with(kSize)) {
      name.remove_suffix(kSize.size());
      expected = boost::json::object{{"bytes", value}};
    }
    const auto* const found = ours.if_contains(name);
    if (found == nullptr) return path + ": no member " + std::string(name);
    if (auto inner = difference(expected, *found, path + "." + std::string(name)); !inner.empty()) return inner;
  }
  return "";
}

inline std::string difference(const boost::json::value& java, const boost::json::value& ours, const std::string& path) {
  const auto* const shown = ours.if_object();
  if (java.is_string() && shown != nullptr && shown->size() == 1 && shown->contains("bytes")) {
    return difference(size_of_base64(java.get_string()), shown->at("bytes"), path);
  }
  if (java.is_object() && shown != nullptr) return difference_of_objects(java.get_object(), *shown, path);
  if (java.is_array() && ours.is_array() && java.get_array().size() == ours.get_array().size()) {
    for (std::size_t i = 0; i < java.get_array().size(); ++i) {
      auto inner = difference(java.get_array()[i], ours.get_array()[i], path + "[" + std::to_string(i) + "]");
      if (!inner.empty()) return inner;
    }
    return "";
  }
  // Compares numbers by value, whatever their kind.
  if (java == ours || (java.is_double() && ours.is_double() && std::abs(java.get_double() - ours.get_double()) < 1e-6)) return "";
  return path + ": " + boost::json::serialize(java) + " and " + boost::json::serialize(ours);
}

}  // namespace ktrial::protocol
