// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/request_memory.h"

#include <utility>

namespace ktrial::fakebroker {

void RequestMemory::changed(std::int64_t bytes) {
  used_ += bytes;
  if (bytes >= 0) return;
  while (!waiting_.empty() && !exhausted()) {
    const auto resume = std::move(waiting_.begin()->second);
    waiting_.erase(waiting_.begin());
    resume();
  }
}

void RequestMemory::wait(std::uint64_t connection, std::function<void()> resume) {
  waiting_.emplace(connection, std::move(resume));
}

}  // namespace ktrial::fakebroker
