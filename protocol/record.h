// SPDX-License-Identifier: Apache-2.0
// One Kafka record, in two forms: RecordView looks into bytes that somebody else keeps alive, for
// loops over millions; Record shares the buffer and may be kept.
#pragma once

#include "common/slice.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace ktrial::protocol {

using ByteView = std::span<const std::uint8_t>;

struct HeaderView {
  std::string_view key;
  std::optional<ByteView> value;
};

struct RecordView {
  std::int64_t offset = 0;
  std::int64_t timestamp = 0;
  std::optional<ByteView> key;
  std::optional<ByteView> value;
  ByteView encoded_headers;  // already found well-formed
  std::int32_t header_count = 0;

  [[nodiscard]] std::vector<HeaderView> headers() const;
};

struct RecordHeader {
  Slice key;
  std::optional<Slice> value = std::nullopt;
  bool operator==(const RecordHeader&) const = default;
};

struct Record {
  std::int64_t offset = 0;
  std::int64_t timestamp = 0;  // -1: magic 0 has none
  std::optional<Slice> key = std::nullopt;
  std::optional<Slice> value = std::nullopt;
  std::vector<RecordHeader> headers = {};
  bool operator==(const Record&) const = default;
};

}  // namespace ktrial::protocol
