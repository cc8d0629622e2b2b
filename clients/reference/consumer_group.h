// SPDX-License-Identifier: Apache-2.0
// ConsumerGroup: membership by the protocol of KIP-848. The coordinator assigns; a member reports
// by heartbeats what it subscribes to and what it has, and makes its way to what it should have:
// it gives up first, takes on then, and only then says so.
#pragma once

#include "clients/reference/group.h"
#include "protocol/messages/consumer_group_heartbeat_request.h"
#include "protocol/messages/consumer_group_heartbeat_response.h"
#include "protocol/uuid.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ktrial::client {

class ConsumerGroup final : public Group {
 public:
  ConsumerGroup(Env& env, Network& network, Metadata& metadata, Observer observer);

  void subscribe(std::set<std::string> topics) override;
  void metadata_changed() override;
  void polled() override;
  void poll_overdue() override;
  void leave(Done done) override;
  void stop() override;

 private:
  using Request = protocol::ConsumerGroupHeartbeatRequest;
  using Response = protocol::ConsumerGroupHeartbeatResponse;
  using ById = std::map<protocol::Uuid, std::map<std::int32_t, std::string>>;  // with topic names
  enum class State : std::uint8_t {
    kOut,       // joins as soon as it can
    kYielding,  // the application is told what was lost, then kOut
    kMember,
    kWaiting,  // for the next poll
    kGone,     // left, or refused for good
  };

  [[nodiscard]] MemberIdentity identity() const override;
  void coordinator_found() override { heartbeat(); }

  void heartbeat();
  [[nodiscard]] Request next_request() const;
  void answered(const Request& sent, const Result<Response>& response);
  void refused(const Response& response);
  void take(const Request& sent, const Response& response);

  void reconcile();
  [[nodiscard]] std::vector<TopicPartition> missing_in_target() const;
  // What can be taken on: topics whose names are not known yet wait for metadata.
  [[nodiscard]] ById new_in_target();
  void take_on(const ById& added);

  void lose(State after = State::kOut);
  void give_up(const ClientError& error);
  void send_leave(Done done);

  State state_ = State::kOut;
  std::set<std::string> topics_;
  std::string member_id_;
  std::int32_t epoch_ = 0;
  ById owned_;
  std::optional<std::map<protocol::Uuid, std::set<std::int32_t>>> target_;
  bool reconciling_ = false;
  std::uint64_t life_ = 0;  // what began in an earlier one is void

  // What the coordinator knows, so that heartbeats name only what has changed.
  bool tell_all_ = true;
  std::set<std::string> told_topics_;
  decltype(Request::topic_partitions) told_owned_;
  bool in_flight_ = false;
  bool due_ = false;  // another one, as soon as the one in flight is answered
  TimePoint sent_at_ = {};
  Millis interval_{5'000};
  TimerService::Id timer_ = 0;
};

}  // namespace ktrial::client
