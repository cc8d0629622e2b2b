// SPDX-License-Identifier: Apache-2.0
// Coordinator: which broker coordinates a group or a transactional id, and its connection. Looks
// for it again, after a pause, when it turns out to be another or cannot be reached.
#pragma once

#include "clients/reference/network.h"
#include "clients/reference/outcome.h"
#include "protocol/messages/find_coordinator_response.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace ktrial::client {

class Coordinator {
 public:
  enum class KeyType : std::int8_t { kGroup = 0, kTransaction = 1 };
  struct Sought {
    std::string key = {};
    KeyType type = KeyType::kGroup;
    // Nothing else uses the connection; else it is the broker's ordinary one.
    bool own_connection = true;
  };
  struct Observer {
    std::function<void()> found = {};
    // One that looking again cannot mend; it is looked for again at the next poll.
    std::function<void(const ClientError&)> failed = {};
  };

  Coordinator(Env& env, Network& network, Sought sought, Observer observer);
  Coordinator(const Coordinator&) = delete;
  Coordinator& operator=(const Coordinator&) = delete;
  ~Coordinator() { stop(); }

  // Asks `node` at once.
  void find(int node);
  // Forgets the coordinator and looks for it after a pause.
  void lost();
  // The same if the error of a group request says so; then true.
  bool lost_by(std::int16_t error);
  void look_again();  // after a failure
  void stop();

  [[nodiscard]] std::optional<int> node() const { return node_; }
  [[nodiscard]] std::optional<int> broker() const { return broker_; }

 private:
  void find_later();
  void answered(const Result<protocol::FindCoordinatorResponse>& response);

  Env& env_;
  Network& network_;
  Sought sought_;
  Observer observer_;
  std::optional<int> node_;
  std::optional<int> broker_;
  unsigned failures_ = 0;
  bool failed_ = false;
  bool stopped_ = false;
  TimerService::Id timer_ = 0;
};

}  // namespace ktrial::client
