// SPDX-License-Identifier: Apache-2.0
// For tests: fills every field that a version has with distinct values, or sets every nullable
// field to null.
#pragma once

#include <cstdint>
#include <string>

#include "protocol/codec_traits.h"
#include "protocol/message_types.h"

namespace ktrial::protocol {

class FillVisitor {
 public:
  FillVisitor(std::int16_t version, bool flexible, bool nulls) : version_(version), flexible_(flexible), nulls_(nulls) {}

  template <class T>
  void field(std::string_view, T& value, bool nullable) {
    set(value, nullable);
  }
  template <class T>
  void inflexible_field(std::string_view, T& value, bool nullable) {
    set(value, nullable);
  }
  template <class Each>
  void tagged_fields(UnknownTags& unknown, Each&& each) {
    if (!flexible_) return;
    each([this](int, std::string_view, auto& value, bool nullable, const auto&) { set(value, nullable); });
    unknown.tags.push_back({9000, Slice::copy_of("?")});
  }

 private:
  void set(bool& value, bool) { value = next() % 2 == 0; }
  void set(double& value, bool) { value = static_cast<double>(next()) / 3; }
  template <std::integral Integer>
  void set(Integer& value, bool) {
    value = static_cast<Integer>(next());
  }
  void set(Uuid& value, bool) {
    for (auto& byte : value.bytes) byte = static_cast<std::uint8_t>(next());
  }
  void set(std::string& value, bool) { value = "s" + std::to_string(next()); }
  void set(Slice& value, bool) { value = Slice::copy_of("b" + std::to_string(next())); }
  template <class T>
  void set(std::vector<T>& values, bool) {
    values.assign(2, T{});
    for (std::size_t i = 0; i < values.size(); ++i) {
      if constexpr (std::same_as<T, bool>) {
        values[i] = next() % 2 == 0;
      } else {
        set(values[i], false);
      }
    }
  }
  template <detail::Struct T>
  void set(T& value, bool) {
    T::fields(value, *this, version_);
  }
  template <class T>
  void set(std::optional<T>& value, bool nullable) {
    if (nullable && nulls_) {
      value.reset();
    } else {
      value.emplace();
      set(*value, false);
    }
  }
  std::uint64_t next() {
    state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
    return state_ >> 33U;
  }

  std::int16_t version_;
  bool flexible_;
  bool nulls_;
  std::uint64_t state_ = 42;
};

template <class Message>
Message filled(std::int16_t version, bool nulls) {
  Message message;
  FillVisitor visitor(version, version >= Message::kFlexibleFrom, nulls);
  Message::fields(message, visitor, version);
  return message;
}

}  // namespace ktrial::protocol
