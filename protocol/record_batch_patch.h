// SPDX-License-Identifier: Apache-2.0
// What a broker or a producer rewrites in a finished batch, in place, on bytes that nobody else
// sees yet. All refuse what cannot be one whole batch of magic 2.
#pragma once

#include "common/result.h"

#include <cstdint>
#include <span>

namespace ktrial::protocol {

struct ProducerState {
  std::int64_t producer_id = -1;
  std::int16_t producer_epoch = -1;
  std::int32_t base_sequence = -1;
  bool operator==(const ProducerState&) const = default;
};

// Neither field is covered by the CRC.
Result<void> set_base_offset(std::span<std::uint8_t> batch, std::int64_t offset);
Result<void> set_partition_leader_epoch(std::span<std::uint8_t> batch, std::int32_t epoch);
// These compute the CRC anew.
Result<void> set_log_append_time(std::span<std::uint8_t> batch, std::int64_t timestamp);
Result<void> set_producer_state(std::span<std::uint8_t> batch, const ProducerState& producer);

}  // namespace ktrial::protocol
