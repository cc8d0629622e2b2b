// SPDX-License-Identifier: Apache-2.0
// The visitor that shows a message whole, for comparison: every field that the version has, tagged
// ones even with their default, bytes in hex, records as batches (bytes_of.h), tags that our schema
// does not know.
#pragma once

#include "fakebroker/differential/bytes_of.h"
#include "protocol/codec_traits.h"
#include "protocol/message_types.h"

#include <boost/json.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ktrial::fakebroker::differential {

class TreeVisitor {
 public:
  TreeVisitor(std::int16_t version, bool flexible, boost::json::object& into)
      : version_(version), flexible_(flexible), into_(into) {}

  template <class T>
  void field(std::string_view name, const T& value, bool) {
    into_.emplace(name, show(value, name));
  }
  template <class T>
  void inflexible_field(std::string_view name, const T& value, bool nullable) {
    field(name, value, nullable);
  }
  template <class Each>
  void tagged_fields(const protocol::UnknownTags& unknown, Each&& each) {
    if (!flexible_) return;
    each([this](int, std::string_view name, const auto& value, bool nullable, const auto&) {
      field(name, value, nullable);
    });
    tagged_fields(unknown, protocol::NoTaggedFields{});
  }
  void tagged_fields(const protocol::UnknownTags& unknown, protocol::NoTaggedFields) {
    for (const auto& tag : unknown.tags) {
      into_.emplace("tag " + std::to_string(tag.number), hex_of(tag.data));
    }
  }

 private:
  boost::json::value show(bool value, std::string_view) { return value; }
  boost::json::value show(double value, std::string_view) { return value; }
  template <std::integral Integer>
  boost::json::value show(Integer value, std::string_view) {
    return static_cast<std::int64_t>(value);
  }
  boost::json::value show(const protocol::Uuid& value, std::string_view) {
    return boost::json::value(value.to_string());
  }
  boost::json::value show(const std::string& value, std::string_view) {
    return boost::json::value(value);
  }
  boost::json::value show(const Slice& value, std::string_view name) {
    if (name == "records") return show_records(value);
    return boost::json::value(hex_of(value));
  }
  template <class T>
  boost::json::value show(const std::optional<T>& value, std::string_view name) {
    return value ? show(*value, name) : boost::json::value(nullptr);
  }
  template <class T>
  boost::json::value show(const std::vector<T>& values, std::string_view name) {
    boost::json::array array;
    for (const auto& value : values) array.push_back(show(static_cast<const T&>(value), name));
    return array;
  }
  template <protocol::detail::Struct T>
  boost::json::value show(const T& value, std::string_view) {
    boost::json::object object;
    TreeVisitor inner(version_, flexible_, object);
    T::fields(value, inner, version_);
    return object;
  }

  std::int16_t version_;
  bool flexible_;
  boost::json::object& into_;
};

}  // namespace ktrial::fakebroker::differential
