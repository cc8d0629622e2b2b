// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/state/partition_truncation.h"

#include "fakebroker/state/transaction_marker.h"

namespace ktrial::fakebroker {
namespace {

void replay(Partition& partition, const Slice& bytes) {
  const auto header = protocol::read_batch_header(bytes.span());
  if (!header || header->producer_id < 0) return;
  if (header->control()) {
    const ProducerIdentity who{header->producer_id, header->producer_epoch};
    partition.transactions.ended(who.id, commits(bytes), header->base_offset);
    partition.producers.record_marker(who.id, who.epoch);
    return;
  }
  if (header->transactional()) {
    partition.transactions.appended(header->producer_id, header->producer_epoch,
                                    header->base_offset);
  }
  partition.producers.record(*header, header->max_timestamp);
}

}  // namespace

void truncate(Partition& partition, std::int64_t end) {
  if (end >= partition.log.end_offset()) return;
  partition.log.truncate(end);
  partition.producers = {};
  partition.transactions = {};
  partition.log.for_each_batch([&](const Slice& bytes) { replay(partition, bytes); });
}

}  // namespace ktrial::fakebroker
