// SPDX-License-Identifier: Apache-2.0
// The encoding visitor (Kafka protocol guide, KIP-482 for the flexible forms).
#pragma once

#include <cstdint>
#include <string>

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

  // `each` calls its argument once per tagged field that the version has, in order of tag.
  template <class Each>
  void tagged_fields(const UnknownTags& unknown, Each&& each) {
    if (!flexible_) return;
    std::size_t count = unknown.tags.size();
    each([&count](int, std::string_view, const auto& value, bool, const auto& otherwise) { count += value != otherwise; });
    writer_->uvarint(count);
    if (count == unknown.tags.size()) return put_unknown(unknown);
    each([this](int tag, std::string_view, const auto& value, bool nullable, const auto& otherwise) {
      if (value == otherwise) return;
      Writer inner;
      Writer* const outer = std::exchange(writer_, &inner);
      put(value, nullable);
      writer_ = outer;
      writer_->uvarint(static_cast<std::uint64_t>(tag));
      writer_->uvarint(inner.size());
      writer_->append(inner.span());
    });
    put_unknown(unknown);
  }

 private:
  void put_unknown(const UnknownTags& unknown) {
    for (const UnknownTags::Tag& tag : unknown.tags) {
      writer_->uvarint(tag.number);
      writer_->uvarint(tag.data.size());
      writer_->append(tag.data.span());
    }
  }

  void put_array_length(std::size_t size) {
    if (flexible_) {
      writer_->uvarint(size + 1);
    } else {
      writer_->integer(static_cast<std::int32_t>(size));
    }
  }

  void put(bool value, bool) { writer_->boolean(value); }
  void put(double value, bool) { writer_->float64(value); }
  template <std::integral Integer>
  void put(Integer value, bool) {
    writer_->integer(value);
  }
  void put(const Uuid& value, bool) { writer_->append(std::span<const std::uint8_t>(value.bytes)); }
  void put(const std::string& value, bool) {
    if (flexible_) {
      writer_->uvarint(value.size() + 1);
    } else {
      writer_->integer(static_cast<std::int16_t>(value.size()));
    }
    writer_->append(value);
  }
  void put(const Slice& value, bool) {
    put_array_length(value.size());
    writer_->append_slice(value);
  }
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
  template <class T>
  void put(const std::optional<T>& value, bool nullable) {
    if constexpr (detail::Struct<T>) {
      if (nullable) writer_->integer(static_cast<std::int8_t>(value ? 1 : -1));
      if (value || !nullable) put(value ? *value : T{}, false);
    } else if (value) {
      put(*value, false);
    } else if (!nullable) {
      put(T{}, false);
    } else if (flexible_) {
      writer_->uvarint(0);
    } else if constexpr (std::same_as<T, std::string>) {
      writer_->integer(std::int16_t{-1});
    } else {
      writer_->integer(std::int32_t{-1});
    }
  }

  Writer* writer_;
  std::int16_t version_;
  bool flexible_;
};

}  // namespace ktrial::protocol
