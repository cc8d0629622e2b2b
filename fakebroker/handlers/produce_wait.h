// SPDX-License-Identifier: Apache-2.0
// What has been appended for a Produce with acks=-1 and is not on all replicas in sync yet: its
// answer waits for the high watermark, as in Kafka's produce purgatory.
#pragma once

#include "fakebroker/handlers/leadership.h"
#include "fakebroker/request_context.h"
#include "protocol/messages/produce_request.h"
#include "protocol/messages/produce_response.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ktrial::fakebroker {

// A Produce as it is being answered.
struct ProduceProgress {
  struct Awaited {
    std::string topic;
    protocol::Uuid topic_id;
    std::int32_t partition = 0;
    std::int64_t high_watermark = 0;  // what it has to reach
    std::size_t topic_at = 0;         // of its answer
    std::size_t partition_at = 0;
  };
  protocol::ProduceResponse response = {};
  std::vector<Awaited> awaited = {};
};

// NOT_LEADER_OR_FOLLOWER tells who leads, from v10 on (KIP-951).
void hint_leader(RequestContext& ctx, const Partition& partition,
                 protocol::produce_response::PartitionProduceResponse& answer,
                 protocol::ProduceResponse& whole);

// Answers when nothing is awaited any more, with REQUEST_TIMED_OUT for the rest after the request's
// timeout; what was appended stays.
Reply wait_for_replicas(RequestContext& ctx, std::int32_t timeout_ms, ProduceProgress progress,
                        Responder responder);

}  // namespace ktrial::fakebroker
