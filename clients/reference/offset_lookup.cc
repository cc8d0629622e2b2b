// SPDX-License-Identifier: Apache-2.0
#include "clients/reference/offset_lookup.h"

#include "protocol/messages/list_offsets_request.h"

#include <utility>

namespace ktrial::client {

using protocol::ListOffsetsRequest;
using protocol::ListOffsetsResponse;

namespace {

constexpr std::int16_t kNewestListOffsets = 7;

}  // namespace

struct OffsetLookup::Call {
  Found found = {};
  std::size_t pending = 1;  // requests, and find() itself
  std::function<void(Found)> done;

  void take(const TopicPartition& at,
            const protocol::list_offsets_response::ListOffsetsPartitionResponse& listed) {
    const auto asked = found.find(at);
    if (asked == found.end()) return;
    if (listed.error_code != 0) {
      asked->second = tl::unexpected<ClientError>(client_error(listed.error_code));
    } else if (listed.offset >= 0) {
      asked->second = listed.offset;
    }
  }
  void one_less() {
    if (--pending == 0) done(std::move(found));
  }
};

void OffsetLookup::find(const Timestamps& wanted, std::function<void(Found)> done) {
  const auto call = std::make_shared<Call>(Call{.done = std::move(done)});
  std::map<int, Timestamps> by_leader;
  for (const auto& [at, timestamp] : wanted) {
    call->found[at] = tl::unexpected<ClientError>({"LEADER_NOT_AVAILABLE", true, "no leader"});
    const auto leader = metadata_.leader(at.topic, at.partition);
    if (leader) {
      by_leader[*leader][at] = timestamp;
    } else {
      metadata_.request_update();
    }
  }
  for (const auto& [leader, part] : by_leader) {
    ++call->pending;
    ask(leader, part, call);
  }
  call->one_less();
}

void OffsetLookup::ask(int leader, const Timestamps& wanted, const std::shared_ptr<Call>& call) {
  ListOffsetsRequest request;
  request.replica_id = -1;
  request.isolation_level = env_.config.isolation_level;
  for (const auto& [at, timestamp] : wanted) {
    if (request.topics.empty() || request.topics.back().name != at.topic) {
      request.topics.emplace_back().name = at.topic;
    }
    auto& asked = request.topics.back().partitions.emplace_back();
    asked.partition_index = at.partition;
    asked.current_leader_epoch = metadata_.leader_epoch(at.topic, at.partition);
    asked.timestamp = timestamp;
  }
  network_.send(leader, make_request<ListOffsetsRequest, ListOffsetsResponse>(
                            std::move(request), kNewestListOffsets, env_.config.request_timeout,
                            [this, call, wanted](const Result<ListOffsetsResponse>& response) {
                              for (const auto& [at, timestamp] : wanted) {
                                call->found[at] = tl::unexpected<ClientError>(
                                    response ? ClientError{"UNKNOWN_SERVER_ERROR", true,
                                                           "the answer leaves it out"}
                                             : client_error(response.error()));
                              }
                              if (!response) return call->one_less();
                              for (const auto& topic : response->topics) {
                                for (const auto& listed : topic.partitions) {
                                  call->take({topic.name, listed.partition_index}, listed);
                                  if (listed.error_code != 0) metadata_.request_update();
                                }
                              }
                              call->one_less();
                            }));
}

}  // namespace ktrial::client
