// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/handlers/share_read.h"

#include "protocol/record_batch.h"

#include <algorithm>

namespace ktrial::fakebroker {

ShareRead read_shared(const Partition& partition, std::int64_t offset, std::size_t max_bytes,
                      bool at_least_one, bool read_committed) {
  const std::int64_t end =
      read_committed ? partition.last_stable_offset() : partition.log.high_watermark();
  const PartitionLog::Read read = partition.log.read(offset, end, max_bytes, at_least_one);
  std::vector<OpenTransactions::Aborted> aborted;
  if (read_committed && read.bytes > 0)
    aborted = partition.transactions.aborted_between(offset, read.end_offset);
  ShareRead result;
  for (const Slice& run : read.runs) {
    for (std::size_t at = 0; at < run.size();) {
      const auto header = protocol::read_batch_header(run.part(at).span());
      if (!header) break;  // the log holds whole batches only
      const bool gone = header->transactional() && !header->control() &&
                        std::any_of(aborted.begin(), aborted.end(), [&](const auto& one) {
                          return one.producer_id == header->producer_id &&
                                 header->base_offset >= one.first_offset &&
                                 header->base_offset < one.marker_offset;
                        });
      result.batches.push_back({header->base_offset, header->last_offset(), gone});
      result.bytes.push_back(run.part(at, header->total_size()));
      at += header->total_size();
    }
  }
  return result;
}

std::vector<Slice> ShareRead::runs_of(const std::vector<AcquiredRange>& acquired) const {
  std::vector<Slice> runs;
  if (acquired.empty()) return runs;
  for (std::size_t i = 0; i < batches.size(); ++i) {
    const bool needed =
        batches[i].last >= acquired.front().first && batches[i].first <= acquired.back().last;
    if (!needed) continue;
    if (!runs.empty() && runs.back().owner() == bytes[i].owner() &&
        runs.back().data() + runs.back().size() == bytes[i].data()) {
      runs.back() =
          Slice(bytes[i].owner(), {runs.back().data(), runs.back().size() + bytes[i].size()});
    } else {
      runs.push_back(bytes[i]);
    }
  }
  return runs;
}

ShareStart share_start(const Partition& partition, const ShareSettings& settings,
                       std::int64_t wall_ms) {
  switch (settings.reset) {
    case ShareSettings::Reset::kEarliest:
      return {protocol::KafkaError::kNone, partition.log.start_offset()};
    case ShareSettings::Reset::kDuration: {
      const auto found = partition.log.find_timestamp(wall_ms - settings.reset_back.count());
      if (!found) return {protocol::KafkaError::kOffsetNotAvailable, 0};
      return {protocol::KafkaError::kNone, found->offset};
    }
    default:
      return {protocol::KafkaError::kNone, partition.log.high_watermark()};
  }
}

}  // namespace ktrial::fakebroker
