// SPDX-License-Identifier: Apache-2.0
// A member of a classic group on its own connection (a join blocks it), and the requests about
// offsets that tests send.
#pragma once

#include "fakebroker/cluster_for_test.h"
#include "fakebroker/requests_for_test.h"
#include "protocol/errors.h"
#include "protocol/messages/heartbeat_request.h"
#include "protocol/messages/heartbeat_response.h"
#include "protocol/messages/join_group_request.h"
#include "protocol/messages/join_group_response.h"
#include "protocol/messages/leave_group_request.h"
#include "protocol/messages/leave_group_response.h"
#include "protocol/messages/offset_commit_request.h"
#include "protocol/messages/offset_commit_response.h"
#include "protocol/messages/offset_fetch_request.h"
#include "protocol/messages/offset_fetch_response.h"
#include "protocol/messages/sync_group_request.h"
#include "protocol/messages/sync_group_response.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace ktrial::fakebroker {

template <class Response>
protocol::KafkaError error_of(const Response& response) {
  return static_cast<protocol::KafkaError>(response.error_code);
}

struct MemberForTest {
  explicit MemberForTest(ClusterForTest& cluster, std::string of_group = "g",
                         std::optional<std::string> as_instance = std::nullopt, int broker = 1)
      : client(cluster.broker(broker)),
        group(std::move(of_group)),
        instance(std::move(as_instance)) {}

  ClientForTest client;
  std::string group;
  std::optional<std::string> instance;
  std::string id = {};
  std::int32_t generation = -1;
  std::int32_t session_timeout_ms = 10'000;
  std::int16_t version = 9;  // of JoinGroup; the others go along as far as they go

  std::int32_t send_join() {
    protocol::JoinGroupRequest request;
    request.group_id = group;
    request.session_timeout_ms = session_timeout_ms;
    request.rebalance_timeout_ms = 60'000;
    request.member_id = id;
    request.group_instance_id = instance;
    request.protocol_type = "consumer";
    request.protocols.push_back({.name = "range", .metadata = Slice::copy_of("topics")});
    return client.send(request, version);
  }
  protocol::JoinGroupResponse receive_join(std::int32_t correlation_id) {
    auto joined = client.receive<protocol::JoinGroupResponse>(correlation_id, version);
    id = joined.member_id;
    generation = joined.generation_id;
    return joined;
  }
  // Once more if the group gives it an id first.
  protocol::JoinGroupResponse join() {
    auto joined = receive_join(send_join());
    const bool again = error_of(joined) == protocol::KafkaError::kMemberIdRequired;
    return again ? receive_join(send_join()) : joined;
  }

  [[nodiscard]] protocol::SyncGroupRequest a_sync(
      const std::vector<std::string>& assigned = {}) const {
    protocol::SyncGroupRequest request;
    request.group_id = group;
    request.generation_id = generation;
    request.member_id = id;
    request.group_instance_id = instance;
    request.protocol_type = "consumer";
    request.protocol_name = "range";
    for (const std::string& member : assigned)
      request.assignments.push_back(
          {.member_id = member, .assignment = Slice::copy_of("of " + member)});
    return request;
  }
  std::int32_t send_sync(const std::vector<std::string>& assigned = {}) {
    return client.send(a_sync(assigned), at_most(5));
  }
  protocol::SyncGroupResponse receive_sync(std::int32_t correlation_id) {
    return client.receive<protocol::SyncGroupResponse>(correlation_id, at_most(5));
  }
  protocol::SyncGroupResponse sync(const std::vector<std::string>& assigned = {}) {
    return receive_sync(send_sync(assigned));
  }

  protocol::KafkaError heartbeat() {
    protocol::HeartbeatRequest request;
    request.group_id = group;
    request.generation_id = generation;
    request.member_id = id;
    request.group_instance_id = instance;
    return error_of(client.call<protocol::HeartbeatResponse>(request, at_most(4)));
  }
  // Until another's join has arrived.
  void wait_for_rebalance() {
    for (int beats = 0; beats < 10'000; ++beats) {
      if (heartbeat() == protocol::KafkaError::kRebalanceInProgress) return;
    }
    throw std::runtime_error("no rebalance");
  }

