// SPDX-License-Identifier: Apache-2.0
// The visitor that fills a message from JSON: members by Kafka's names, every scalar a string (as
// the conversations' YAML gives them) and null where a field may be null. Members that are not
// named keep their defaults. For bytes: text, "hex:00ff", or an object that bytes_of.h knows.
#pragma once

#include "fakebroker/differential/bytes_of.h"
#include "protocol/codec_traits.h"
#include "protocol/message_types.h"

#include <boost/json.hpp>

#include <charconv>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace ktrial::fakebroker::differential {

// What was read, and what could not be.
struct ReadNotes {
  std::set<std::string> unknown;  // paths of members that this version does not have
  std::string fault;              // the first value that does not fit its field
};

class JsonReader {
 public:
  JsonReader(const boost::json::object& from, std::int16_t version, bool flexible, ReadNotes& notes,
             std::string path = {})
      : from_(from),
        version_(version),
        flexible_(flexible),
        notes_(notes),
        path_(std::move(path)) {}

  template <class T>
  void field(std::string_view name, T& value, bool) {
    known_.insert(std::string(name));
    if (const auto* member = from_.if_contains(name)) set(value, *member, path_to(name));
  }
  template <class T>
  void inflexible_field(std::string_view name, T& value, bool nullable) {
    field(name, value, nullable);
  }
  template <class Each>
  void tagged_fields(protocol::UnknownTags&, Each&& each) {
    if (!flexible_) return;
    each([this](int, std::string_view name, auto& value, bool nullable, const auto&) {
      field(name, value, nullable);
    });
  }
  void tagged_fields(protocol::UnknownTags&, protocol::NoTaggedFields) {}

  // Call when all fields were visited.
  void finish() {
    for (const auto& member : from_) {
      if (!known_.contains(std::string(member.key()))) notes_.unknown.insert(path_to(member.key()));
    }
  }

 private:
  [[nodiscard]] std::string path_to(std::string_view name) const {
    return path_.empty() ? std::string(name) : path_ + "." + std::string(name);
  }
  void misfit(const boost::json::value& from, const std::string& path) {
    if (notes_.fault.empty()) notes_.fault = path + ": " + boost::json::serialize(from);
  }
  std::string_view text(const boost::json::value& from, const std::string& path) {
    if (!from.is_string()) {
      misfit(from, path);
      return {};
    }
    return from.get_string();
  }

  void set(bool& value, const boost::json::value& from, const std::string& path) {
    value = text(from, path) == "true";
  }
  template <class Number>
  void set_number(Number& value, const boost::json::value& from, const std::string& path) {
    const std::string_view digits = text(from, path);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc{} || end != digits.data() + digits.size()) misfit(from, path);
  }
  void set(double& value, const boost::json::value& from, const std::string& path) {
    set_number(value, from, path);
  }
  template <std::integral Integer>
  void set(Integer& value, const boost::json::value& from, const std::string& path) {
    set_number(value, from, path);
  }
  void set(protocol::Uuid& value, const boost::json::value& from, const std::string& path) {
    const auto uuid = uuid_of(text(from, path));
    if (uuid) {
      value = *uuid;
    } else {
      misfit(from, path);
    }
  }
  void set(std::string& value, const boost::json::value& from, const std::string& path) {
    value = text(from, path);
  }
  void set(Slice& value, const boost::json::value& from, const std::string& path) {
    auto bytes = bytes_of(from);
    if (bytes) {
      value = Slice(std::move(*bytes));
    } else {
      notes_.fault = path + ": " + bytes.error().to_string();
    }
  }
  template <class T>
  void set(std::optional<T>& value, const boost::json::value& from, const std::string& path) {
    if (from.is_null()) {
      value.reset();
    } else {
      set(value.emplace(), from, path);
    }
  }
  template <class T>
  void set(std::vector<T>& values, const boost::json::value& from, const std::string& path) {
    values.clear();
    if (!from.is_array()) return misfit(from, path);
    for (const auto& element : from.get_array()) {
      T value{};
      set(value, element, path);
      values.push_back(std::move(value));
    }
  }
  template <protocol::detail::Struct T>
  void set(T& value, const boost::json::value& from, const std::string& path) {
    if (!from.is_object()) return misfit(from, path);
    JsonReader inner(from.get_object(), version_, flexible_, notes_, path);
    T::fields(value, inner, version_);
    inner.finish();
  }

  const boost::json::object& from_;
  std::int16_t version_;
  bool flexible_;
  ReadNotes& notes_;
  std::string path_;
  std::set<std::string> known_;
};

}  // namespace ktrial::fakebroker::differential
