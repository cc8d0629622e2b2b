// SPDX-License-Identifier: Apache-2.0
#include "protocol/control_record.h"

#include "protocol/record_batch_builder.h"

#include <fmt/format.h>

#include <array>

namespace ktrial::protocol {

std::vector<std::uint8_t> build_marker_batch(const TransactionMarker& marker,
                                             std::int64_t timestamp) {
  std::array<std::uint8_t, 4> key{};  // version 0, type
  store_be(key.data() + 2, static_cast<std::int16_t>(marker.type));
  std::array<std::uint8_t, 6> value{};  // version 0, coordinator epoch
  store_be(value.data() + 2, marker.coordinator_epoch);
  RecordBatchBuilder builder({.transactional = true, .control = true}, 32);
  builder.append(timestamp, key, value);
  auto batch = builder.finish({marker.producer_id, marker.producer_epoch, -1});
  return std::move(*batch);  // only compression can fail, and there is none
}

Result<ControlType> control_type_of(const RecordView& record) {
  if (!record.key || record.key->size() < 4) {
    return fail(Errc::kMalformed, "a control record without a type");
  }
  const auto type = load_be<std::int16_t>(record.key->data() + 2);
  if (type != 0 && type != 1) {
    return fail(Errc::kUnsupported, fmt::format("control record of type {}", type));
  }
  return static_cast<ControlType>(type);
}

}  // namespace ktrial::protocol
