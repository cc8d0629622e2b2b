// SPDX-License-Identifier: Apache-2.0
// What a share fetch reads of a log: its record batches one by one, as members acquire them, and
// the bytes of those they got.
#pragma once

#include "common/slice.h"
#include "fakebroker/state/share_partition.h"
#include "fakebroker/state/topics.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ktrial::fakebroker {

struct ShareRead {
  std::vector<FetchedBatch> batches;
  std::vector<Slice> bytes;  // of each batch

  // The bytes from the first batch with acquired records to the last one, as runs.
  [[nodiscard]] std::vector<Slice> runs_of(const std::vector<AcquiredRange>& acquired) const;
};

// Of the log from `offset` on, as PartitionLog::read() has it.
ShareRead read_shared(const Partition& partition, std::int64_t offset, std::size_t max_bytes,
                      bool at_least_one, bool read_committed);

// Where a group that has no start offset yet begins. OFFSET_NOT_AVAILABLE if no record is that new.
struct ShareStart {
  protocol::KafkaError error = protocol::KafkaError::kNone;
  std::int64_t offset = 0;
};
ShareStart share_start(const Partition& partition, const ShareSettings& settings,
                       std::int64_t wall_ms);

}  // namespace ktrial::fakebroker
