// SPDX-License-Identifier: Apache-2.0
// The decoding visitor. Claims are checked against the bytes that are there before anything is
// allocated for them; the first fault names its field path.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/codec_traits.h"
#include "protocol/message_types.h"
#include "protocol/reader.h"

namespace ktrial::protocol {

class Decoder {
 public:
  Decoder(Reader& reader, std::int16_t version, bool flexible)
      : reader_(reader), version_(version), flexible_(flexible) {}

  template <class T>
  void field(std::string_view name, T& value, bool nullable) {
    if (reader_.failed()) return;
    path_.push_back({name, -1});
    get(value, nullable);
    leave();
  }
  template <class T>
  void inflexible_field(std::string_view name, T& value, bool nullable) {
    const bool flexible = std::exchange(flexible_, false);
    field(name, value, nullable);
    flexible_ = flexible;
  }

  template <class Each>
  void tagged_fields(UnknownTags& unknown, Each&& each) {
    if (!flexible_ || reader_.failed()) return;
    const std::uint64_t count = reader_.uvarint();
    for (std::uint64_t i = 0; i < count && !reader_.failed(); ++i) {
      const auto number = static_cast<std::uint32_t>(reader_.uvarint());
      const auto size = static_cast<std::size_t>(reader_.uvarint());
      bool known = false;
      each([&](int tag, std::string_view name, auto& value, bool nullable, const auto&) {
        if (static_cast<std::uint32_t>(tag) != number) return;
        known = true;
        const std::size_t outer = reader_.enter(size);
        field(name, value, nullable);
        if (!reader_.failed() && reader_.remaining() != 0) fail_at(Errc::kMalformed, std::to_string(reader_.remaining()) + " bytes left in tagged field " + std::string(name));
        reader_.leave(outer);
      });
      if (!known) {
        Slice data = reader_.slice(size);
        if (!reader_.failed()) unknown.tags.push_back({number, std::move(data)});
      }
    }
  }

  // "topics[3].name" of the first fault.
  [[nodiscard]] const std::string& fault_path() const { return fault_path_; }

 private:
  struct Step {
    std::string_view name;
    int index;
  };

  void leave() {
    if (reader_.failed() && fault_path_.empty()) {
      for (const Step& step : path_) {
        if (!fault_path_.empty()) fault_path_ += '.';
        fault_path_ += step.name;
        if (step.index >= 0) fault_path_ += "[" + std::to_string(step.index) + "]";
      }
    }
    path_.pop_back();
  }
  void fail_at(Errc code, std::string text) { reader_.set_error(code, std::move(text)); }

  // Length of a string, bytes or array; -1 for null.
  template <class Plain>
  std::int64_t length() {
    if (flexible_) return static_cast<std::int64_t>(reader_.uvarint()) - 1;
    const Plain value = reader_.integer<Plain>();
    if (value < -1) fail_at(Errc::kMalformed, "length " + std::to_string(value) + " is negative");
    return value;
  }

  void get(bool& value, bool) { value = reader_.integer<std::uint8_t>() != 0; }
  void get(double& value, bool) { value = reader_.float64(); }
  template <std::integral Integer>
  void get(Integer& value, bool) {
    value = reader_.integer<Integer>();
  }
  void get(Uuid& value, bool) {
    const Slice raw = reader_.slice(16);
    if (raw.size() == 16) std::copy_n(raw.data(), 16, value.bytes.begin());
  }
  void get(std::string& value, bool) { fill(value, length<std::int16_t>()); }
  void get(Slice& value, bool) { fill(value, length<std::int32_t>()); }
  template <class T>
  void get(std::vector<T>& value, bool) {
    fill(value, length<std::int32_t>());
  }
  template <detail::Struct T>
  void get(T& value, bool) {
    T::fields(value, *this, version_);
  }
  template <class T>
  void get(std::optional<T>& value, bool nullable) {
    if constexpr (detail::Struct<T>) {
      if (nullable && reader_.integer<std::int8_t>() < 0) {
        value.reset();
        return;
      }
      value.emplace();
      get(*value, false);
    } else {
      const std::int64_t size = std::same_as<T, std::string> ? length<std::int16_t>() : length<std::int32_t>();
      if (size < 0 && nullable) {
        value.reset();
        return;
      }
      value.emplace();
      fill(*value, size);
    }
  }

  // True if `size` is a real length, no larger than what is left.
  bool usable(std::int64_t size) {
    if (reader_.failed()) return false;
    if (size < 0) {
      fail_at(Errc::kMalformed, "null where this version allows none");
      return false;
    }
    return reader_.need(static_cast<std::size_t>(size));
  }
  void fill(std::string& value, std::int64_t size) {
    if (!usable(size)) return;
    value = reader_.slice(static_cast<std::size_t>(size)).text();
  }
  void fill(Slice& value, std::int64_t size) {
    if (!usable(size)) return;
    value = reader_.slice(static_cast<std::size_t>(size));
  }
  // Every element takes at least one byte, so `size` elements need `size` bytes.
  template <class T>
  void fill(std::vector<T>& values, std::int64_t size) {
    if (!usable(size)) return;
    values.clear();
    constexpr std::int64_t kReserve = 1024;
    values.reserve(static_cast<std::size_t>(std::min(size, kReserve)));
    for (std::int64_t i = 0; i < size && !reader_.failed(); ++i) {
      path_.back().index = static_cast<int>(i);
      if constexpr (std::same_as<T, bool>) {
        values.push_back(reader_.integer<std::uint8_t>() != 0);
      } else {
        get(values.emplace_back(), false);
      }
    }
    if (!reader_.failed()) path_.back().index = -1;
  }

  Reader& reader_;
  std::int16_t version_;
  bool flexible_;
  std::vector<Step> path_;
  std::string fault_path_;
};

}  // namespace ktrial::protocol
