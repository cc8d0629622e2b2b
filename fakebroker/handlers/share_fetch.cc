// SPDX-License-Identifier: Apache-2.0
// ShareFetch (78), v1-2 (KIP-932): acquires records for a member of a share group, and takes its
// acknowledgements along. A long poll as Fetch is; v2 has renewals (KIP-1222) and the acquire mode
// that never gives more than was asked for (KIP-1206).
#include "fakebroker/handlers/authorization.h"
#include "fakebroker/handlers/fetch_reply.h"
#include "fakebroker/handlers/handlers.h"
#include "fakebroker/handlers/leadership.h"
#include "fakebroker/handlers/refusals.h"
#include "fakebroker/handlers/share_acknowledgements.h"
#include "fakebroker/handlers/share_read.h"
#include "fakebroker/state/groups.h"
#include "fakebroker/state/shares.h"
#include "fakebroker/state/throttler.h"
#include "protocol/messages/share_fetch_request.h"

#include <algorithm>
#include <cmath>
#include <memory>

namespace ktrial::fakebroker {
namespace {

using protocol::KafkaError;
using protocol::ShareFetchRequest;
using protocol::ShareFetchResponse;
using protocol::share_fetch_response::PartitionData;

constexpr std::int16_t kRenewFrom = 2;
constexpr std::int32_t kBrokerMaxBytes = 55 << 20;  // fetch.max.bytes of the broker
constexpr std::int8_t kRecordLimit = 1;             // ShareAcquireMode

ShareFetchResponse failed(KafkaError error) {
  ShareFetchResponse response;
  response.error_code = code(error);
  return response;
}

ShareSessions::Request session_request(RequestContext& ctx, const ShareFetchRequest& request) {
  ShareSessions::Request result{.group = *request.group_id,
                                .member = *request.member_id,
                                .epoch = request.share_session_epoch,
                                .connection = ctx.connection};
  for (const auto& topic : request.topics) {
    const bool known = ctx.cluster.topics().find(topic.topic_id) != nullptr;
    for (const auto& partition : topic.partitions) {
      result.targets[{topic.topic_id, partition.partition_index}] = {.known = known};
      result.acknowledges |= !partition.acknowledgement_batches.empty();
    }
  }
  for (const auto& topic : request.forgotten_topics_data) {
    for (const std::int32_t partition : topic.partitions)
      result.forgotten.push_back({topic.topic_id, partition});
  }
  return result;
}

// One share fetch, from its arrival to its answer.
struct PendingShareFetch {
  RequestContext ctx;  // header is not to be used once the handler has returned
  std::string group = {};
  std::string member = {};
  std::int32_t epoch = 0;
  std::int64_t min_bytes = 0;
  std::int64_t max_bytes = 0;
  std::int32_t max_records = 0;
  std::int32_t batch_size = 0;
  bool record_limit = false;
  ShareSettings settings = {};
  ShareSessions::Opened opened = {};
  AcknowledgeResults acknowledged = {};
  std::vector<ShareTarget> targets = {};          // that can be fetched
  std::map<ShareTarget, KafkaError> faults = {};  // of those that cannot
  Responder responder = {};
};

KafkaError ruled(const RequestContext& ctx, const ShareTarget& target) {
  const Topic* const topic = ctx.cluster.topics().find(target.topic_id);
  return topic == nullptr ? KafkaError::kNone : ctx.part_error(topic->name, target.partition);
}

KafkaError fault_of(PendingShareFetch& fetch, const ShareTarget& target, bool known) {
  if (const KafkaError error = ruled(fetch.ctx, target); error != KafkaError::kNone) return error;
  if (!known) return KafkaError::kUnknownTopicId;
  if (const Topic* const topic = fetch.ctx.cluster.topics().find(target.topic_id);
      topic != nullptr && !may_topic(fetch.ctx, AclOperation::kRead, topic->name))
    return KafkaError::kTopicAuthorizationFailed;
  const Shares::Found found = fetch.ctx.cluster.shares().find(fetch.group, target);
  if (found.partition == nullptr) return KafkaError::kUnknownTopicOrPartition;
  if (found.partition->leader != fetch.ctx.broker) return KafkaError::kNotLeaderOrFollower;
  if (found.shared == nullptr) return KafkaError::kUnknownServerError;  // not initialized
  if (found.shared->is_open()) return KafkaError::kNone;
  const ShareStart start =
      share_start(*found.partition, fetch.settings, fetch.ctx.cluster.clock().wall_ms());
  if (start.error == KafkaError::kNone) found.shared->open(start.offset);
  return start.error;
}

// Sorts what the session names into what can be fetched and what cannot. Each request begins with
// another partition.
void sort_targets(PendingShareFetch& fetch) {
  if (!fetch.opened.session) return;
  for (const auto& [target, entry] : fetch.opened.session->entries) {
    const KafkaError fault = fault_of(fetch, target, entry.known);
    if (fault == KafkaError::kNone) {
      fetch.targets.push_back(target);
    } else {
      fetch.faults[target] = fault;
    }
  }
  if (fetch.targets.empty() || fetch.epoch < 1) return;
  const auto first =
      static_cast<std::ptrdiff_t>(static_cast<std::size_t>(fetch.epoch) % fetch.targets.size());
  std::rotate(fetch.targets.begin(), fetch.targets.begin() + first, fetch.targets.end());
}

struct Acquirable {
  ShareTarget target;
  Shares::Found found;
};

// Also notes what can be fetched no more, while it waited.
std::vector<Acquirable> acquirable(PendingShareFetch& fetch) {
  std::vector<Acquirable> all;
  for (const ShareTarget& target : fetch.targets) {
    const KafkaError fault = fault_of(fetch, target, true);
    if (fault != KafkaError::kNone) {
      fetch.faults[target] = fault;
      continue;
    }
    const Shares::Found found = fetch.ctx.cluster.shares().find(fetch.group, target);
    if (found.shared->can_acquire(fetch.settings)) all.push_back({target, found});
  }
  return all;
}

bool is_ready(PendingShareFetch& fetch) {
  const std::size_t faults_before = fetch.faults.size();
  const std::vector<Acquirable> all = acquirable(fetch);
  if (fetch.faults.size() > faults_before) return true;
  if (all.empty()) return false;
  const std::int64_t share = fetch.max_bytes / static_cast<std::int64_t>(all.size());
  std::int64_t bytes = 0;
  for (const Acquirable& one : all) {
    const Partition& partition = *one.found.partition;
    const std::int64_t offset = one.found.shared->next_fetch_offset();
    if (offset < partition.log.start_offset()) return true;
    const std::int64_t end = fetch.settings.read_committed ? partition.last_stable_offset()
                                                           : partition.log.high_watermark();
    const auto enough = static_cast<std::size_t>(std::max<std::int64_t>(fetch.min_bytes, 0));
    bytes +=
        std::min(static_cast<std::int64_t>(partition.log.available(offset, end, enough)), share);
  }
  return bytes >= fetch.min_bytes;
}

PartitionData& add_to(ShareFetchResponse& response, const ShareTarget& target) {
  if (response.responses.empty() || response.responses.back().topic_id != target.topic_id)
    response.responses.emplace_back().topic_id = target.topic_id;
  PartitionData& data = response.responses.back().partitions.emplace_back();
  data.partition_index = target.partition;
  return data;
}

struct Got {
  std::vector<AcquiredRange> acquired = {};
  std::vector<Slice> runs = {};
  KafkaError error = KafkaError::kNone;
};
using Gotten = std::map<ShareTarget, Got>;

void acquire_from(PendingShareFetch& fetch, const Acquirable& from, std::int64_t max_bytes,
                  std::int64_t records_before, bool at_least_one, Got& got) {
  SharePartition& shared = *from.found.shared;
  const Partition& partition = *from.found.partition;
  const std::int64_t offset = shared.next_fetch_offset();
  if (offset < partition.log.start_offset())
    return shared.log_start_moved(partition.log.start_offset());
  const ShareRead read =
      read_shared(partition, offset, static_cast<std::size_t>(std::max<std::int64_t>(max_bytes, 0)),
                  at_least_one, fetch.settings.read_committed);
  const auto left =
      static_cast<std::int32_t>(std::max<std::int64_t>(fetch.max_records - records_before, 0));
  got.acquired = shared.acquire({.member = fetch.member,
                                 .fetch_offset = offset,
                                 .max_records = left,
                                 .batch_size = fetch.batch_size,
                                 .record_limit = fetch.record_limit},
                                read.batches, fetch.settings, fetch.ctx.now());
  got.runs = read.runs_of(got.acquired);
  from.found.group->watch_locks(from.target.topic_id, from.target.partition);
}

Gotten acquire(PendingShareFetch& fetch) {
  Gotten gotten;
  if (fetch.max_records > 0 && fetch.max_bytes > 0) {
    const std::vector<Acquirable> all = acquirable(fetch);
    std::int64_t records = 0;
    bool any = false;
    for (const Acquirable& one : all) {
      Got& got = gotten[one.target];
      acquire_from(fetch, one, fetch.max_bytes / static_cast<std::int64_t>(all.size()), records,
                   !any, got);
      any = any || !got.runs.empty();
      for (const AcquiredRange& range : got.acquired) records += range.last - range.first + 1;
    }
  }
  for (const auto& [target, fault] : fetch.faults) gotten[target].error = fault;
  return gotten;
}

void fill(PendingShareFetch& fetch, ShareFetchResponse& response, const ShareTarget& target,
          const Got& got, PartitionData& data) {
  data.error_code = code(got.error);
  std::size_t bytes = 0;
  for (const Slice& run : got.runs) bytes += run.size();
  set_records(data, bytes);
  for (const AcquiredRange& range : got.acquired) {
    auto& entry = data.acquired_records.emplace_back();
    entry.first_offset = range.first;
    entry.last_offset = range.last;
    entry.delivery_count = range.delivery_count;
  }
  if (got.error != KafkaError::kNotLeaderOrFollower) return;
  const Shares::Found found = fetch.ctx.cluster.shares().find(fetch.group, target);
  if (found.partition == nullptr) return;
  data.current_leader.leader_id = found.partition->leader;
  data.current_leader.leader_epoch = found.partition->leader_epoch;
  add_endpoint(fetch.ctx, response.node_endpoints, found.partition->leader);
}

// An answer within a session leaves out what has nothing new.
bool is_news(PendingShareFetch& fetch, const ShareTarget& target, const Got& got) {
  if (!fetch.opened.session) return true;
  const auto entry = fetch.opened.session->entries.find(target);
  if (entry == fetch.opened.session->entries.end()) return true;
  const bool failed = got.error != KafkaError::kNone;
  const bool news = fetch.opened.full || failed || entry->second.send || !got.runs.empty();
  entry->second.send = failed && !fetch.opened.full;
  return news;
}

Reply answer(PendingShareFetch& fetch, Gotten gotten) {
  ShareFetchResponse response;
  response.acquisition_lock_timeout_ms =
      static_cast<std::int32_t>(fetch.settings.record_lock.count());
  std::vector<std::vector<Slice>> runs;
  std::erase_if(gotten, [&](const auto& one) { return !is_news(fetch, one.first, one.second); });
  for (const auto& [target, fault] : fetch.acknowledged) gotten.try_emplace(target);
  for (auto& [target, got] : gotten) {
    PartitionData& data = add_to(response, target);
    fill(fetch, response, target, got, data);
    if (!got.runs.empty()) runs.push_back(std::move(got.runs));
    const auto acknowledged = fetch.acknowledged.find(target);
    if (acknowledged == fetch.acknowledged.end()) continue;
    data.acknowledge_error_code = code(acknowledged->second.error);
    if (!acknowledged->second.message.empty())
      data.acknowledge_error_message = acknowledged->second.message;
  }
  return Reply(std::make_unique<ShareFetchReply>(std::move(response), std::move(runs)));
}

Reply wait(const std::shared_ptr<PendingShareFetch>& fetch, std::int32_t max_wait_ms) {
  const double speed = fetch->ctx.cluster.spec().client_speed;
  std::vector<std::uint64_t> serials;
  for (const ShareTarget& target : fetch->targets) {
    const Shares::Found found = fetch->ctx.cluster.shares().find(fetch->group, target);
    serials.push_back(found.partition->serial);
  }
  fetch->responder = fetch->ctx.defer();
  fetch->ctx.cluster.fetch_waiters().add(std::move(serials),
                                         Millis(std::llround(std::ceil(max_wait_ms / speed))),
                                         [fetch](bool expired) {
                                           // Nobody would ever acknowledge what a connection that
                                           // is gone acquired.
                                           if (!fetch->responder.open()) return true;
                                           if (!expired && !is_ready(*fetch)) return false;
                                           fetch->responder.send(answer(*fetch, acquire(*fetch)));
                                           return true;
                                         });
  return Reply::deferred();
}

// So that a client that is one too many does not ask again at once.
Reply refuse_later(RequestContext& ctx, KafkaError error, std::int32_t max_wait_ms) {
  auto responder = std::make_shared<Responder>(ctx.defer());
  ctx.cluster.timers().after(Millis(std::max(max_wait_ms, 0)),
                             [responder, error] { responder->send(failed(error)); });
  return Reply::deferred();
}

bool renews_only(const ShareFetchRequest& request) {
  return request.max_bytes == 0 && request.min_bytes == 0 && request.max_records == 0 &&
         request.max_wait_ms == 0;
}

std::shared_ptr<PendingShareFetch> begin(RequestContext& ctx, const ShareFetchRequest& request) {
  auto fetch = std::make_shared<PendingShareFetch>(PendingShareFetch{.ctx = ctx});
  fetch->group = *request.group_id;
  fetch->member = *request.member_id;
  fetch->epoch = request.share_session_epoch;
  fetch->max_bytes = std::min<std::int64_t>(
      std::min(request.max_bytes, kBrokerMaxBytes),
      Throttler::most_bytes(ctx.cluster.client_quotas(), Throttler::kConsumer,
                            {ctx.broker, user_of(ctx.principal), ctx.client_id()}));
  fetch->min_bytes = std::min<std::int64_t>(request.min_bytes, fetch->max_bytes);
  fetch->max_records = request.max_records;
  fetch->batch_size = request.batch_size;
  fetch->record_limit = request.share_acquire_mode == kRecordLimit;
  fetch->settings = ctx.cluster.share_settings(fetch->group);
  return fetch;
}

}  // namespace

Reply share_fetch(RequestContext& ctx, const ShareFetchRequest& request) {
  if (!is_share_identity(request.group_id, request.member_id))
    return failed(KafkaError::kInvalidRequest);
  if (!may_group(ctx, AclOperation::kRead, *request.group_id))
    return failed(KafkaError::kGroupAuthorizationFailed);
  if (request.is_renew_ack && !renews_only(request)) return failed(KafkaError::kInvalidRequest);
  Shares& shares = ctx.cluster.shares();
  const std::shared_ptr<PendingShareFetch> fetch = begin(ctx, request);
  ShareSessions::Request session = session_request(ctx, request);
  const bool acknowledges = session.acknowledges;
  fetch->opened = shares.sessions(ctx.broker).open(std::move(session));
  if (fetch->opened.error == KafkaError::kShareSessionLimitReached)
    return refuse_later(ctx, fetch->opened.error, request.max_wait_ms);
  if (fetch->opened.error != KafkaError::kNone) return failed(fetch->opened.error);
  if (acknowledges) {
    const Acknowledger who{fetch->group, fetch->member, ctx.version() >= kRenewFrom,
                           request.is_renew_ack};
    fetch->acknowledged = acknowledge(ctx, who, acknowledgements_of(request));
  }
  if (request.is_renew_ack) return answer(*fetch, {});
  sort_targets(*fetch);
  const bool at_once = fetch->targets.empty() || fetch->max_records <= 0 || fetch->max_bytes <= 0 ||
                       request.max_wait_ms <= 0 || is_ready(*fetch);
  if (!at_once) return wait(fetch, request.max_wait_ms);
  Reply reply = answer(*fetch, acquire(*fetch));
  if (request.share_session_epoch == ShareSessions::kClose)
    shares.close_session(ctx.broker, fetch->group, fetch->member);
  return reply;
}

Reply refuse_share_fetch(RequestContext& ctx, const ShareFetchRequest& request,
                         std::int16_t error) {
  const auto what = static_cast<KafkaError>(error);
  if (what == KafkaError::kShareSessionNotFound || what == KafkaError::kInvalidShareSessionEpoch ||
      what == KafkaError::kShareSessionLimitReached ||
      !is_share_identity(request.group_id, request.member_id))
    return failed(what);
  const std::shared_ptr<PendingShareFetch> fetch = begin(ctx, request);
  fetch->opened = ctx.cluster.shares().sessions(ctx.broker).open(session_request(ctx, request));
  if (fetch->opened.error != KafkaError::kNone) return failed(fetch->opened.error);
  Gotten gotten;
  if (fetch->opened.session) {
    for (const auto& [target, entry] : fetch->opened.session->entries) gotten[target].error = what;
  }
  return answer(*fetch, std::move(gotten));
}

}  // namespace ktrial::fakebroker
