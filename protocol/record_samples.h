// SPDX-License-Identifier: Apache-2.0
// Batches and messages made for tests.
#pragma once

#include "common/compression.h"
#include "protocol/record_batch_builder.h"

#include <string_view>
#include <vector>

namespace ktrial::protocol::samples {

inline constexpr Codec kCodecs[] = {Codec::kNone, Codec::kGzip, Codec::kSnappy, Codec::kLz4,
                                    Codec::kZstd};

inline ByteView view(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

// Three records: key and value, nulls with headers, empty key.
inline std::vector<std::uint8_t> batch(Codec codec = Codec::kNone,
                                       const ProducerState& producer = {7, 1, 5}) {
  RecordBatchBuilder builder({.codec = codec, .transactional = true});
  builder.append(1000, view("key"), view("value"));
  const HeaderView headers[] = {{"trace", view("x")}, {"null", std::nullopt}, {"", view("")}};
  builder.append(1007, std::nullopt, std::nullopt, headers);
  builder.append(993, view(""), view("the same words, the same words, the same words"));
  return *builder.finish(producer);
}

}  // namespace ktrial::protocol::samples
