// SPDX-License-Identifier: Apache-2.0
// ShareSessions: one broker's share sessions (KIP-932), by group and member: which partitions the
// member fetches, and the epoch of its next request. As fetch sessions are (KIP-227), but each
// belongs to the connection that opened it.
#pragma once

#include "protocol/errors.h"
#include "protocol/uuid.h"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ktrial::fakebroker {

struct ShareTarget {
  protocol::Uuid topic_id = {};
  std::int32_t partition = 0;
  auto operator<=>(const ShareTarget&) const = default;
};

struct ShareSession {
  struct Entry {
    bool known = true;  // there was such a topic when the client named it
    bool send = false;  // new, or it failed when last sent
  };
  std::string group = {};
  std::string member = {};
  std::int32_t epoch = 1;  // of the next request
  std::uint64_t connection = 0;
  std::map<ShareTarget, Entry> entries = {};
};

class ShareSessions {
 public:
  static constexpr std::size_t kMost = 2'000;  // group.share.max.share.sessions
  static constexpr std::int32_t kOpen = 0;
  static constexpr std::int32_t kClose = -1;

  struct Request {
    std::string group = {};
    std::string member = {};
    std::int32_t epoch = kOpen;
    bool acknowledges = false;
    std::uint64_t connection = 0;
    std::map<ShareTarget, ShareSession::Entry> targets = {};
    std::vector<ShareTarget> forgotten = {};
  };
  struct Opened {
    protocol::KafkaError error = protocol::KafkaError::kNone;
    std::shared_ptr<ShareSession> session = nullptr;  // none: it is about to be closed
    bool full = true;                                 // answer with every partition
  };
  // ShareFetch. A session that is to be closed stays until close().
  Opened open(Request request);
  // ShareAcknowledge, which opens none.
  protocol::KafkaError resume(const std::string& group, const std::string& member,
                              std::int32_t epoch);
  // The session that was, nullptr if there was none.
  std::shared_ptr<ShareSession> close(const std::string& group, const std::string& member);
  // All that came over a connection that is gone now.
  std::vector<std::shared_ptr<ShareSession>> drop_connection(std::uint64_t connection);
  [[nodiscard]] std::shared_ptr<ShareSession> find(const std::string& group,
                                                   const std::string& member) const;
  [[nodiscard]] std::size_t size() const { return sessions_.size(); }

 private:
  std::map<std::pair<std::string, std::string>, std::shared_ptr<ShareSession>> sessions_;
};

}  // namespace ktrial::fakebroker
