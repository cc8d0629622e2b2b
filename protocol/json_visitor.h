// SPDX-License-Identifier: Apache-2.0
// The visitor that shows a message as JSON: Kafka's own member names, bytes as their length, and a
// budget so that a huge or hostile message gives bounded JSON. What does not depend on a message's
// type is compiled once, in json_visitor.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json.hpp>

#include "protocol/codec_traits.h"
#include "protocol/message_types.h"

namespace ktrial::protocol {

class JsonVisitor {
 public:
  static constexpr std::size_t kValueBudget = 200'000;
  // Longer strings are cut, with a remark on their length.
  static constexpr std::size_t kTextLimit = 4096;

  JsonVisitor(std::int16_t version, bool flexible, std::size_t& left, boost::json::object& into)
      : version_(version), flexible_(flexible), left_(left), into_(into) {}

  template <class T>
  void field(std::string_view name, const T& value, bool) {
    add(name, show(value));
  }
  template <class T>
  void inflexible_field(std::string_view name, const T& value, bool) {
    add(name, show(value));
  }
  template <class Each>
  void tagged_fields(const UnknownTags&, Each&& each) {
    if (!flexible_) return;
    each([this](int, std::string_view name, const auto& value, bool, const auto& otherwise) {
      if (value != otherwise) add(name, show(value));
    });
  }
  void tagged_fields(const UnknownTags&, NoTaggedFields) {}

 private:
  void add(std::string_view name, boost::json::value value);
  void spend(std::size_t cost) { left_ -= left_ < cost ? left_ : cost; }
  // Says in `array` that values are missing, if the budget is spent.
  bool cut(boost::json::array& array, std::size_t size);

  boost::json::value show(bool value);
  boost::json::value show(double value);
  boost::json::value show_number(std::int64_t value);
  template <std::integral Integer>
  boost::json::value show(Integer value) {
    return show_number(static_cast<std::int64_t>(value));
  }
  boost::json::value show(const Uuid& value);
  boost::json::value show(const std::string& value);
  boost::json::value show(const Slice& value);
  template <class T>
  boost::json::value show(const std::optional<T>& value) {
    return value ? show(*value) : boost::json::value(nullptr);
  }
  template <class T>
  boost::json::value show(const std::vector<T>& values) {
    boost::json::array array;
    for (const auto& value : values) {
      if (cut(array, values.size())) break;
      array.push_back(show(static_cast<const T&>(value)));
    }
    return array;
  }
  template <detail::Struct T>
  boost::json::value show(const T& value) {
    boost::json::object object;
    JsonVisitor inner(version_, flexible_, left_, object);
    T::fields(value, inner, version_);
    return object;
  }

  std::int16_t version_;
  bool flexible_;
  std::size_t& left_;
  boost::json::object& into_;
};

}  // namespace ktrial::protocol
