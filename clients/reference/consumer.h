// SPDX-License-Identifier: Apache-2.0
// Consumer: fetches records; every member may be called from any thread, one poll at a time.
#pragma once

#include "clients/reference/config.h"
#include "clients/reference/consumer_core.h"
#include "clients/reference/outcome.h"

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ktrial::client {

class Consumer {
 public:
  // Connects to nobody before poll().
  static Result<std::unique_ptr<Consumer>> create(const std::map<std::string, std::string>& config,
                                                  RebalanceCallback rebalanced);
  ~Consumer();
  Consumer(const Consumer&) = delete;
  Consumer& operator=(const Consumer&) = delete;

  void subscribe(const std::set<std::string>& topics);
  void assign(const std::map<TopicPartition, std::optional<std::int64_t>>& partitions);
  void seek(const TopicPartition& at, std::int64_t offset);
  std::vector<InRecord> poll(Millis timeout);
  // The positions of what poll() has returned; nothing if it went well.
  std::optional<ClientError> commit();
  // Commits if enable.auto.commit, leaves the group; when it returns the sockets are closed.
  void close(Millis timeout);

 private:
  struct Impl;
  explicit Consumer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace ktrial::client
