// SPDX-License-Identifier: Apache-2.0
// ClassicGroup: membership by the classic protocol: join, sync, heartbeat, leave; the leader deals
// partitions out. Before it joins again a member gives up what it has, all of it (eager) or, if
// every assignor it offers is cooperative, only what the new assignment takes away (KIP-429).
#pragma once

#include "clients/reference/assignor.h"
#include "clients/reference/group.h"
#include "protocol/messages/join_group_request.h"
#include "protocol/messages/join_group_response.h"
#include "protocol/messages/sync_group_response.h"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ktrial::client {

class ClassicGroup final : public Group {
 public:
  ClassicGroup(Env& env, Network& network, Metadata& metadata, Observer observer);

  void subscribe(std::set<std::string> topics) override;
  void metadata_changed() override;
  void partitions_changed() override;
  [[nodiscard]] std::set<std::string> watched_topics() const override { return leads_topics_; }
  void polled() override;
  void poll_overdue() override;
  void leave(Done done) override;
  void stop() override;

 private:
  enum class State : std::uint8_t {
    kOut,       // joins as soon as it can
    kYielding,  // the application is told what it loses, then kOut; still a member unless `lost`
    kJoining,   // JoinGroup is under way
    kSyncing,   // so is SyncGroup, or the leader waits for metadata
    kMember,
    kWaiting,  // for the next poll
    kGone,     // left, or fenced
  };

  [[nodiscard]] MemberIdentity identity() const override;
  void coordinator_found() override { join(); }

  // The way into the group (classic_group_join.cc).
  void join();
  [[nodiscard]] protocol::JoinGroupRequest join_request() const;
  void joined(const Result<protocol::JoinGroupResponse>& response);
  void join_failed(std::int16_t error);
  void lead(const protocol::JoinGroupResponse& response);
  void sync(std::vector<std::pair<std::string, Slice>> assignments);
  void synced(const Result<protocol::SyncGroupResponse>& response);
  void sync_failed(std::int16_t error);
  void take(std::vector<TopicPartition> given);

  // What may happen to a member (classic_group.cc).
  void heartbeat_later();
  void heartbeat();
  void heartbeat_answered(std::int16_t error);
  void rejoin();
  void yield(std::vector<TopicPartition> gone, bool lost, State after);
  void lose(bool keep_member_id, State after = State::kOut);
  void give_up(const ClientError& error, bool for_good);
  void send_leave(Done done);

  bool cooperative_;
  State state_ = State::kOut;
  std::set<std::string> topics_;
  std::set<std::string> leads_topics_;  // of the whole group, if this member leads it
  std::optional<protocol::JoinGroupResponse> to_lead_;  // waits for metadata of its topics
  std::string member_id_;
  std::string protocol_;
  std::int32_t generation_ = -1;
  std::vector<TopicPartition> owned_;
  std::vector<TopicPartition> had_;  // by the last assignment: sticky assignors ask
  std::int32_t had_generation_ = -1;
  bool settling_ = false;      // the application hears of its new assignment
  bool again_ = false;         // join again when it has
  bool in_heartbeat_ = false;  // one is under way
  TimePoint last_heard_ = {};
  TimerService::Id heartbeat_timer_ = 0;
};

}  // namespace ktrial::client
