// SPDX-License-Identifier: Apache-2.0
// Consumer: fetches records; every member may be called from any thread, one poll at a time.
// Callbacks run on the thread that is in poll() or close(), and may call the consumer.
#pragma once

#include "clients/reference/config.h"
#include "clients/reference/consumer_core.h"
#include "clients/reference/outcome.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ktrial::client {

using CommitCallback = std::function<void(const std::optional<ClientError>&)>;

class Consumer {
 public:
  using Partitions = std::set<TopicPartition>;
  template <class T>
  using Outcome = tl::expected<T, ClientError>;

  // Connects to nobody before poll().
  static Result<std::unique_ptr<Consumer>> create(const std::map<std::string, std::string>& config,
                                                  RebalanceCallback rebalanced);
  ~Consumer();
  Consumer(const Consumer&) = delete;
  Consumer& operator=(const Consumer&) = delete;

  void subscribe(const std::set<std::string>& topics);
  // Without an offset: where the group left off, else where auto.offset.reset says.
  void assign(const std::map<TopicPartition, std::optional<std::int64_t>>& partitions);
  [[nodiscard]] Partitions assignment();
  Polled poll(Millis timeout);
  // As whom a transaction commits this consumer's positions: Producer::send_offsets().
  [[nodiscard]] GroupMember group_member();

  // The next poll() goes on from there. Partitions that are not assigned are passed over; none
  // named are all.
  void seek(const TopicPartition& at, std::int64_t offset);
  void seek_to_beginning(const Partitions& partitions = {});
  void seek_to_end(const Partitions& partitions = {});
  // poll() returns no records of paused partitions.
  void pause(const Partitions& partitions);
  void resume(const Partitions& partitions);
  [[nodiscard]] Partitions paused();

  // What waits for a broker fails after default.api.timeout.ms.
  Outcome<std::int64_t> position(const TopicPartition& at);
  Outcome<Positions> committed(const Partitions& partitions);
  Outcome<Positions> beginning_offsets(const Partitions& partitions);
  Outcome<Positions> end_offsets(const Partitions& partitions);
  // The positions of what poll() has returned, or `offsets`; nothing if it went well.
  std::optional<ClientError> commit();
  std::optional<ClientError> commit(const Positions& offsets);
  // One attempt; `done` runs in a later poll() or close().
  void commit_async(CommitCallback done = {});
  void commit_async(const Positions& offsets, CommitCallback done = {});

  // Commits if enable.auto.commit, leaves the group; when it returns the sockets are closed.
  void close(Millis timeout);

 private:
  struct Impl;
  explicit Consumer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace ktrial::client
