// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/state/transaction_marker.h"

#include "protocol/record_batch_builder.h"

#include <array>

namespace ktrial::fakebroker {

Slice transaction_marker(ProducerIdentity who, bool committed, std::int32_t coordinator_epoch,
                         std::int64_t wall_ms) {
  // Both begin with a version, 0.
  std::array<std::uint8_t, 4> key{0, 0, 0, committed ? std::uint8_t{1} : std::uint8_t{0}};
  std::array<std::uint8_t, 6> value{};
  protocol::store_be(value.data() + 2, coordinator_epoch);
  protocol::RecordBatchBuilder builder({.transactional = true, .control = true});
  builder.append(wall_ms, key, value);
  return Slice(builder.finish({who.id, who.epoch, -1}).value());
}

bool commits(const Slice& marker) {
  bool committed = false;
  (void)protocol::for_each_record(marker, [&](const protocol::Record& record) {
    committed = record.key && record.key->size() == 4 && record.key->span()[3] == 1;
    return false;
  });
  return committed;
}

void write_marker(Partition& partition, ProducerIdentity who, bool committed,
                  std::int32_t coordinator_epoch, std::int64_t wall_ms) {
  const Slice marker = transaction_marker(who, committed, coordinator_epoch, wall_ms);
  const auto header = protocol::read_batch_header(marker.span());
  const std::int64_t offset = partition.log.append(marker, *header, partition.leader_epoch);
  partition.transactions.ended(who.id, committed, offset);
  partition.transactions.forget_before(partition.log.start_offset());
  partition.producers.record_marker(who.id, who.epoch);
}

}  // namespace ktrial::fakebroker
