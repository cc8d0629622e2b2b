// SPDX-License-Identifier: Apache-2.0
// Group: committed offsets, and leaving.
#include "clients/reference/group.h"
#include "protocol/messages/leave_group_request.h"
#include "protocol/messages/leave_group_response.h"
#include "protocol/messages/offset_commit_request.h"
#include "protocol/messages/offset_commit_response.h"
#include "protocol/messages/offset_fetch_request.h"
#include "protocol/messages/offset_fetch_response.h"

namespace ktrial::client {

using namespace protocol;  // NOLINT: this file is little else than messages

namespace {

constexpr std::int16_t kNewestOffsetFetch = 7;   // from 8 on several groups at once
constexpr std::int16_t kNewestOffsetCommit = 9;  // from 10 on topics by id

}  // namespace

void Group::fetch_offsets(const std::vector<TopicPartition>& partitions,
                          std::function<void(const Positions&)> done) {
  OffsetFetchRequest request;
  request.group_id = env_.config.group_id;
  request.topics.emplace();
  for (const TopicPartition& at : partitions) {
    auto& topics = *request.topics;
    if (topics.empty() || topics.back().name != at.topic) topics.emplace_back().name = at.topic;
    topics.back().partition_indexes.push_back(at.partition);
  }
  const auto again = [this, partitions, done] {
    later([this, partitions, done] { fetch_offsets(partitions, done); });
  };
  if (!coordinator_) return again();
  network_.send(*coordinator_,
                make_request<OffsetFetchRequest, OffsetFetchResponse>(
                    std::move(request), kNewestOffsetFetch, env_.config.request_timeout,
                    [this, done, again](const Result<OffsetFetchResponse>& response) {
                      if (stopped_) return;
                      if (!response || response->error_code != 0) {
                        if (response) handle_coordinator_error(response->error_code);
                        return again();
                      }
                      failures_ = 0;
                      Positions committed;
                      for (const auto& topic : response->topics) {
                        for (const auto& partition : topic.partitions) {
                          if (partition.error_code != 0) return again();
                          if (partition.committed_offset < 0) continue;
                          committed[{topic.name, partition.partition_index}] =
                              partition.committed_offset;
                        }
                      }
                      done(committed);
                    }));
}

void Group::commit(const Positions& positions,
                   std::function<void(std::optional<ClientError>)> done) {
  if (positions.empty()) return done(std::nullopt);
  if (!coordinator_) return done(ClientError{"COORDINATOR_NOT_AVAILABLE", true, "no coordinator"});
  OffsetCommitRequest request;
  request.group_id = env_.config.group_id;
  request.generation_id_or_member_epoch = member_ ? generation_ : -1;
  request.member_id = member_ ? member_id_ : std::string();
  request.group_instance_id = env_.config.group_instance_id;
  for (const auto& [at, offset] : positions) {
    if (request.topics.empty() || request.topics.back().name != at.topic) {
      request.topics.emplace_back().name = at.topic;
    }
    auto& partition = request.topics.back().partitions.emplace_back();
    partition.partition_index = at.partition;
    partition.committed_offset = offset;
  }
  network_.send(*coordinator_,
                make_request<OffsetCommitRequest, OffsetCommitResponse>(
                    std::move(request), kNewestOffsetCommit, env_.config.request_timeout,
                    [done](const Result<OffsetCommitResponse>& response) {
                      if (!response) return done(client_error(response.error()));
                      for (const auto& topic : response->topics) {
                        for (const auto& partition : topic.partitions) {
                          if (partition.error_code != 0)
                            return done(client_error(partition.error_code));
                        }
                      }
                      done(std::nullopt);
                    }));
}

void Group::leave(std::function<void()> done) {
  const bool silent = env_.config.mutated(Mutant::kNoLeaveGroup) || env_.config.group_instance_id ||
                      !coordinator_ || member_id_.empty();
  if (silent) return done();
  LeaveGroupRequest request;
  request.group_id = env_.config.group_id;
  request.member_id = member_id_;
  request.members.emplace_back().member_id = member_id_;
  network_.send(*coordinator_,
                make_request<LeaveGroupRequest, LeaveGroupResponse>(
                    std::move(request), LeaveGroupRequest::kMaxVersion, env_.config.request_timeout,
                    [done](const Result<LeaveGroupResponse>&) { done(); }));
}

}  // namespace ktrial::client
