// SPDX-License-Identifier: Apache-2.0
// What an unclean election loses: the end of a log, and with it what the partition knew of the
// producers and transactions that wrote there.
#pragma once

#include "fakebroker/state/topics.h"

#include <cstdint>

namespace ktrial::fakebroker {

// As a broker does: producers' state is built anew from the batches that are left. `end` is where a
// batch begins, or the end of the log.
void truncate(Partition& partition, std::int64_t end);

}  // namespace ktrial::fakebroker
