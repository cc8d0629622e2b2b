// SPDX-License-Identifier: Apache-2.0
// Messages of magic 0 and 1, as clients and brokers before 0.11 have them; read only. A compressed
// message wraps a set of others: one level, as every producer did it.
#pragma once

#include "common/compression.h"
#include "common/result.h"
#include "common/slice.h"
#include "protocol/record.h"

#include <cstdint>
#include <vector>

namespace ktrial::protocol {

struct LegacyMessage {
  std::int64_t offset = 0;
  std::uint32_t crc = 0;
  std::int8_t magic = 0;
  std::int8_t attributes = 0;
  std::int64_t timestamp = -1;
  std::optional<Slice> key;
  std::optional<Slice> value;

  [[nodiscard]] Codec codec() const { return static_cast<Codec>(attributes & 0x07); }
  [[nodiscard]] bool log_append_time() const { return (attributes & 0x08) != 0; }
};

// One whole entry of BatchIterator. Checks lengths and CRC-32.
Result<LegacyMessage> read_legacy_message(const Slice& entry);

// Its record, or those it wraps: with absolute offsets, and the wrapper's time under
// LogAppendTime.
Result<std::vector<Record>> legacy_records(const LegacyMessage& message, std::size_t max_unpacked);

}  // namespace ktrial::protocol
