// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/state/record_memory.h"

#include "common/log.h"

#include <algorithm>

namespace ktrial::fakebroker {

void RecordMemory::drop() {
  if (dropped_ == 0) {
    Logger("fakebroker")
        .warn(
            "the logs have reached {} bytes, their limit: the oldest records of the largest are "
            "deleted from now on",
            limit_);
  }
  const std::int64_t before = used_;
  making_room_ = true;
  make_room_();
  making_room_ = false;
  dropped_ += before - used_;
}

std::int64_t RecordMemory::level(std::vector<std::int64_t> sizes, std::int64_t total) {
  std::ranges::sort(sizes);
  auto left = static_cast<std::int64_t>(sizes.size());
  for (const std::int64_t size : sizes) {
    if (size * left > total) return total / left;
    total -= size;
    --left;
  }
  return sizes.empty() ? total : sizes.back();
}

}  // namespace ktrial::fakebroker
