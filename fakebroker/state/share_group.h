// SPDX-License-Identifier: Apache-2.0
// ShareGroup: one share group (KIP-932): its members, who share partitions instead of owning them,
// and the state of each partition that it has read. Members are assigned what the group has
// initialized, a new target at most once per assignment interval (KIP-1263).
#pragma once

#include "fakebroker/state/group_types.h"
#include "fakebroker/state/share_group_assignor.h"
#include "fakebroker/state/share_partition.h"
#include "protocol/errors.h"
#include "protocol/messages/share_group_heartbeat_request.h"
#include "protocol/messages/share_group_heartbeat_response.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace ktrial::fakebroker {

struct ShareMember {
  std::string id = {};
  std::optional<std::string> rack = {};
  std::set<std::string> subscription = {};
  GroupClient client = {};
  std::int32_t epoch = 0;
  std::int32_t previous_epoch = -1;
  Assignment assigned = {};
  TimerService::Id session_timer = 0;
};

// Where a partition's lock ran out and records may be had again.
using RecordsFreed = std::function<void(const protocol::Uuid& topic, std::int32_t partition)>;

class ShareGroup {
 public:
  struct Services {
    GroupServices& group;
    TopicLookup topics;
    std::function<ShareSettings(const std::string& group)> settings;
    RecordsFreed freed;
  };
  ShareGroup(std::string id, const Services& services);
  ~ShareGroup();
  ShareGroup(const ShareGroup&) = delete;
  ShareGroup& operator=(const ShareGroup&) = delete;

  using Request = protocol::ShareGroupHeartbeatRequest;
  using Response = protocol::ShareGroupHeartbeatResponse;
  // What is wrong with the request by itself; none if nothing is.
  static std::optional<Response> refuse(const Request& request);
  // `request` must not be one that refuse() refuses.
  Response heartbeat(const Request& request, const GroupClient& client);

  [[nodiscard]] std::string_view state_name() const { return empty() ? "Empty" : "Stable"; }
  [[nodiscard]] bool empty() const { return members_.empty(); }
  [[nodiscard]] std::int32_t epoch() const { return epoch_; }
  [[nodiscard]] std::int32_t target_epoch() const { return target_epoch_; }
  [[nodiscard]] const std::map<std::string, ShareMember>& members() const { return members_; }
  [[nodiscard]] bool subscribed_to(std::string_view topic) const;
  [[nodiscard]] ShareSettings settings() const { return services_.settings(id_); }

  // As the leader of this epoch has it; nullptr if the group has not initialized it.
  [[nodiscard]] SharePartition* partition(const protocol::Uuid& topic, std::int32_t index,
                                          std::int32_t leader_epoch);
  struct Written {
    std::int64_t start = SharePartition::kUnset;
    std::int64_t done = 0;  // after the start
    std::int32_t leader_epoch = 0;
  };
  [[nodiscard]] Written written(const protocol::Uuid& topic, std::int32_t index) const;
  // What is initialized.
  [[nodiscard]] Assignment initialized() const;
  // After locks were taken or renewed: looks at them again when the first runs out.
  void watch_locks(const protocol::Uuid& topic, std::int32_t index);
  // Begins there from now on, whatever was in flight.
  void set_start(const protocol::Uuid& topic, std::int32_t index, std::int64_t start);
  // False if nothing of the topic was initialized.
  bool forget(const protocol::Uuid& topic);

 private:
  struct Tracked {
    SharePartition state = SharePartition();
    std::int32_t leader_epoch = 0;
    TimerService::Id lock_timer = 0;
    TimePoint lock_timer_due = {};
  };
  using Place = std::pair<protocol::Uuid, std::int32_t>;

  Response leave(const Request& request);
  ShareMember* find_or_add(const Request& request, Response& fault);
  bool update(ShareMember& member, const Request& request, const GroupClient& client);
  [[nodiscard]] bool assignment_is_behind() const;
  [[nodiscard]] std::map<std::string, TopicShape> topics_now() const;
  void refresh_target();
  void initialize_subscribed();
  void reconcile(ShareMember& member, bool bumped);
  void restart_session(ShareMember& member);
  void remove(const std::string& member);
  void on_lock_timer(const Place& place);
  void cancel(TimerService::Id& timer);

  std::string id_;
  const Services& services_;
  std::int32_t epoch_ = 1;
  std::int32_t target_epoch_ = 1;
  std::optional<TimePoint> assigned_at_ = {};
  std::map<std::string, ShareMember> members_;
  std::map<std::string, TopicShape> topics_;  // that members subscribe to
  TargetAssignment target_;
  std::map<Place, Tracked> partitions_;
};

}  // namespace ktrial::fakebroker
