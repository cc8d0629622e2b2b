// SPDX-License-Identifier: Apache-2.0
// FetchSessions: one broker's incremental fetch sessions (KIP-227). A session remembers which
// partitions a client fetches and what it was last told of each, so that both sides send changes
// only.
#pragma once

#include "common/clock.h"
#include "protocol/errors.h"
#include "protocol/uuid.h"

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace ktrial::fakebroker {

// One partition that a client asks for.
struct FetchTarget {
  std::string topic = {};  // empty from v13 on
  protocol::Uuid topic_id = {};
  std::int32_t partition = 0;
  std::int64_t offset = 0;
  std::int32_t max_bytes = 0;
  std::int32_t current_leader_epoch = -1;
  std::int32_t last_fetched_epoch = -1;

  [[nodiscard]] bool same_partition(const FetchTarget& other) const {
    return partition == other.partition && topic_id == other.topic_id && topic == other.topic;
  }
};

struct FetchSession {
  struct Entry {
    FetchTarget target;
    bool send = true;  // new, or it failed when last sent
    std::int64_t high_watermark = -1;
    std::int64_t log_start_offset = -1;
  };
  std::int32_t id = 0;
  std::int32_t next_epoch = 1;
  bool uses_topic_ids = false;
  TimePoint last_used = {};
  std::vector<Entry> entries = {};  // in the order they are served

  [[nodiscard]] Entry* find(const FetchTarget& target);
  // Those that got data are served last next time (KIP-227: fairness).
  void move_to_end(const std::vector<FetchTarget>& served);
};

class FetchSessions {
 public:
  static constexpr std::size_t kSlots = 1000;  // max.incremental.fetch.session.cache.slots
  static constexpr std::chrono::minutes kEvictAfter{2};

  struct Request {
    std::int32_t session_id = 0;
    std::int32_t epoch = -1;  // -1: no session; 0: a new one; else the next of an old one
    bool uses_topic_ids = false;
    std::vector<FetchTarget> targets;
    std::vector<FetchTarget> forgotten;
  };
  struct Opened {
    protocol::KafkaError error = protocol::KafkaError::kNone;
    std::shared_ptr<FetchSession> session;  // none: answer without a session
    bool full = true;                       // answer with every partition
    std::vector<FetchTarget> targets;       // what to fetch
  };
  Opened open(Request request, TimePoint now);
  [[nodiscard]] const FetchSession* find(std::int32_t id) const {
    const auto found = sessions_.find(id);
    return found == sessions_.end() ? nullptr : found->second.get();
  }
  [[nodiscard]] std::size_t size() const { return sessions_.size(); }

 private:
  Opened create(Request request, TimePoint now);
  Opened resume(Request request, TimePoint now);
  bool make_room(TimePoint now);

  std::int32_t last_id_ = 0;
  std::unordered_map<std::int32_t, std::shared_ptr<FetchSession>> sessions_;
};

}  // namespace ktrial::fakebroker
