// SPDX-License-Identifier: Apache-2.0
// The visitor that shows a message as JSON: Kafka's own member names, bytes as their length, and a
// budget so that a huge or hostile message gives bounded JSON.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <boost/json.hpp>

#include "protocol/codec_traits.h"
#include "protocol/message_types.h"

namespace ktrial::protocol {

class JsonVisitor {
 public:
  static constexpr std::size_t kValueBudget = 200'000;

  JsonVisitor(std::int16_t version, bool flexible, std::size_t& left, boost::json::object& into)
      : version_(version), flexible_(flexible), left_(left), into_(into) {}

  template <class T>
  void field(std::string_view name, const T& value, bool) {
    into_[name] = show(value);
  }
  template <class T>
  void inflexible_field(std::string_view name, const T& value, bool nullable) {
    field(name, value, nullable);
  }
  template <class Each>
  void tagged_fields(const UnknownTags&, Each&& each) {
    if (!flexible_) return;
    each([this](int, std::string_view name, const auto& value, bool nullable, const auto& otherwise) {
      if (value != otherwise) field(name, value, nullable);
    });
  }

 private:
  boost::json::value show(bool value) { return spend(), value; }
  boost::json::value show(double value) { return spend(), value; }
  template <std::integral Integer>
  boost::json::value show(Integer value) {
    return spend(), value;
  }
  boost::json::value show(const Uuid& value) { return spend(), boost::json::value(value.to_string()); }
  boost::json::value show(const std::string& value) { return spend(), boost::json::value(value); }
  boost::json::value show(const Slice& value) { return spend(), boost::json::value{{"bytes", value.size()}}; }
  template <class T>
  boost::json::value show(const std::optional<T>& value) {
    return value ? show(*value) : boost::json::value(nullptr);
  }
  template <class T>
  boost::json::value show(const std::vector<T>& values) {
    boost::json::array array;
    for (const auto& value : values) {
      if (left_ == 0) {
        array.push_back(boost::json::object{{"truncated", values.size() - array.size()}});
        break;
      }
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
  void spend() { left_ -= left_ > 0; }

  std::int16_t version_;
  bool flexible_;
  std::size_t& left_;
  boost::json::object& into_;
};

}  // namespace ktrial::protocol
