// SPDX-License-Identifier: Apache-2.0
// ShareSettings: what a share group's configs come to (KIP-932): its own share.* values, else the
// broker's group.share.* ones, else Kafka's defaults.
#pragma once

#include "common/clock.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ktrial::fakebroker {

class Configs;

struct ShareSettings {
  enum class Reset : std::uint8_t { kLatest, kEarliest, kDuration };

  Millis session_timeout{45'000};
  Millis heartbeat_interval{5'000};
  Millis assignment_interval{1'000};  // between two target assignments
  Millis record_lock{30'000};         // how long a member may keep what it acquired
  std::int32_t delivery_count_limit = 5;
  std::int32_t max_record_locks = 2'000;  // in flight per partition
  Reset reset = Reset::kLatest;           // where a group begins
  Millis reset_back{0};                   // with kDuration: so long before now
  bool read_committed = false;
  bool renew_enabled = true;   // acknowledgements of type "renew" (KIP-1222)
  std::size_t max_size = 200;  // group.share.max.size
};

// `broker`: whose own settings stand in for what the group does not set.
ShareSettings share_settings(const Configs& configs, const std::string& group, int broker);

// "by_duration:PT1H30M": how far back; nothing if it is no such text. Years and months are not in
// Java's durations.
std::optional<Millis> reset_duration(std::string_view reset);

}  // namespace ktrial::fakebroker
