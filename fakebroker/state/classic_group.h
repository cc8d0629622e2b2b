// SPDX-License-Identifier: Apache-2.0
// ClassicGroup: one group of the join/sync/heartbeat protocol, as Kafka's group coordinator runs
// it: members join until all known ones are there or the rebalance timeout is over, the leader's
// assignment reaches the others through SyncGroup, and a member that falls silent is removed after
// its session timeout.
#pragma once

#include "common/slice.h"
#include "fakebroker/state/group_types.h"
#include "protocol/errors.h"
#include "protocol/messages/join_group_request.h"
#include "protocol/messages/join_group_response.h"
#include "protocol/messages/sync_group_request.h"
#include "protocol/messages/sync_group_response.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace ktrial::fakebroker {

struct ClassicMember {
  using Protocols = std::vector<protocol::join_group_request::JoinGroupRequestProtocol>;

  std::string id = {};
  std::optional<std::string> instance_id = {};
  GroupClient client = {};
  Millis session_timeout{0};
  Millis rebalance_timeout{0};
  Protocols protocols = {};  // in order of preference
  Slice assignment = {};
  bool is_new = false;  // joined without an id and was not answered yet
  Answer<protocol::JoinGroupResponse> awaiting_join = {};
  Answer<protocol::SyncGroupResponse> awaiting_sync = {};
  TimerService::Id session_timer = 0;

  [[nodiscard]] bool supports(std::string_view protocol) const;
  [[nodiscard]] Slice metadata(std::string_view protocol) const;  // empty if not supported
};

class ClassicGroup {
 public:
  enum class State : std::uint8_t { kEmpty, kPreparingRebalance, kCompletingRebalance, kStable };

  ClassicGroup(std::string id, GroupServices& services);
  ~ClassicGroup();  // whoever waits is told NOT_COORDINATOR
  ClassicGroup(const ClassicGroup&) = delete;
  ClassicGroup& operator=(const ClassicGroup&) = delete;

  // What the version of a JoinGroup lets the group do.
  struct JoinTraits {
    bool requires_known_member_id = true;  // v4+ (KIP-394)
    bool may_skip_assignment = true;       // v9+ (KIP-814)
    static JoinTraits of_version(std::int16_t version) { return {version >= 4, version >= 9}; }
  };
  void join(const protocol::JoinGroupRequest& request, JoinTraits traits, const GroupClient& client,
            Answer<protocol::JoinGroupResponse> answer);
  void sync(const protocol::SyncGroupRequest& request, Answer<protocol::SyncGroupResponse> answer);
  protocol::KafkaError heartbeat(const std::string& member_id,
                                 const std::optional<std::string>& instance_id,
                                 std::int32_t generation);
  // A static member may be named by its instance id alone.
  protocol::KafkaError leave(const std::string& member_id,
                             const std::optional<std::string>& instance_id);
  // Whether such a member may commit offsets; counts as a sign of life.
  protocol::KafkaError check_commit(const std::string& member_id,
                                    const std::optional<std::string>& instance_id,
                                    std::int32_t generation);
  // The coordinator moves: whoever waits gets NOT_COORDINATOR and comes again. Members stay.
  void release_waiting();

  [[nodiscard]] const std::string& id() const { return id_; }
  [[nodiscard]] State state() const { return state_; }
  [[nodiscard]] std::string_view state_name() const;
  [[nodiscard]] std::int32_t generation() const { return generation_; }
  [[nodiscard]] const std::string& protocol_type() const { return protocol_type_; }
  // Of the present generation; empty if there is none.
  [[nodiscard]] const std::string& protocol_name() const { return protocol_name_; }
  [[nodiscard]] const std::string& leader() const { return leader_; }
  [[nodiscard]] const std::map<std::string, ClassicMember>& members() const { return members_; }
  // True if a member is known to read the topic. Only groups of consumers can be known to.
  [[nodiscard]] bool subscribed_to(std::string_view topic) const;

 private:
  using JoinAnswer = Answer<protocol::JoinGroupResponse>;
  using SyncAnswer = Answer<protocol::SyncGroupResponse>;

  // Joining (classic_group_join.cc)
  void join_new(const protocol::JoinGroupRequest& request, JoinTraits traits,
                const GroupClient& client, JoinAnswer answer);
  void rejoin(const protocol::JoinGroupRequest& request, JoinAnswer answer);
  void replace_static(const protocol::JoinGroupRequest& request, JoinTraits traits,
                      const GroupClient& client, JoinAnswer answer);
  void rejoin_stable_static(ClassicMember& member, JoinTraits traits,
                            const std::string& old_leader);
  void add_member(const protocol::JoinGroupRequest& request, const GroupClient& client,
                  std::string member_id, JoinAnswer answer);
  static void update_member(ClassicMember& member, const protocol::JoinGroupRequest& request,
                            JoinAnswer answer);
  void add_pending(const protocol::JoinGroupRequest& request, const std::string& member_id);
  [[nodiscard]] bool accepts_protocols(const protocol::JoinGroupRequest& request) const;
  [[nodiscard]] protocol::JoinGroupResponse present_generation(const ClassicMember& member,
                                                               bool with_members) const;

  // Rebalancing (classic_group.cc)
  void rebalance();  // unless one has begun already
  void extend_initial_join(Millis remaining);
  void try_complete_join();
  void complete_join();
  bool elect_leader();
  void expire_pending_sync();
  void distribute(const protocol::SyncGroupRequest& request);
  [[nodiscard]] std::string select_protocol() const;
  [[nodiscard]] Millis rebalance_timeout() const;

  // Members
  [[nodiscard]] ClassicMember* find(const std::string& member_id);
  [[nodiscard]] protocol::KafkaError check_member(
      const std::string& member_id, const std::optional<std::string>& instance_id) const;
  void remove_member(const std::string& member_id);  // and rebalance
  void erase_member(const std::string& member_id);
  void remove_pending(const std::string& member_id);
  void restart_session(ClassicMember& member);
  void arm_session(ClassicMember& member, Millis timeout);
  void expire_session(const std::string& member_id);
  void done_syncing(const std::string& member_id);
  void cancel(TimerService::Id& timer);

  std::string id_;
  GroupServices& services_;
  State state_ = State::kEmpty;
  std::int32_t generation_ = 0;
  std::string protocol_type_;
  std::string protocol_name_;
  std::string leader_;
  std::map<std::string, ClassicMember> members_;
  std::map<std::string, std::string> static_members_;  // instance id -> member id
  std::map<std::string, TimerService::Id> pending_;    // ids given out, not yet used to join
  std::set<std::string> pending_sync_;                 // joined, have not sent SyncGroup
  TimerService::Id rebalance_timer_ = 0;
  TimerService::Id sync_timer_ = 0;
  bool initial_join_ = false;      // completes by its timer alone
  bool joined_meanwhile_ = false;  // somebody came during the initial delay
};

}  // namespace ktrial::fakebroker
