// SPDX-License-Identifier: Apache-2.0
// Produce requests made beforehand, and what is asked of their answers.
#pragma once

#include "bench/kblast/kafka_socket.h"
#include "bench/kblast/replay.h"
#include "common/result.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ktrial::bench {

struct ProduceLoad {
  std::string topic = "bench";
  std::int32_t partitions = 1;  // taken in turn
  std::size_t records = 1;      // per batch
  std::size_t record_bytes = 100;
  bool idempotent = false;  // sequence numbers go up, so every batch gets a checksum of its own
  std::size_t window = 64;
};

// The broker that leads every partition of the topic, once there is one; asking for the topic makes
// it where topics are made on demand.
Result<Endpoint> leader_of(const Endpoint& bootstrap, const ProduceLoad& load);

// The frames of `load` with the check of their answers; how many and how long is the caller's.
Result<ReplayPlan> produce_plan(KafkaSocket& broker, const ProduceLoad& load);

}  // namespace ktrial::bench
