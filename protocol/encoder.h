// SPDX-License-Identifier: Apache-2.0
// The encoding visitor (Kafka protocol guide, KIP-482 for the flexible forms). What does not depend
// on a message's type is compiled once, in encoder.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "protocol/codec_traits.h"
#include "protocol/message_types.h"
#include "protocol/writer.h"

namespace ktrial::protocol {

class Encoder {
 public:
  Encoder(Writer& writer, std::int16_t version, bool flexible)
      : writer_(&writer), version_(version), flexible_(flexible) {}

  template <class T>
  void field(std::string_view, const T& value, bool nullable) {
    put(value, nullable);
  }
  template <class T>
  void inflexible_field(std::string_view, const T& value, bool nullable) {
    const bool flexible = std::exchange(flexible_, false);
    put(value, nullable);
    flexible_ = flexible;
  }

  // `each` calls its argument once per tagged field that the version has, in order of tag. Those
  // with their default value are not sent.
  template <class Each>
  void tagged_fields(const UnknownTags& unknown, Each&& each) {
    if (!flexible_) return;
    std::size_t count = unknown.tags.size();
    each([&count](int, std::string_view, const auto& value, bool, const auto& otherwise) { count += value != otherwise; });
    writer_->uvarint(count);
    std::size_t sent = 0;
    each([this, &unknown, &sent](int tag, std::string_view, const auto& value, bool nullable, const auto& otherwise) {
      if (value == otherwise) return;
      const auto number = static_cast<std::uint32_t>(tag);
      sent = put_unknown(unknown, sent, number);
      Writer inner;
      Writer* const outer = std::exchange(writer_, &inner);
      put(value, nullable);
      writer_ = outer;
      put_tag(number, inner.span());
    });
    put_unknown(unknown, sent, UINT64_MAX);
  }
  void tagged_fields(const UnknownTags& unknown, NoTaggedFields);

 private:
  // Sends the unknown tags from index `from` on whose numbers are below `end`; tags ascend on the
  // wire. Returns the first index not sent.
  std::size_t put_unknown(const UnknownTags& unknown, std::size_t from, std::uint64_t end);
  void put_tag(std::uint32_t number, std::span<const std::uint8_t> data);
  void put_array_length(std::size_t size);
  void put_null_string();
  void put_null_array();

  void put(bool value, bool) { writer_->boolean(value); }
  void put(double value, bool) { writer_->float64(value); }
  template <std::integral Integer>
  void put(Integer value, bool) {
    writer_->integer(value);
  }
  void put(const Uuid& value, bool) { writer_->append(std::span<const std::uint8_t>(value.bytes)); }
  // Cut to what the field's length can say, so that the frame stays readable.
  void put(const std::string& value, bool);
  void put(const Slice& value, bool);
  template <class T>
  void put(const std::vector<T>& values, bool) {
    put_array_length(values.size());
    for (const auto& value : values) put(static_cast<const T&>(value), false);
  }
  template <detail::Struct T>
  void put(const T& value, bool) {
    T::fields(value, *this, version_);
  }
  // Null where the version knows no null goes out as the empty value.
  void put(const std::optional<std::string>& value, bool nullable);
  void put(const std::optional<Slice>& value, bool nullable);
  template <detail::Struct T>
  void put(const std::optional<T>& value, bool nullable) {
    if (nullable) writer_->integer(static_cast<std::int8_t>(value ? 1 : -1));
    if (value) {
      put(*value, false);
    } else if (!nullable) {
      put(T{}, false);
    }
  }
  template <class T>
  void put(const std::optional<std::vector<T>>& value, bool nullable) {
    if (value) {
      put(*value, false);
    } else if (nullable) {
      put_null_array();
    } else {
      put_array_length(0);
    }
  }

  Writer* writer_;
  std::int16_t version_;
  bool flexible_;
};

}  // namespace ktrial::protocol
