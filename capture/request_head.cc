// SPDX-License-Identifier: Apache-2.0
#include "capture/request_head.h"

#include "protocol/header.h"

namespace ktrial::capture {

namespace {

using Bytes = std::span<const std::uint8_t>;

class Cursor {
 public:
  Cursor(Bytes bytes, std::size_t at) : bytes_(bytes), at_(at) {}

  std::optional<std::int16_t> i16() {
    if (bytes_.size() - at_ < 2) return std::nullopt;
    const auto value = static_cast<std::int16_t>((bytes_[at_] << 8) | bytes_[at_ + 1]);
    at_ += 2;
    return value;
  }
  std::optional<std::int32_t> i32() {
    if (bytes_.size() - at_ < 4) return std::nullopt;
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < 4; ++i) value = (value << 8U) | bytes_[at_ + i];
    at_ += 4;
    return static_cast<std::int32_t>(value);
  }
  std::optional<std::uint32_t> varint() {
    std::uint32_t value = 0;
    for (unsigned shift = 0; shift < 35; shift += 7) {
      if (at_ >= bytes_.size()) return std::nullopt;
      const std::uint8_t byte = bytes_[at_++];
      value |= static_cast<std::uint32_t>(byte & 0x7fU) << shift;
      if ((byte & 0x80U) == 0) return value;
    }
    return std::nullopt;
  }
  bool skip(std::size_t length) {
    if (bytes_.size() - at_ < length) return false;
    at_ += length;
    return true;
  }
  bool skip_tags() {
    const auto count = varint();
    if (!count) return false;
    for (std::uint32_t i = 0; i < *count; ++i) {
      if (!varint()) return false;
      const auto size = varint();
      if (!size || !skip(*size)) return false;
    }
    return true;
  }
  [[nodiscard]] std::size_t at() const { return at_; }

 private:
  Bytes bytes_;
  std::size_t at_;
};

}  // namespace

std::optional<RequestHead> parse_request_head(Bytes frame) {
  Cursor in(frame, 0);
  RequestHead head;
  const auto key = in.i16();
  const auto version = in.i16();
  const auto correlation_id = in.i32();
  if (!key || !version || !correlation_id) return std::nullopt;
  head.key = *key;
  head.version = *version;
  head.correlation_id = *correlation_id;
  const int header = protocol::request_header_version(head.key, head.version);
  if (header >= 1) {
    const auto length = in.i16();
    if (!length || *length < -1) return std::nullopt;
    if (*length >= 0) {
      const auto size = static_cast<std::size_t>(*length);
      const std::size_t start = in.at();
      if (!in.skip(size)) return std::nullopt;
      head.has_client_id = true;
      head.client_id = {reinterpret_cast<const char*>(frame.data() + start), size};
    }
  }
  if (header >= 2 && !in.skip_tags()) return std::nullopt;
  head.body_offset = in.at();
  return head;
}

std::optional<std::int16_t> produce_acks(std::int16_t version, Bytes body) {
  constexpr std::int16_t kTransactionalFrom = 3;
  constexpr std::int16_t kFlexibleFrom = 9;
  Cursor in(body, 0);
  if (version >= kFlexibleFrom) {
    const auto length = in.varint();  // compact: length + 1, 0 is null
    if (!length || (*length > 1 && !in.skip(*length - 1))) return std::nullopt;
  } else if (version >= kTransactionalFrom) {
    const auto length = in.i16();
    if (!length || (*length > 0 && !in.skip(static_cast<std::size_t>(*length))))
      return std::nullopt;
  }
  return in.i16();
}

std::optional<std::size_t> response_body_offset(std::int16_t key, std::int16_t version,
                                                Bytes frame) {
  if (frame.size() < 4) return std::nullopt;
  Cursor in(frame, 4);
  if (protocol::response_header_version(key, version) >= 1 && !in.skip_tags()) return std::nullopt;
  return in.at();
}

}  // namespace ktrial::capture
