// SPDX-License-Identifier: Apache-2.0
// ConsumerGroup: one group of the KIP-848 protocol. The group has an epoch that rises with its
// members, their subscriptions and the topics; a target assignment is made for each epoch, and
// every heartbeat brings a member nearer to its target: what must go is revoked first, and nobody
// gets a partition that somebody still has.
#pragma once

#include "fakebroker/state/consumer_group_assignor.h"
#include "fakebroker/state/consumer_group_member.h"
#include "fakebroker/state/group_types.h"
#include "protocol/errors.h"
#include "protocol/messages/consumer_group_heartbeat_request.h"
#include "protocol/messages/consumer_group_heartbeat_response.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace ktrial::fakebroker {

class ConsumerGroup {
 public:
  ConsumerGroup(std::string id, GroupServices& services, TopicLookup topics);
  ~ConsumerGroup();
  ConsumerGroup(const ConsumerGroup&) = delete;
  ConsumerGroup& operator=(const ConsumerGroup&) = delete;

  using Request = protocol::ConsumerGroupHeartbeatRequest;
  using Response = protocol::ConsumerGroupHeartbeatResponse;
  // What is wrong with the request by itself; none if nothing is.
  static std::optional<Response> refuse(const Request& request, std::int16_t version);
  // `request` must not be one that refuse() refuses.
  Response heartbeat(const Request& request, const GroupClient& client);

  // Whether such a member may commit or fetch offsets.
  [[nodiscard]] protocol::KafkaError check_commit(const std::string& member_id, std::int32_t epoch,
                                                  std::int16_t version) const;
  [[nodiscard]] protocol::KafkaError check_fetch(const std::optional<std::string>& member_id,
                                                 std::int32_t epoch) const;

  [[nodiscard]] std::string_view state_name() const;
  [[nodiscard]] bool empty() const { return members_.empty(); }
  [[nodiscard]] std::int32_t epoch() const { return epoch_; }
  [[nodiscard]] std::int32_t target_epoch() const { return target_epoch_; }
  [[nodiscard]] std::string assignor() const;  // what most members ask for
  [[nodiscard]] const std::map<std::string, ConsumerMember>& members() const { return members_; }
  [[nodiscard]] Assignment target_of(const std::string& member_id) const;
  [[nodiscard]] bool subscribed_to(std::string_view topic) const;

 private:
  Response join_or_continue(const Request& request, const GroupClient& client);
  Response leave(const Request& request);
  // The member that the request speaks for, made or taken over where it joins.
  protocol::KafkaError find_or_add(const Request& request, ConsumerMember*& member);
  protocol::KafkaError find_static(const Request& request, ConsumerMember*& member);
  ConsumerMember& add(const Request& request);
  ConsumerMember& take_over(const Request& request);
  // True if it changes what the assignor sees.
  static bool update(ConsumerMember& member, const Request& request, const GroupClient& client);
  void refresh_topics();
  void refresh_target();
  void remove(const std::string& member_id);
  void restart_session(ConsumerMember& member);
  void watch_revocation(ConsumerMember& member);
  void cancel(TimerService::Id& timer);
  [[nodiscard]] bool is_held(const protocol::Uuid& topic, std::int32_t partition) const;

  std::string id_;
  GroupServices& services_;
  TopicLookup lookup_;
  std::int32_t epoch_ = 0;
  std::int32_t target_epoch_ = 0;
  std::map<std::string, ConsumerMember> members_;
  std::map<std::string, std::string> static_members_;  // instance id -> member id
  std::map<std::string, TopicShape> topics_;           // that members subscribe to
  TargetAssignment target_;
};

}  // namespace ktrial::fakebroker
