// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/state/record_checks.h"

#include <fmt/core.h>

namespace ktrial::fakebroker {

using protocol::KafkaError;

RecordFaults check_records(const Slice& records, const protocol::BatchHeader& header,
                           const RecordRules& rules) {
  RecordFaults faults;
  const bool late = rules.latest_timestamp_ms && header.max_timestamp > *rules.latest_timestamp_ms;
  if (!rules.keys_required && !late) return faults;
  bool keyless = false;
  std::int32_t index = 0;
  // Records that cannot be read were the business of the checks before.
  (void)protocol::for_each_record(records, [&](const protocol::Record& record) {
    if (rules.keys_required && !record.key) {
      keyless = true;
      faults.records.push_back({index, "A compacted topic takes no record without a key."});
    } else if (late && record.timestamp > *rules.latest_timestamp_ms) {
      faults.records.push_back(
          {index, fmt::format("Timestamp {} is later than {}, the latest allowed.",
                              record.timestamp, *rules.latest_timestamp_ms)});
    }
    ++index;
    return true;
  });
  if (faults.records.empty()) return faults;
  faults.error = keyless ? KafkaError::kInvalidRecord : KafkaError::kInvalidTimestamp;
  faults.message =
      keyless ? fmt::format("{} records of the batch have been rejected", faults.records.size())
              : "One or more records have been rejected due to invalid timestamp";
  return faults;
}

}  // namespace ktrial::fakebroker
