// SPDX-License-Identifier: Apache-2.0
// What groups of all types share: settings, who asks, what they know of topics, and how a deferred
// answer is given.
#pragma once

#include "common/clock.h"
#include "protocol/uuid.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>

namespace ktrial::fakebroker {

// Defaults are Kafka's, but for the initial delay, which a test should not wait for.
struct GroupSettings {
  Millis min_session_timeout{6'000};          // group.min.session.timeout.ms
  Millis max_session_timeout{1'800'000};      // group.max.session.timeout.ms
  Millis initial_rebalance_delay{0};          // group.initial.rebalance.delay.ms
  Millis new_member_timeout{300'000};         // how long a joining member without an id is kept
  std::size_t max_metadata_bytes = 4096;      // offset.metadata.max.bytes
  Millis consumer_session_timeout{45'000};    // group.consumer.session.timeout.ms
  Millis consumer_heartbeat_interval{5'000};  // group.consumer.heartbeat.interval.ms

  [[nodiscard]] bool accepts_session(Millis timeout) const {
    return timeout >= min_session_timeout && timeout <= max_session_timeout;
  }
};

struct GroupClient {
  std::string id = {};
  std::string host = {};  // as Kafka shows it: "/127.0.0.1"
};

struct TopicShape {
  protocol::Uuid id;
  std::int32_t partitions = 0;
  bool operator==(const TopicShape&) const = default;
};
// The topic as it is now; none if there is no such topic.
using TopicLookup = std::function<std::optional<TopicShape>(std::string_view name)>;

// Gives one answer, at once or later. Called at most once; must not call back into the group.
template <class Response>
using Answer = std::function<void(Response)>;

template <class Response>
void give(Answer<Response>& slot, Response response) {
  if (!slot) return;
  const Answer<Response> answer = std::exchange(slot, nullptr);
  answer(std::move(response));
}

// Random UUIDs in the usual notation, for member ids.
class MemberIds {
 public:
  explicit MemberIds(std::uint64_t seed = std::random_device{}()) : random_(seed) {}
  std::string next();

 private:
  std::mt19937_64 random_;
};

// What a group needs of its surroundings; outlives it.
struct GroupServices {
  const Clock& clock;
  TimerService& timers;
  GroupSettings settings;
  MemberIds member_ids{};
};

}  // namespace ktrial::fakebroker
