// SPDX-License-Identifier: Apache-2.0
// Every record of a records field, whatever the magic: for tests, reports and small fetches. Loops
// that must be quick use RecordReader.
#pragma once

#include "common/result.h"
#include "common/slice.h"
#include "protocol/record.h"
#include "protocol/record_reader.h"

#include <vector>

namespace ktrial::protocol {

struct ReadOptions {
  bool check_crc = true;
  bool control_records = false;             // a consumer does not see them
  std::size_t max_unpacked = kMaxUnpacked;  // over all batches
};

// An entry cut off at the end is left out.
Result<std::vector<Record>> read_records(const Slice& records, const ReadOptions& options = {});

}  // namespace ktrial::protocol
