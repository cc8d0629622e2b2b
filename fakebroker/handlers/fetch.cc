// SPDX-License-Identifier: Apache-2.0
// Fetch (1), v4-18: long polls, incremental sessions (KIP-227), followers (KIP-392), to which
// consumers are sent where the cluster has a rack-aware replica selector.
#include "fakebroker/handlers/authorization.h"
#include "fakebroker/handlers/fetch_reply.h"
#include "fakebroker/handlers/handlers.h"
#include "fakebroker/handlers/leadership.h"
#include "fakebroker/handlers/refusals.h"
#include "fakebroker/state/throttler.h"
#include "protocol/messages/fetch_request.h"

#include <algorithm>
#include <cmath>
#include <memory>

namespace ktrial::fakebroker {
namespace {

using protocol::FetchRequest;
using protocol::FetchResponse;
using protocol::KafkaError;
using protocol::fetch_response::PartitionData;

constexpr std::int16_t kTopicIdsFrom = 13;
constexpr std::int16_t kLeaderHintsFrom = 16;
constexpr std::int16_t kRacksFrom = 11;
constexpr std::int32_t kBrokerMaxBytes = 55 << 20;  // fetch.max.bytes of the broker
constexpr std::int8_t kReadCommitted = 1;
constexpr std::int32_t kFirstReplica = 0;  // below are consumers

FetchSessions::Request session_request(const FetchRequest& request, std::int16_t version) {
  FetchSessions::Request result{
      request.session_id, request.session_epoch, version >= kTopicIdsFrom, {}, {}};
  for (const auto& topic : request.topics) {
    for (const auto& partition : topic.partitions) {
      result.targets.push_back({topic.topic, topic.topic_id, partition.partition,
                                partition.fetch_offset, partition.partition_max_bytes,
                                partition.current_leader_epoch, partition.last_fetched_epoch});
    }
  }
  for (const auto& topic : request.forgotten_topics_data) {
    for (const std::int32_t partition : topic.partitions) {
      result.forgotten.push_back(
          {.topic = topic.topic, .topic_id = topic.topic_id, .partition = partition});
    }
  }
  return result;
}

// One fetch, from its arrival to its answer.
struct PendingFetch {
  RequestContext ctx;  // header is not to be used once the handler has returned
  std::int16_t version = 0;
  std::int32_t min_bytes = 0;
  std::int32_t max_bytes = 0;
  bool read_committed = false;
  std::string rack = {};  // of the client; empty if it has none
  bool by_replica = false;
  FetchSessions::Opened opened;
  Responder responder;
};

struct Found {
  Partition* partition = nullptr;
  KafkaError error = KafkaError::kNone;
};

// Any replica serves a consumer that may be sent to one, whether or not a selector sends it there.
bool follows(const PendingFetch& fetch, const Partition& partition) {
  return fetch.version >= kRacksFrom && is_replica(fetch.ctx, partition);
}

// Whom the leader sends the client to: the first replica in its rack, unless that is the leader.
std::optional<std::int32_t> preferred_replica(PendingFetch& fetch, const Partition& partition) {
  ClusterState& cluster = fetch.ctx.cluster;
  if (!cluster.spec().rack_aware_replicas || fetch.rack.empty() ||
      partition.leader != fetch.ctx.broker)
    return std::nullopt;
  const auto is_near = [&](std::int32_t replica) {
    const Node* const node = cluster.find_node(replica);
    return node != nullptr && node->up && node->rack == fetch.rack;
  };
  if (is_near(partition.leader)) return std::nullopt;
  const auto found = std::find_if(partition.replicas.begin(), partition.replicas.end(), is_near);
  return found == partition.replicas.end() ? std::nullopt : std::optional(*found);
}

// True if the client's log and ours part before where it wants to go on (KIP-595).
bool diverges(const PartitionLog::EpochEnd& end, const FetchTarget& target) {
  return end.epoch < target.last_fetched_epoch || end.end_offset < target.offset;
}

Found find(PendingFetch& fetch, const FetchTarget& target) {
  const Topic* const topic = fetch.ctx.cluster.topics().find(target.topic, target.topic_id);
  const std::string& name = topic != nullptr ? topic->name : target.topic;
  if (!name.empty() && !may_topic(fetch.ctx, AclOperation::kRead, name))
    return {nullptr, KafkaError::kTopicAuthorizationFailed};
  if (const KafkaError ruled = fetch.ctx.part_error(name, target.partition);
      ruled != KafkaError::kNone) {
    return {nullptr, ruled};
  }
  if (topic == nullptr) {
    return {nullptr, fetch.version >= kTopicIdsFrom ? KafkaError::kUnknownTopicId
                                                    : KafkaError::kUnknownTopicOrPartition};
  }
  Partition* const partition = topic->partition(target.partition);
  if (partition == nullptr) return {nullptr, KafkaError::kUnknownTopicOrPartition};
  const KafkaError error = check_leader(fetch.ctx, *partition, target.current_leader_epoch);
  const bool as_follower = error == KafkaError::kNotLeaderOrFollower && follows(fetch, *partition);
  if (error != KafkaError::kNone && !as_follower) return {partition, error};
  // Nobody here follows another broker by fetching from it.
  if (fetch.by_replica) return {partition, KafkaError::kNotLeaderOrFollower};
  if (target.last_fetched_epoch != -1) {
    const auto end =
        partition->log.end_of_epoch(target.last_fetched_epoch, partition->leader_epoch);
    if (end.epoch == -1) return {partition, KafkaError::kOffsetOutOfRange};
    if (diverges(end, target)) return {partition, KafkaError::kNone};
  }
  const bool in_log = target.offset >= partition->log.start_offset() &&
                      target.offset <= partition->log.end_offset();
  return {partition, in_log ? KafkaError::kNone : KafkaError::kOffsetOutOfRange};
}

// What this fetch may see of the partition.
std::int64_t visible_end(const PendingFetch& fetch, const Partition& partition) {
  return fetch.read_committed ? partition.last_stable_offset() : partition.log.high_watermark();
}

// So that a read_committed client can leave out what was aborted.
void tell_aborted(const Partition& partition, std::int64_t from, std::int64_t to,
                  PartitionData& data) {
  for (const auto& aborted : partition.transactions.aborted_between(from, to)) {
    auto& entry = data.aborted_transactions->emplace_back();
    entry.producer_id = aborted.producer_id;
    entry.first_offset = aborted.first_offset;
  }
}

bool tell_divergence(const Partition& partition, const FetchTarget& target, PartitionData& data) {
  if (target.last_fetched_epoch == -1) return false;
  const auto end = partition.log.end_of_epoch(target.last_fetched_epoch, partition.leader_epoch);
  if (!diverges(end, target)) return false;
  data.diverging_epoch.epoch = end.epoch;
  data.diverging_epoch.end_offset = end.end_offset;
  return true;
}

void hint_leader(PendingFetch& fetch, FetchResponse& response, const Partition& partition,
                 PartitionData& data) {
  const auto error = static_cast<KafkaError>(data.error_code);
  if (fetch.version < kLeaderHintsFrom ||
      (error != KafkaError::kNotLeaderOrFollower && error != KafkaError::kFencedLeaderEpoch))
    return;
  data.current_leader.leader_id = partition.leader;
  data.current_leader.leader_epoch = partition.leader_epoch;
  if (!fetch.by_replica) add_endpoint(fetch.ctx, response.node_endpoints, partition.leader);
}

// What a fetch would be answered with now.
struct Outcome {
  FetchResponse response;
  std::vector<std::vector<Slice>> runs;
  std::vector<FetchTarget> served;
  std::size_t bytes = 0;
  bool urgent = false;  // an error or a diverging epoch: no reason to wait
};

// An incremental answer leaves out what has not changed.
bool is_news(const FetchSession::Entry& entry, const PartitionData& data, std::size_t bytes) {
  return entry.send || bytes > 0 || data.error_code != 0 || data.diverging_epoch.epoch != -1 ||
         data.preferred_read_replica != -1 || data.high_watermark != entry.high_watermark ||
         data.log_start_offset != entry.log_start_offset;
}

void add_to(FetchResponse& response, const FetchTarget& target, PartitionData data) {
  if (response.responses.empty() || response.responses.back().topic != target.topic ||
      response.responses.back().topic_id != target.topic_id) {
    auto& topic = response.responses.emplace_back();
    topic.topic = target.topic;
    topic.topic_id = target.topic_id;
  }
  response.responses.back().partitions.push_back(std::move(data));
}

void read_partition(PendingFetch& fetch, const FetchTarget& target, const Found& found,
                    Outcome& outcome) {
  PartitionData data;
  data.partition_index = target.partition;
  data.high_watermark = -1;
  PartitionLog::Read read;
  data.error_code = code(found.error);
  // A partition that is not there has an empty list of them all the same.
  if (found.partition != nullptr && (!fetch.read_committed || found.error != KafkaError::kNone))
    data.aborted_transactions = std::nullopt;
  if (found.error == KafkaError::kNone) {
    const PartitionLog& log = found.partition->log;
    data.high_watermark = log.high_watermark();
    data.last_stable_offset = found.partition->last_stable_offset();
    data.log_start_offset = log.start_offset();
    const auto room = static_cast<std::size_t>(std::max(fetch.max_bytes, 0));
    const std::size_t limit = std::min(static_cast<std::size_t>(std::max(target.max_bytes, 0)),
                                       room - std::min(room, outcome.bytes));
    if (const auto replica = preferred_replica(fetch, *found.partition)) {
      data.preferred_read_replica = *replica;
      outcome.urgent = true;
    } else if (tell_divergence(*found.partition, target, data)) {
      outcome.urgent = true;
    } else {
      read =
          log.read(target.offset, visible_end(fetch, *found.partition), limit, outcome.bytes == 0);
      if (fetch.read_committed)
        tell_aborted(*found.partition, target.offset, read.end_offset, data);
    }
  } else {
    outcome.urgent = true;
    if (found.partition != nullptr) hint_leader(fetch, outcome.response, *found.partition, data);
  }
  if (fetch.opened.session && !fetch.opened.full) {
    const FetchSession::Entry* const entry = fetch.opened.session->find(target);
    if (entry != nullptr && !is_news(*entry, data, read.bytes)) return;
  }
  outcome.bytes += read.bytes;
  set_records(data, read.bytes);
  if (read.bytes > 0) {
    outcome.runs.push_back(std::move(read.runs));
    outcome.served.push_back(target);
  }
  add_to(outcome.response, target, std::move(data));
}

Outcome evaluate(PendingFetch& fetch) {
  Outcome outcome;
  outcome.response.session_id = fetch.opened.session ? fetch.opened.session->id : 0;
  std::vector<std::pair<const FetchTarget*, Found>> missing;
  for (const FetchTarget& target : fetch.opened.targets) {
    const Found found = find(fetch, target);
    if (found.partition == nullptr) {
      missing.emplace_back(&target, found);
    } else {
      read_partition(fetch, target, found, outcome);
    }
  }
  // Told last, wherever the client named them.
  for (const auto& [target, found] : missing) read_partition(fetch, *target, found, outcome);
  return outcome;
}

// The cheap form of evaluate(): would it be answered now?
bool is_ready(PendingFetch& fetch) {
  std::size_t bytes = 0;
  const auto enough = static_cast<std::size_t>(std::max(fetch.min_bytes, 0));
  for (const FetchTarget& target : fetch.opened.targets) {
    const Found found = find(fetch, target);
    if (found.error != KafkaError::kNone) return true;
    const std::size_t available =
        found.partition->log.available(target.offset, visible_end(fetch, *found.partition), enough);
    bytes += std::min(available, static_cast<std::size_t>(std::max(target.max_bytes, 1)));
    if (bytes >= enough) return true;
  }
  return false;
}

// Notes in the session what the client now knows.
void remember(FetchSession& session, const Outcome& outcome) {
  for (const auto& topic : outcome.response.responses) {
    for (const PartitionData& data : topic.partitions) {
      FetchSession::Entry* const entry = session.find(
          {.topic = topic.topic, .topic_id = topic.topic_id, .partition = data.partition_index});
      if (entry == nullptr) continue;
      entry->send = data.error_code != 0;
      entry->high_watermark = data.high_watermark;
      entry->log_start_offset = data.log_start_offset;
    }
  }
  session.move_to_end(outcome.served);
}

Reply answer(PendingFetch& fetch, Outcome outcome) {
  if (fetch.opened.session) remember(*fetch.opened.session, outcome);
  return Reply(std::make_unique<FetchReply>(std::move(outcome.response), std::move(outcome.runs)));
}

Reply wait(const std::shared_ptr<PendingFetch>& fetch, std::int32_t max_wait_ms) {
  const double speed = fetch->ctx.cluster.spec().client_speed;
  const Millis patience(std::llround(std::ceil(max_wait_ms / speed)));
  std::vector<std::uint64_t> partitions;
  for (const FetchTarget& target : fetch->opened.targets) {
    if (const Found found = find(*fetch, target); found.partition != nullptr)
      partitions.push_back(found.partition->serial);
  }
  fetch->responder = fetch->ctx.defer();
  fetch->ctx.cluster.fetch_waiters().add(std::move(partitions), patience, [fetch](bool expired) {
    if (!fetch->responder.open()) return true;  // who asked has gone, and its name with it
    if (!expired && !is_ready(*fetch)) return false;
    fetch->responder.send(answer(*fetch, evaluate(*fetch)));
    return true;
  });
  return Reply::deferred();
}

Reply session_error(std::int16_t error) {
  FetchResponse response;
  response.error_code = error;
  return response;
}

bool reads_anything(PendingFetch& fetch) {
  return std::any_of(
      fetch.opened.targets.begin(), fetch.opened.targets.end(),
      [&](const FetchTarget& target) { return find(fetch, target).partition != nullptr; });
}

// No client sends another isolation level; a broker meets it as a fault of its own.
Reply unknown_level(const RequestContext& ctx, const FetchRequest& request) {
  FetchResponse response;
  response.error_code = code(KafkaError::kUnknownServerError);
  if (ctx.version() >= kTopicIdsFrom) return response;
  for (const auto& wanted : request.topics) {
    auto& topic = response.responses.emplace_back();
    topic.topic = wanted.topic;
    for (const auto& partition : wanted.partitions) {
      PartitionData& data = topic.partitions.emplace_back();
      data.partition_index = partition.partition;
      data.error_code = response.error_code;
      data.high_watermark = -1;
      data.records.emplace();
    }
  }
  return response;
}

std::shared_ptr<PendingFetch> begin(RequestContext& ctx, const FetchRequest& request) {
  const std::int64_t most =
      Throttler::most_bytes(ctx.cluster.client_quotas(), Throttler::kConsumer,
                            {ctx.broker, user_of(ctx.principal), ctx.client_id()});
  return std::make_shared<PendingFetch>(
      PendingFetch{ctx,
                   ctx.version(),
                   static_cast<std::int32_t>(std::min<std::int64_t>(request.min_bytes, most)),
                   static_cast<std::int32_t>(
                       std::min<std::int64_t>(std::min(request.max_bytes, kBrokerMaxBytes), most)),
                   request.isolation_level == kReadCommitted,
                   ctx.version() >= kRacksFrom ? request.rack_id : std::string(),
                   std::max(request.replica_id, request.replica_state.replica_id) >= kFirstReplica,
                   ctx.cluster.fetch_sessions(ctx.broker)
                       .open(session_request(request, ctx.version()), ctx.now()),
                   {}});
}

bool is_of_session(std::int16_t error) {
  return error == code(KafkaError::kFetchSessionIdNotFound) ||
         error == code(KafkaError::kInvalidFetchSessionEpoch) ||
         error == code(KafkaError::kFetchSessionTopicIdError);
}

}  // namespace

Reply fetch(RequestContext& ctx, const FetchRequest& request) {
  if (ctx.part_errors) {
    for (const PlacedError& each : *ctx.part_errors) {
      if (is_of_session(each.error)) return session_error(each.error);
    }
  }
  const std::shared_ptr<PendingFetch> pending = begin(ctx, request);
  if (pending->opened.error != KafkaError::kNone) return session_error(code(pending->opened.error));
  const bool known_level =
      request.isolation_level == 0 || request.isolation_level == kReadCommitted;
  if (!known_level && reads_anything(*pending)) return unknown_level(ctx, request);
  Outcome outcome = evaluate(*pending);
  const bool enough = static_cast<std::int64_t>(outcome.bytes) >= pending->min_bytes;
  if (request.max_wait_ms <= 0 || enough || outcome.urgent || pending->opened.targets.empty()) {
    return answer(*pending, std::move(outcome));
  }
  return wait(pending, request.max_wait_ms);
}

bool session_fetches(ClusterState& cluster, int broker, const FetchRequest& request,
                     const RuleMatch& match) {
  const FetchSession* const session =
      request.session_epoch > 0 ? cluster.fetch_sessions(broker).find(request.session_id) : nullptr;
  if (session == nullptr) return false;
  const Topic* const known = cluster.topics().find(*match.topic);
  return std::ranges::any_of(session->entries, [&](const FetchSession::Entry& entry) {
    if (match.partition && *match.partition != entry.target.partition) return false;
    return session->uses_topic_ids ? known != nullptr && entry.target.topic_id == known->id
                                   : entry.target.topic == *match.topic;
  });
}

Reply refuse_fetch(RequestContext& ctx, const FetchRequest& request, std::int16_t error) {
  if (is_of_session(error)) return session_error(error);
  const std::shared_ptr<PendingFetch> pending = begin(ctx, request);
  if (pending->opened.error != KafkaError::kNone) return session_error(code(pending->opened.error));
  Outcome outcome;
  outcome.response.session_id = pending->opened.session ? pending->opened.session->id : 0;
  for (const FetchTarget& target : pending->opened.targets) {
    PartitionData data;
    data.partition_index = target.partition;
    data.error_code = error;
    data.high_watermark = -1;
    if (!pending->read_committed) data.aborted_transactions = std::nullopt;
    add_to(outcome.response, target, std::move(data));
  }
  return answer(*pending, std::move(outcome));
}

}  // namespace ktrial::fakebroker
