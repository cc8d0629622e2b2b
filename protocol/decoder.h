// SPDX-License-Identifier: Apache-2.0
// The decoding visitor. Claims are checked against the bytes that are there before anything is
// allocated for them; the first fault names its field path. What does not depend on a message's
// type is compiled once, in decoder.cc.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
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
    get(value, nullable);
    if (reader_.failed()) [[unlikely]] note(name);
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
    for (std::uint64_t left = reader_.uvarint(); left > 0 && !reader_.failed(); --left) {
      const Tag tag = read_tag();
      bool known = false;
      each([&](int number, std::string_view name, auto& value, bool nullable, const auto&) {
        if (static_cast<std::uint32_t>(number) != tag.number) return;
        known = true;
        const std::size_t outer = reader_.enter(tag.size);
        field(name, value, nullable);
        leave_tag(name, outer);
      });
      if (!known) keep(tag, unknown);
    }
  }
  void tagged_fields(UnknownTags& unknown, NoTaggedFields);

  // "topics[3].name" of the first fault.
  [[nodiscard]] const std::string& fault_path() const { return fault_path_; }

 private:
  struct Tag {
    std::uint32_t number;
    std::size_t size;
  };
  Tag read_tag();
  void leave_tag(std::string_view name, std::size_t outer_end);
  void keep(const Tag& tag, UnknownTags& unknown);

  // The path of a fault is put together on the way out, from the innermost field.
  void note(std::string_view name);
  void note_index(std::size_t index);

  // Length of a string, bytes or array; -1 for null.
  std::int64_t short_length();
  std::int64_t long_length();
  // True if `size` is a real length with `size` bytes behind it.
  bool usable(std::int64_t size) { return usable(size, 1); }
  bool usable(std::int64_t size, std::size_t element_size);

  void get(bool& value, bool) { value = reader_.integer<std::uint8_t>() != 0; }
  void get(double& value, bool) { value = reader_.float64(); }
  template <std::integral Integer>
  void get(Integer& value, bool) {
    value = reader_.integer<Integer>();
  }
  void get(Uuid& value, bool);
  void get(std::string& value, bool);
  void get(Slice& value, bool);
  void get(std::optional<std::string>& value, bool nullable);
  void get(std::optional<Slice>& value, bool nullable);
  template <class T>
  void get(std::vector<T>& value, bool) {
    fill(value, long_length());
  }
  template <detail::Struct T>
  void get(T& value, bool) {
    T::fields(value, *this, version_);
  }
  template <detail::Struct T>
  void get(std::optional<T>& value, bool nullable) {
    value.reset();
    if (nullable && reader_.integer<std::int8_t>() < 0) return;
    get(value.emplace(), false);
  }
  template <class T>
  void get(std::optional<std::vector<T>>& value, bool nullable) {
    const std::int64_t size = long_length();
    value.reset();
    if (size == -1 && nullable) return;
    fill(value.emplace(), size);
  }

  template <std::integral Integer>
  void fill(std::vector<Integer>& values, std::int64_t size) {
    if (!usable(size, sizeof(Integer))) return;
    values.resize(static_cast<std::size_t>(size));
    for (auto&& value : values) {
      if constexpr (std::same_as<Integer, bool>) {
        value = reader_.integer<std::uint8_t>() != 0;
      } else {
        value = reader_.integer<Integer>();
      }
    }
  }
  // Every element takes at least one byte (the generator sees to it), so that a false size ends
  // where the bytes end; the vector grows with what was read, not with what was claimed.
  template <class T>
  void fill(std::vector<T>& values, std::int64_t size) {
    if (!usable(size)) return;
    values.clear();
    constexpr std::int64_t kReserve = 64;
    values.reserve(static_cast<std::size_t>(std::min(size, kReserve)));
    for (std::int64_t i = 0; i < size; ++i) {
      get(values.emplace_back(), false);
      if (reader_.failed()) [[unlikely]] return note_index(static_cast<std::size_t>(i));
    }
  }

  Reader& reader_;
  std::int16_t version_;
  bool flexible_;
  std::string fault_path_;
};

}  // namespace ktrial::protocol
