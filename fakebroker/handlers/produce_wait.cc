// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/handlers/produce_wait.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

namespace ktrial::fakebroker {
namespace {

using protocol::KafkaError;
using protocol::produce_response::PartitionProduceResponse;
using Awaited = ProduceProgress::Awaited;

struct PendingProduce {
  RequestContext ctx;  // header is not to be used once the handler has returned
  bool hints = false;
  ProduceProgress progress;
  Responder responder;
};

Partition* find(ClusterState& cluster, const Awaited& awaited) {
  const Topic* const topic = cluster.topics().find(awaited.topic_id);
  return topic == nullptr ? nullptr : topic->partition(awaited.partition);
}

// What came of it; nothing while it is to be waited for.
std::optional<KafkaError> outcome(const PendingProduce& pending, const Partition* partition,
                                  const Awaited& awaited) {
  if (partition == nullptr) return KafkaError::kUnknownTopicOrPartition;
  if (const KafkaError error = check_leader(pending.ctx, *partition); error != KafkaError::kNone)
    return error;
  if (partition->log.high_watermark() < awaited.high_watermark) return std::nullopt;
  return pending.ctx.cluster.replication().has_minimum(*partition)
             ? KafkaError::kNone
             : KafkaError::kNotEnoughReplicasAfterAppend;
}

bool settle(PendingProduce& pending, const Awaited& awaited) {
  Partition* const partition = find(pending.ctx.cluster, awaited);
  const auto error = outcome(pending, partition, awaited);
  if (!error) return false;
  protocol::ProduceResponse& response = pending.progress.response;
  PartitionProduceResponse& answer =
      response.responses.at(awaited.topic_at).partition_responses.at(awaited.partition_at);
  answer.error_code = code(*error);
  if (pending.hints && *error == KafkaError::kNotLeaderOrFollower)
    hint_leader(pending.ctx, *partition, answer, response);
  return true;
}

}  // namespace

void hint_leader(RequestContext& ctx, const Partition& partition, PartitionProduceResponse& answer,
                 protocol::ProduceResponse& whole) {
  answer.current_leader.leader_id = partition.leader;
  answer.current_leader.leader_epoch = partition.leader_epoch;
  add_endpoint(ctx, whole.node_endpoints, partition.leader);
}

Reply wait_for_replicas(RequestContext& ctx, std::int32_t timeout_ms, ProduceProgress progress,
                        Responder responder) {
  constexpr std::int16_t kLeaderHintsFrom = 10;
  std::vector<std::uint64_t> partitions;
  for (const Awaited& awaited : progress.awaited) {
    partitions.push_back(find(ctx.cluster, awaited)->serial);
    progress.response.responses.at(awaited.topic_at)
        .partition_responses.at(awaited.partition_at)
        .error_code = code(KafkaError::kRequestTimedOut);
  }
  const double speed = ctx.cluster.spec().client_speed;
  const Millis patience(std::llround(std::ceil(std::max(timeout_ms, 0) / speed)));
  const auto pending = std::make_shared<PendingProduce>(PendingProduce{
      ctx, ctx.version() >= kLeaderHintsFrom, std::move(progress), std::move(responder)});
  ctx.cluster.produce_waiters().add(std::move(partitions), patience, [pending](bool expired) {
    if (!pending->responder.open()) return true;  // who asked has gone, and its name with it
    std::erase_if(pending->progress.awaited,
                  [&](const Awaited& awaited) { return settle(*pending, awaited); });
    if (!expired && !pending->progress.awaited.empty()) return false;
    pending->responder.send(std::move(pending->progress.response));
    return true;
  });
  return Reply::deferred();
}

}  // namespace ktrial::fakebroker
