// SPDX-License-Identifier: Apache-2.0
// ConsumerCore: a consumer's state machine, all of it on the client's I/O thread. Nothing happens
// before the first poll; fetching goes on only while someone polls, heartbeats always.
#pragma once

#include "clients/reference/group.h"
#include "protocol/messages/fetch_request.h"
#include "protocol/messages/fetch_response.h"
#include "protocol/messages/list_offsets_response.h"

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ktrial::client {

enum class RebalanceKind : std::uint8_t { kAssigned, kRevoked, kLost };
// Runs on the client's I/O thread.
using RebalanceCallback = std::function<void(RebalanceKind, const std::vector<TopicPartition>&)>;

class ConsumerCore {
 public:
  explicit ConsumerCore(Env& env);

  void start(RebalanceCallback rebalanced);
  void subscribe(const std::set<std::string>& topics);
  void assign(const std::map<TopicPartition, std::optional<std::int64_t>>& partitions);
  void seek(const TopicPartition& at, std::int64_t offset);
  // At most max.poll.records, as soon as there are any; none when `timeout` has passed.
  void poll(Nanos timeout, std::function<void(std::vector<InRecord>)> done);
  void commit(std::function<void(std::optional<ClientError>)> done);
  void close(Nanos timeout, std::function<void()> done);

 private:
  struct Partition {
    std::optional<std::int64_t> fetch_from = {};
    std::optional<std::int64_t> consumed = {};  // the position: next offset to hand out
    bool looking_up = false;
    std::size_t buffered = 0;
  };

  void begin();
  void metadata_changed();
  void take_assignment(const std::vector<TopicPartition>& partitions);
  void drop_assignment(bool lost);
  void progress();
  void progress_later();
  void look_up_positions();
  void list_offsets(int leader, const std::vector<TopicPartition>& partitions);
  void offsets_listed(const std::vector<TopicPartition>& asked,
                      const Result<protocol::ListOffsetsResponse>& response);
  void fetch();
  void fetch_from(int leader, const std::vector<TopicPartition>& partitions);
  void fetched(int leader, const Result<protocol::FetchResponse>& response);
  void take_records(const TopicPartition& at, const protocol::fetch_response::PartitionData& data);
  int fetch_node(int leader);
  void hand_out();
  [[nodiscard]] Positions positions() const;
  void auto_commit_later();
  void close_sockets();
  void join_before_find();
  void find_on_new_connection();

  Env& env_;
  Network network_;
  Metadata metadata_;
  Group group_;
  RebalanceCallback rebalanced_;
  std::set<std::string> topics_;
  std::map<std::string, std::size_t> partition_counts_;
  std::map<TopicPartition, Partition> assigned_;
  std::deque<InRecord> buffer_;
  std::set<int> fetching_;
  std::uint64_t assignment_epoch_ = 0;  // answers to an older assignment's requests are void
  std::function<void(std::vector<InRecord>)> poller_;
  std::function<void()> on_closed_;
  std::size_t fetches_ = 0;
  bool begun_ = false;
  bool closing_ = false;
  TimerService::Id poll_timer_ = 0;
  TimerService::Id progress_timer_ = 0;
  TimerService::Id commit_timer_ = 0;
  TimerService::Id close_timer_ = 0;
};

}  // namespace ktrial::client
