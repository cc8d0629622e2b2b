// SPDX-License-Identifier: Apache-2.0
// What of a Fetch answer a consumer gets to see: not what lies before the offset it asked for, not
// transaction markers, and with read_committed no records of aborted transactions (KIP-98).
#pragma once

#include "clients/reference/outcome.h"
#include "protocol/messages/fetch_response.h"

#include <cstdint>
#include <deque>
#include <optional>

namespace ktrial::client {

struct ReadingRules {
  bool read_committed = false;
  bool check_crcs = true;
};

struct FetchedRecords {
  std::deque<InRecord> records = {};
  std::int64_t next_offset = 0;           // to fetch from
  std::optional<ClientError> error = {};  // at next_offset: what is there cannot be read
};

FetchedRecords read_fetched(const TopicPartition& at, std::int64_t from,
                            const protocol::fetch_response::PartitionData& data,
                            const ReadingRules& rules);

}  // namespace ktrial::client
