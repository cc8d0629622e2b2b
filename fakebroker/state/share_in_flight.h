// SPDX-License-Identifier: Apache-2.0
// What a share group knows of records that were delivered and are not done with: runs of offsets
// that were acquired together, tracked as one until something treats a part of them differently
// (KIP-932, "In-flight records").
#pragma once

#include "common/clock.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ktrial::fakebroker {

enum class DeliveryState : std::uint8_t {
  kAvailable,     // may be delivered, again or for the first time
  kAcquired,      // a member has it, under a lock
  kAcknowledged,  // processed
  kArchived,      // rejected, delivered too often, gone from the log, or no record at all
};

struct Delivery {
  DeliveryState state = DeliveryState::kAvailable;
  std::int16_t count = 0;     // times delivered
  std::string member = {};    // who has it; empty unless acquired
  TimePoint lock_until = {};  // while acquired

  [[nodiscard]] bool done() const {
    return state == DeliveryState::kAcknowledged || state == DeliveryState::kArchived;
  }
};

struct InFlightBatch {
  std::int64_t first = 0;
  std::int64_t last = 0;
  bool per_offset = false;
  std::vector<Delivery> deliveries;  // one, or one per offset

  [[nodiscard]] std::int64_t size() const { return last - first + 1; }
  [[nodiscard]] bool within(std::int64_t from, std::int64_t to) const {
    return first >= from && last <= to;
  }
  [[nodiscard]] Delivery& at(std::int64_t offset) {
    return per_offset ? deliveries[static_cast<std::size_t>(offset - first)] : deliveries.front();
  }
  void split() {
    if (per_offset) return;
    per_offset = true;
    deliveries.resize(static_cast<std::size_t>(size()), Delivery(deliveries.front()));
  }
  // Calls `fn(first offset, last offset, delivery)` for all, or for the offsets of [from, to].
  template <class Fn>
  void for_each(std::int64_t from, std::int64_t to, Fn fn) {
    if (!per_offset) return fn(first, last, deliveries.front());
    const std::int64_t end = to < last ? to : last;
    for (std::int64_t offset = from > first ? from : first; offset <= end; ++offset)
      fn(offset, offset, at(offset));
  }
};

}  // namespace ktrial::fakebroker
