// SPDX-License-Identifier: Apache-2.0
// Control batches that end a transaction in a partition's log (KIP-98, "Control Messages").
#pragma once

#include "common/result.h"
#include "protocol/record.h"

#include <cstdint>
#include <vector>

namespace ktrial::protocol {

enum class ControlType : std::int16_t { kAbort = 0, kCommit = 1 };

struct TransactionMarker {
  ControlType type = ControlType::kAbort;
  std::int64_t producer_id = -1;
  std::int16_t producer_epoch = -1;
  std::int32_t coordinator_epoch = 0;
};

// A whole batch with base offset 0.
std::vector<std::uint8_t> build_marker_batch(const TransactionMarker& marker,
                                             std::int64_t timestamp);
// What the key of a record of a control batch says; kUnsupported for types of other uses.
Result<ControlType> control_type_of(const RecordView& record);

}  // namespace ktrial::protocol
