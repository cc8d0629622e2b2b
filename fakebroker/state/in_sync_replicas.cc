// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/state/in_sync_replicas.h"

#include <algorithm>
#include <iterator>

namespace ktrial::fakebroker {

const InSyncReplicas::Behind* InSyncReplicas::find(std::int32_t broker) const {
  const auto found = std::ranges::find(behind_, broker, &Behind::broker);
  return found == behind_.end() ? nullptr : &*found;
}

std::vector<std::int32_t> InSyncReplicas::of(const std::vector<std::int32_t>& replicas) const {
  std::vector<std::int32_t> in_sync;
  std::ranges::copy_if(replicas, std::back_inserter(in_sync),
                       [this](std::int32_t broker) { return find(broker) == nullptr; });
  return in_sync;
}

void InSyncReplicas::leave(std::int32_t broker, std::int64_t end_offset) {
  if (find(broker) == nullptr) behind_.push_back({broker, end_offset});
}

void InSyncReplicas::join(std::int32_t broker) {
  std::erase_if(behind_, [broker](const Behind& one) { return one.broker == broker; });
}

void InSyncReplicas::forget_all_but(const std::vector<std::int32_t>& replicas) {
  std::erase_if(behind_, [&](const Behind& one) {
    return std::ranges::find(replicas, one.broker) == replicas.end();
  });
}

}  // namespace ktrial::fakebroker
