// SPDX-License-Identifier: Apache-2.0
#include "protocol/encoder.h"

#include <algorithm>

namespace ktrial::protocol {

void Encoder::tagged_fields(const UnknownTags& unknown, NoTaggedFields) {
  if (!flexible_) return;
  writer_->uvarint(unknown.tags.size());
  put_unknown(unknown, 0, UINT64_MAX);
}

std::size_t Encoder::put_unknown(const UnknownTags& unknown, std::size_t from, std::uint64_t end) {
  for (; from < unknown.tags.size() && unknown.tags[from].number < end; ++from) {
    put_tag(unknown.tags[from].number, unknown.tags[from].data.span());
  }
  return from;
}

void Encoder::put_tag(std::uint32_t number, std::span<const std::uint8_t> data) {
  writer_->uvarint(number);
  writer_->uvarint(data.size());
  writer_->append(data);
}

void Encoder::put_array_length(std::size_t size) {
  if (flexible_) {
    writer_->uvarint(size + 1);
  } else {
    writer_->integer(static_cast<std::int32_t>(size));
  }
}

void Encoder::put_null_string() {
  if (flexible_) {
    writer_->uvarint(0);
  } else {
    writer_->integer(std::int16_t{-1});
  }
}

void Encoder::put_null_array() {
  if (flexible_) {
    writer_->uvarint(0);
  } else {
    writer_->integer(std::int32_t{-1});
  }
}

void Encoder::put(const std::string& value, bool) {
  if (flexible_) {
    writer_->uvarint(value.size() + 1);
    writer_->append(value);
  } else {
    const std::string_view sent = std::string_view(value).substr(0, INT16_MAX);
    writer_->integer(static_cast<std::int16_t>(sent.size()));
    writer_->append(sent);
  }
}

void Encoder::put(const Slice& value, bool) {
  put_array_length(value.size());
  writer_->append_slice(value);
}

void Encoder::put(const std::optional<std::string>& value, bool nullable) {
  if (value) {
    put(*value, false);
  } else if (nullable) {
    put_null_string();
  } else {
    put(std::string(), false);
  }
}

void Encoder::put(const std::optional<Slice>& value, bool nullable) {
  if (value) {
    put(*value, false);
  } else if (nullable) {
    put_null_array();
  } else {
    put_array_length(0);
  }
}

}  // namespace ktrial::protocol
