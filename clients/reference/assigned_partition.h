// SPDX-License-Identifier: Apache-2.0
// AssignedPartition: how far a consumer is with one partition, and what it needs to go on.
#pragma once

#include "clients/reference/outcome.h"
#include "common/clock.h"

#include <cstdint>
#include <deque>
#include <optional>

namespace ktrial::client {

// What ListOffsets calls the ends of a log.
constexpr std::int64_t kLatestTimestamp = -1;
constexpr std::int64_t kEarliestTimestamp = -2;

// Partitions count their seeks from far apart: an answer to one before it was lost is no answer to
// it now that it is back.
constexpr std::uint64_t kManySeeks = 1ULL << 32U;

struct AssignedPartition {
  // Next offsets: to ask the broker for, to hand out, and up to which poll() has been called again,
  // so that the application must be done with what came before.
  std::optional<std::int64_t> fetch_from = {};
  std::optional<std::int64_t> consumed = {};
  std::optional<std::int64_t> processed = {};

  bool wants_committed = false;               // begin where the group left off
  std::optional<std::int64_t> reset_to = {};  // a timestamp to look up; else the reset policy's
  bool looking_up = false;
  bool paused = false;
  bool leaving = false;                   // taken away; the application is being told
  std::uint64_t seeks = 0;                // answers to what was asked before one are void
  std::optional<ClientError> error = {};  // every poll() says so until a seek
  unsigned failures = 0;                  // in a row, and when to try again
  TimePoint retry_at = {};

  std::deque<InRecord> buffer = {};
  std::optional<int> replica = {};  // to fetch from instead of the leader (KIP-392)
  TimePoint replica_until = {};

  void move_to(std::int64_t offset) {
    forget();
    fetch_from = consumed = processed = offset;
  }
  // Where a look-up has found it to be; not progress yet, which only records are.
  void found_at(std::int64_t offset) {
    const unsigned failed = failures;
    move_to(offset);
    failures = failed;
  }
  void look_up(std::int64_t timestamp) {
    forget();
    fetch_from = consumed = processed = std::nullopt;
    reset_to = timestamp;
  }
  [[nodiscard]] bool placed() const { return fetch_from.has_value(); }

 private:
  void forget() {
    buffer.clear();
    error.reset();
    reset_to.reset();
    wants_committed = false;
    looking_up = false;
    failures = 0;
    retry_at = {};
    ++seeks;
  }
};

}  // namespace ktrial::client
