// SPDX-License-Identifier: Apache-2.0
#include "clients/reference/partitioner.h"

#include "protocol/murmur2.h"

namespace ktrial::client {

std::int32_t Partitioner::choose(const OutRecord& record, std::int32_t partitions,
                                 std::size_t size) {
  if (record.partition) return *record.partition;
  if (record.key) {
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(record.key->data());
    return protocol::keyed_partition(protocol::ByteView(bytes, record.key->size()), partitions);
  }
  const auto [found, is_new] = sticky_.try_emplace(record.topic);
  Sticky& sticky = found->second;
  if (is_new || sticky.bytes >= sticky_bytes_ || sticky.partition >= partitions) {
    const auto count = static_cast<std::uint64_t>(partitions);
    sticky = {.partition = static_cast<std::int32_t>(rng_.below(count))};
  }
  sticky.bytes += size;
  return sticky.partition;
}

}  // namespace ktrial::client
