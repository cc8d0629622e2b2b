// SPDX-License-Identifier: Apache-2.0
// What a topic's configuration asks of each record of a batch (KIP-467: the answer names those at
// fault).
#pragma once

#include "common/slice.h"
#include "protocol/errors.h"
#include "protocol/record_batch.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ktrial::fakebroker {

struct RecordRules {
  bool keys_required = false;                            // a compacted topic
  std::optional<std::int64_t> latest_timestamp_ms = {};  // message.timestamp.after.max.ms from now
};

struct RecordFaults {
  struct One {
    std::int32_t batch_index = 0;
    std::string message;
  };
  protocol::KafkaError error = protocol::KafkaError::kNone;
  std::string message;
  std::vector<One> records;
};

// `records` is a batch that validate_produce() found well-formed. Records are looked at only where
// the header does not settle it.
RecordFaults check_records(const Slice& records, const protocol::BatchHeader& header,
                           const RecordRules& rules);

}  // namespace ktrial::fakebroker
