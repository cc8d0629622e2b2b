// SPDX-License-Identifier: Apache-2.0
// ConsumerCore: a consumer's state machine, all of it on the client's I/O thread. Nothing happens
// before the first poll; fetching goes on only while someone polls, heartbeats always. What the
// application must hear of (rebalances, errors) waits until it polls.
#pragma once

#include "clients/reference/assigned_partition.h"
#include "clients/reference/fetch_session.h"
#include "clients/reference/group.h"
#include "clients/reference/offset_lookup.h"
#include "protocol/messages/fetch_request.h"
#include "protocol/messages/fetch_response.h"

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ktrial::client {

enum class RebalanceKind : std::uint8_t { kAssigned, kRevoked, kLost };
using RebalanceCallback = std::function<void(RebalanceKind, const std::vector<TopicPartition>&)>;
// The rebalance goes on when `done` is called.
using RebalanceListener =
    std::function<void(RebalanceKind, const std::vector<TopicPartition>&, std::function<void()>)>;

// What a poll() ends with: records, or an error, or neither when its time has passed.
struct Polled {
  std::vector<InRecord> records = {};
  std::optional<ClientError> error = {};

  [[nodiscard]] std::size_t size() const { return records.size(); }
  [[nodiscard]] bool empty() const { return records.empty(); }
  [[nodiscard]] auto begin() const { return records.begin(); }
  [[nodiscard]] auto end() const { return records.end(); }
};

class ConsumerCore {
 public:
  using Partitions = std::set<TopicPartition>;
  using Done = std::function<void()>;
  using Committed = std::function<void(std::optional<ClientError>)>;
  using Offsets = std::function<void(tl::expected<Positions, ClientError>)>;
  using Offset = std::function<void(tl::expected<std::int64_t, ClientError>)>;

  explicit ConsumerCore(Env& env);

  void start(RebalanceListener listener);
  void subscribe(const std::set<std::string>& topics);
  void assign(const std::map<TopicPartition, std::optional<std::int64_t>>& partitions);
  // At most max.poll.records, as soon as there are any.
  void poll(Nanos timeout, std::function<void(Polled)> done);
  void close(Nanos timeout, Done done);

  // Positions (consumer_positions.cc). What is not assigned is passed over, or INVALID_STATE.
  void seek(const TopicPartition& at, std::int64_t offset);
  void seek_to(const Partitions& partitions, std::int64_t timestamp);
  void set_paused(const Partitions& partitions, bool paused);
  [[nodiscard]] Partitions assignment() const;
  [[nodiscard]] GroupMember group_member() const;
  [[nodiscard]] Partitions paused() const;
  void position(const TopicPartition& at, Nanos timeout, Offset done);
  void offsets_at(const Partitions& partitions, std::int64_t timestamp, Nanos timeout,
                  Offsets done);

  // Of the group (consumer_rebalance.cc). Without offsets: the positions.
  void commit(std::optional<Positions> offsets, Nanos timeout, Committed done);
  void committed(const Partitions& partitions, Nanos timeout, Offsets done);

 private:
  void begin();
  void metadata_changed();
  void progress();
  void progress_when_due();
  [[nodiscard]] bool due(const AssignedPartition& partition) const;
  void put_off(AssignedPartition& partition);
  void close_sockets();
  void join_before_find();
  void find_on_new_connection();

  // The application's poll.
  void finish_poll(Polled result);
  void hand_out();
  bool report_error();
  void note(ClientError error);  // for a poll to report
  void watch_poll_interval();

  // Rebalances and commits (consumer_rebalance.cc).
  using Work = std::function<void(Done)>;
  void when_polled(Work work);
  void run_work();
  void take_assignment(const std::vector<TopicPartition>& added, Done done);
  void drop_assignment(const std::vector<TopicPartition>& gone, bool lost, Done done);
  void tell(RebalanceKind kind, const std::vector<TopicPartition>& partitions, Done done);
  void group_failed(const ClientError& error, bool for_good);
  [[nodiscard]] Positions positions() const;
  [[nodiscard]] Positions processed() const;
  void auto_commit_later();
  void leave_and_close();

  // Positions (consumer_positions.cc).
  void look_up_positions();
  void look_up_committed(const std::vector<TopicPartition>& partitions);
  void look_up_offsets(const OffsetLookup::Timestamps& wanted);
  void answer_position_calls();
  void retry_offsets(const OffsetLookup::Timestamps& wanted, TimePoint until, Offsets done);

  // Records (consumer_fetch.cc).
  using Asked = std::map<TopicPartition, std::uint64_t>;  // with its seeks then
  void fetch();
  void fetch_from(int node, const FetchSession::Wants& wanted);
  [[nodiscard]] std::optional<int> source_of(const TopicPartition& at,
                                             AssignedPartition& partition);
  void fetched(int node, const Asked& asked, const Result<protocol::FetchResponse>& response);
  void take_data(const TopicPartition& at, const protocol::fetch_response::PartitionData& data);
  void take_records(const TopicPartition& at, AssignedPartition& partition,
                    const protocol::fetch_response::PartitionData& data);
  void fetch_failed(const TopicPartition& at, AssignedPartition& partition,
                    const protocol::fetch_response::PartitionData& data);
  void reset(AssignedPartition& partition);
  int fetch_node(int leader);
  void fetch_nothing_from_the_coordinator();
  void end_fetch_sessions(Done done);

  struct PositionCall {
    TopicPartition at;
    Offset done;
    TimerService::Id timer = 0;
  };

  Env& env_;
  Network network_;
  Metadata metadata_;
  OffsetLookup lookup_;
  std::unique_ptr<Group> group_;  // none without group.id
  RebalanceListener listener_;
  std::set<std::string> topics_;
  std::map<std::string, std::size_t> partition_counts_;
  std::map<TopicPartition, AssignedPartition> assigned_;
  std::deque<TopicPartition> ready_;  // with records, in the order in which they came
  std::map<int, FetchSession> sessions_;
  std::set<int> fetching_;  // one Fetch per connection
  std::deque<ClientError> errors_;
  std::optional<ClientError> fatal_;
  std::deque<Work> work_;  // one after the other, while the application polls
  std::map<std::uint64_t, PositionCall> position_calls_;
  std::uint64_t last_call_ = 0;
  std::function<void(Polled)> poller_;
  Done on_closed_;
  TimePoint close_by_ = {};
  std::size_t fetches_ = 0;
  std::uint64_t seeks_ = 0;  // so that a partition that comes back is not taken for what it was
  bool working_ = false;
  bool subscribed_ = false;
  bool begun_ = false;
  bool closing_ = false;
  TimerService::Id poll_timer_ = 0;
  TimerService::Id poll_interval_timer_ = 0;
  TimerService::Id progress_timer_ = 0;
  TimerService::Id commit_timer_ = 0;
  TimerService::Id close_timer_ = 0;
};

}  // namespace ktrial::client
