// SPDX-License-Identifier: Apache-2.0
#include "clients/reference/record_inbox.h"

#include <utility>

namespace ktrial::client {

RecordInbox::Put RecordInbox::put(Entry& entry, Millis patience) {
  std::unique_lock lock(mutex_);
  if (free_ < entry.size && !closed_) {
    ++waiting_;
    room_.wait_for(lock, patience, [&] { return closed_ || free_ >= entry.size; });
    --waiting_;
  }
  if (closed_) return Put::kClosed;
  if (free_ < entry.size) return Put::kNoRoom;
  free_ -= entry.size;
  entries_.push_back(std::move(entry));
  return entries_.size() == 1 ? Put::kFirst : Put::kJoined;
}

std::vector<RecordInbox::Entry> RecordInbox::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(entries_, {});
}

void RecordInbox::release(std::size_t size) {
  const std::lock_guard lock(mutex_);
  free_ += size;
  if (waiting_ > 0) room_.notify_all();
}

void RecordInbox::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  room_.notify_all();
}

}  // namespace ktrial::client
