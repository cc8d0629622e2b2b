// SPDX-License-Identifier: Apache-2.0
// ReplyFields: gives members of an answer the values that a rule or script has for them: JSON by
// the names of Kafka's message definitions. A struct's members that are not named stay; a list is
// replaced as a whole, its elements begin with their defaults. Tagged fields are members like any
// other.
#pragma once

#include "protocol/codec_traits.h"
#include "protocol/message_types.h"
#include "protocol/uuid_parse.h"

#include <boost/json.hpp>

#include <concepts>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ktrial::fakebroker {

class ReplyFields {
 public:
  // `fault`: the first thing that does not fit, e.g. "brokers.port: not an integer".
  ReplyFields(const boost::json::object& from, std::int16_t version, std::string& fault,
              std::string path = {})
      : from_(from), version_(version), fault_(fault), path_(std::move(path)) {}

  template <class T>
  void field(std::string_view name, T& member, bool) {
    known_.insert(name);
    if (const auto* const value = from_.if_contains(name)) set(member, *value, name);
  }
  template <class T>
  void inflexible_field(std::string_view name, T& member, bool nullable) {
    field(name, member, nullable);
  }
  template <class Each>
  void tagged_fields(const protocol::UnknownTags&, Each&& each) {
    each([this](int, std::string_view name, auto& member, bool nullable, const auto&) {
      field(name, member, nullable);
    });
  }

  // When all members were visited: one that nobody has is a fault.
  void finish() {
    for (const auto& [name, value] : from_) {
      if (!known_.contains(std::string_view(name))) misfit(name, "there is no such field");
    }
  }

 private:
  void misfit(std::string_view name, std::string_view what) {
    if (fault_.empty()) fault_ = path_ + std::string(name) + ": " + std::string(what);
  }

  template <class T>
    requires std::integral<T>
  void set(T& member, const boost::json::value& value, std::string_view name) {
    if (value.is_int64())
      member = static_cast<T>(value.get_int64());
    else
      misfit(name, "not an integer");
  }
  void set(bool& member, const boost::json::value& value, std::string_view name) {
    if (value.is_bool())
      member = value.get_bool();
    else
      misfit(name, "not true or false");
  }
  void set(double& member, const boost::json::value& value, std::string_view name) {
    if (value.is_number())
      member = value.to_number<double>();
    else
      misfit(name, "not a number");
  }
  void set(std::string& member, const boost::json::value& value, std::string_view name) {
    if (value.is_string())
      member = value.get_string();
    else
      misfit(name, "not a text");
  }
  void set(Slice& member, const boost::json::value& value, std::string_view name) {
    if (value.is_string())
      member = Slice::copy_of(std::string_view(value.get_string()));
    else
      misfit(name, "not a text");
  }
  void set(protocol::Uuid& member, const boost::json::value& value, std::string_view name) {
    const auto parsed = value.is_string()
                            ? protocol::parse_uuid(std::string_view(value.get_string()))
                            : std::nullopt;
    if (parsed)
      member = *parsed;
    else
      misfit(name, "not an id as Kafka prints them");
  }
  template <class T>
  void set(std::optional<T>& member, const boost::json::value& value, std::string_view name) {
    if (value.is_null()) return member.reset();
    if (!member) member.emplace();
    set(*member, value, name);
  }
  template <class T>
  void set(std::vector<T>& members, const boost::json::value& value, std::string_view name) {
    if (!value.is_array()) return misfit(name, "not a list");
    members.clear();
    for (const auto& each : value.get_array()) {
      T member{};
      set(member, each, name);
      members.push_back(std::move(member));
    }
  }
  template <protocol::detail::Struct T>
  void set(T& member, const boost::json::value& value, std::string_view name) {
    if (!value.is_object()) return misfit(name, "not a map of fields");
    ReplyFields inner(value.get_object(), version_, fault_, path_ + std::string(name) + ".");
    T::fields(member, inner, version_);
    inner.finish();
  }

  const boost::json::object& from_;
  std::int16_t version_;
  std::string& fault_;
  std::string path_;
  std::set<std::string_view> known_;
};

}  // namespace ktrial::fakebroker