  protocol::KafkaError leave() {
    protocol::LeaveGroupRequest request;
    request.group_id = group;
    request.member_id = id;
    auto& member = request.members.emplace_back();
    member.member_id = id;
    member.group_instance_id = instance;
    const auto response = client.call<protocol::LeaveGroupResponse>(request, at_most(5));
    return response.members.empty() ? error_of(response) : error_of(response.members[0]);
  }

 private:
  [[nodiscard]] std::int16_t at_most(std::int16_t newest) const {
    return std::min(version, newest);
  }
};

// `second` comes to the group of `first`, its leader, who joins again: what each is told.
struct JoinedForTest {
  protocol::JoinGroupResponse leader, follower;
};

inline JoinedForTest join_both(MemberForTest& first, MemberForTest& second) {
  JoinedForTest joined;
  second.receive_join(second.send_join());  // an id
  const auto waits = second.send_join();
  first.wait_for_rebalance();
  joined.leader = first.join();
  joined.follower = second.receive_join(waits);
  return joined;
}

// --- Offsets

struct CommitForTest {
  std::int64_t offset = 0;
  std::int32_t partition = 0;
  std::string group = "g";
  std::string member = {};
  std::int32_t generation = -1;
  std::optional<std::string> instance = {};
  std::string metadata = {};
  std::string topic = "t";
  protocol::Uuid topic_id = {};
};

inline protocol::KafkaError commit(ClientForTest& client, const CommitForTest& of,
                                   std::int16_t version = 8) {
  protocol::OffsetCommitRequest request;
  request.group_id = of.group;
  request.member_id = of.member;
  request.generation_id_or_member_epoch = of.generation;
  request.group_instance_id = of.instance;
  auto& topic = request.topics.emplace_back();
  topic.name = of.topic;
  topic.topic_id = of.topic_id;
  auto& partition = topic.partitions.emplace_back();
  partition.partition_index = of.partition;
  partition.committed_offset = of.offset;
  partition.committed_leader_epoch = 3;
  partition.committed_metadata = of.metadata;
  return error_of(
      client.call<protocol::OffsetCommitResponse>(request, version).topics.at(0).partitions.at(0));
}

struct OffsetForTest {
  std::int64_t offset = -1;
  std::int32_t leader_epoch = -1;
  std::string metadata = {};
  protocol::KafkaError error = protocol::KafkaError::kNone;  // the group's or the partition's
};

struct FetchOffsetForTest {
  std::int32_t partition = 0;
  std::string group = "g";
  std::string topic = "t";
  protocol::Uuid topic_id = {};
  std::optional<std::string> member = {};
  std::int32_t epoch = -1;
};

// In v0-7 the one group of the request, later the only one of many.
inline OffsetForTest fetch_offset(ClientForTest& client, std::int16_t version,
                                  const FetchOffsetForTest& of = {}) {
  protocol::OffsetFetchRequest request;
  request.group_id = of.group;
  auto& topic = request.topics->emplace_back();
  topic.name = of.topic;
  topic.partition_indexes = {of.partition};
  auto& group = request.groups.emplace_back();
  group.group_id = of.group;
  group.member_id = of.member;
  group.member_epoch = of.epoch;
  auto& group_topic = group.topics->emplace_back();
  group_topic.name = of.topic;
  group_topic.topic_id = of.topic_id;
  group_topic.partition_indexes = {of.partition};
  const auto response = client.call<protocol::OffsetFetchResponse>(request, version);
  const auto shown = [](const auto& error_holder, const auto& topics) {
    OffsetForTest offset;
    offset.error = error_of(error_holder);
    if (topics.empty()) return offset;
    const auto& partition = topics.at(0).partitions.at(0);
    offset.offset = partition.committed_offset;
    offset.leader_epoch = partition.committed_leader_epoch;
    offset.metadata = partition.metadata.value_or("null");
    if (offset.error == protocol::KafkaError::kNone) offset.error = error_of(partition);
    return offset;
  };
  if (version < 8) return shown(response, response.topics);
  return shown(response.groups.at(0), response.groups.at(0).topics);
}

}  // namespace ktrial::fakebroker
