// SPDX-License-Identifier: Apache-2.0
// A transaction's marker: the control batch that ends it in one partition (KIP-98): no sequence,
// one offset, its one record's key says which way.
#pragma once

#include "common/slice.h"
#include "fakebroker/state/topics.h"
#include "fakebroker/state/transactions.h"

#include <cstdint>

namespace ktrial::fakebroker {

Slice transaction_marker(ProducerIdentity who, bool committed, std::int32_t coordinator_epoch,
                         std::int64_t wall_ms);

// Whether a marker's transaction is committed; false for anything else.
bool commits(const Slice& marker);

// Appends it, and notes what that means for the partition's open transactions and sequences.
void write_marker(Partition& partition, ProducerIdentity who, bool committed,
                  std::int32_t coordinator_epoch, std::int64_t wall_ms);

}  // namespace ktrial::fakebroker
