// SPDX-License-Identifier: Apache-2.0
// FetchSession: the incremental fetch session with one broker (KIP-227). Once a session stands, a
// request names only what has changed since the one before.
#pragma once

#include "clients/reference/outcome.h"
#include "protocol/messages/fetch_request.h"
#include "protocol/messages/fetch_response.h"
#include "protocol/uuid.h"

#include <cstdint>
#include <map>
#include <optional>

namespace ktrial::client {

class FetchSession {
 public:
  struct Want {
    protocol::Uuid topic_id = {};
    std::int64_t offset = 0;
    std::int32_t max_bytes = 0;
    std::int32_t leader_epoch = -1;
    bool operator==(const Want&) const = default;
  };
  using Wants = std::map<TopicPartition, Want>;

  // Writes session, topics and forgotten topics for what is wanted now. One request at a time.
  void fill(const Wants& wanted, protocol::FetchRequest& request);
  // Topics may go by id (version 13 on) only if every one has one.
  [[nodiscard]] bool by_id() const { return by_id_; }

  // The request was answered; false if the broker does not go on with the session.
  bool answered(const protocol::FetchResponse& response);
  // It was not: whether the broker has seen it is not known.
  void failed() { epoch_ = 0; }
  // The name of a topic in an answer, which may have only an id.
  [[nodiscard]] std::optional<std::string> name_of(
      const protocol::fetch_response::FetchableTopicResponse& topic) const;

  // What tells the broker to forget the session; nothing if there is none.
  [[nodiscard]] std::optional<protocol::FetchRequest> farewell() const;

 private:
  void fill_all(const Wants& wanted, protocol::FetchRequest& request);
  void fill_changes(const Wants& wanted, protocol::FetchRequest& request);

  std::int32_t id_ = 0;
  std::int32_t epoch_ = 0;  // of the next request; 0: a full one
  bool by_id_ = false;
  Wants known_;  // to the broker, once the request has arrived
};

}  // namespace ktrial::client
