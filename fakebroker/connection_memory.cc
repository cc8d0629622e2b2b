// SPDX-License-Identifier: Apache-2.0
// The part of a connection that keeps what it holds of requests within what the cluster has for
// them all.
#include "fakebroker/connection.h"

namespace ktrial::fakebroker {
namespace {

constexpr std::size_t kReadAhead = 256U << 10U;  // frames taken in while one is being answered
constexpr std::size_t kAtOnce = 64U << 10U;
// Where memory is short: enough for most requests that carry no records.
constexpr std::size_t kAtOnceIfScarce = 4U << 10U;

}  // namespace

bool Connection::may_read_on() const {
  if (starved_) return false;
  const std::size_t waiting = assembler_.waiting_bytes();
  return waiting < kReadAhead && (waiting == 0 || !services_.requests.exhausted());
}

std::size_t Connection::most_at_once() const {
  return services_.requests.exhausted() ? kAtOnceIfScarce : kAtOnce;
}

// A request that goes on has claimed its whole length, unless it waits to do so: what has come of
// one that waits does not count, or those that wait could keep each other waiting.
void Connection::count_memory() {
  const std::size_t begun = starved_ ? 0 : assembler_.claimed_bytes();
  const auto held = closed_ ? 0 : static_cast<std::int64_t>(assembler_.waiting_bytes() + begun);
  if (closed_ && starved_) services_.requests.leave(identity_.id);
  const std::int64_t change = held - counted_;
  counted_ = held;
  if (change != 0) services_.requests.changed(change);
}

void Connection::wait_for_memory() {
  starved_ = services_.requests.exhausted();
  if (starved_) {
    services_.requests.wait(identity_.id, [weak = weak_from_this()] {
      const auto self = weak.lock();
      if (!self || self->closed_) return;
      self->starved_ = false;
      self->count_memory();
      self->wait_readable();
    });
  }
  count_memory();
}

}  // namespace ktrial::fakebroker
