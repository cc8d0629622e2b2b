// SPDX-License-Identifier: Apache-2.0
#include "clients/reference/group_offsets.h"

#include "protocol/messages/offset_commit_request.h"
#include "protocol/messages/offset_fetch_request.h"

#include <utility>

namespace ktrial::client {

using protocol::KafkaError;
using protocol::OffsetCommitRequest;
using protocol::OffsetCommitResponse;
using protocol::OffsetFetchRequest;
using protocol::OffsetFetchResponse;

namespace {

// The next versions name topics by id.
constexpr std::int16_t kNewestOffsetFetch = 9;
constexpr std::int16_t kNewestOffsetCommit = 9;
// The first that takes the epoch of a member of a KIP-848 group.
constexpr std::int16_t kEpochsFrom = 9;

const ClientError kNoCoordinator{"COORDINATOR_NOT_AVAILABLE", true, "no coordinator"};
const ClientError kClosed{"CLOSED", false, "the client is closed"};

bool worth_a_retry(const ClientError& error, bool by_epoch) {
  return error.retriable || (by_epoch && error.code == "STALE_MEMBER_EPOCH");
}

// Up to version 7 the one group's answer is the message itself.
std::int16_t top_error(const OffsetFetchResponse& response) {
  return response.groups.empty() ? response.error_code : response.groups.front().error_code;
}

template <class Topics>
std::int16_t read_offsets(const Topics& topics, Positions& committed) {
  for (const auto& topic : topics) {
    for (const auto& partition : topic.partitions) {
      if (partition.error_code != 0) return partition.error_code;
      if (partition.committed_offset < 0) continue;
      committed[{topic.name, partition.partition_index}] = partition.committed_offset;
    }
  }
  return 0;
}

std::int16_t first_error(const OffsetCommitResponse& response) {
  for (const auto& topic : response.topics) {
    for (const auto& partition : topic.partitions) {
      if (partition.error_code != 0) return partition.error_code;
    }
  }
  return 0;
}

OffsetFetchRequest fetch_request(const Config& config, const MemberIdentity& who,
                                 const std::vector<TopicPartition>& partitions) {
  OffsetFetchRequest request;
  request.group_id = config.group_id;
  request.require_stable = true;
  request.topics.emplace();
  auto& group = request.groups.emplace_back();
  group.group_id = config.group_id;
  group.topics.emplace();
  if (who.by_epoch) {
    group.member_id = who.member_id;
    group.member_epoch = who.epoch;
  }
  for (const TopicPartition& at : partitions) {
    auto& old_form = *request.topics;
    if (old_form.empty() || old_form.back().name != at.topic) {
      old_form.emplace_back().name = at.topic;
      group.topics->emplace_back().name = at.topic;
    }
    old_form.back().partition_indexes.push_back(at.partition);
    group.topics->back().partition_indexes.push_back(at.partition);
  }
  return request;
}

OffsetCommitRequest commit_request(const Config& config, const MemberIdentity& who,
                                   const Positions& positions) {
  OffsetCommitRequest request;
  request.group_id = config.group_id;
  request.generation_id_or_member_epoch = who.epoch;
  request.member_id = who.member_id;
  request.group_instance_id = config.group_instance_id;
  for (const auto& [at, offset] : positions) {
    if (request.topics.empty() || request.topics.back().name != at.topic) {
      request.topics.emplace_back().name = at.topic;
    }
    auto& partition = request.topics.back().partitions.emplace_back();
    partition.partition_index = at.partition;
    partition.committed_offset = offset;
  }
  return request;
}

}  // namespace

struct GroupOffsets::FetchCall {
  std::vector<TopicPartition> partitions;
  TimePoint until;
  Fetched done;
  unsigned failures = 0;
  TimerService::Id timer = 0;

  void finish(TimerService& timers, const tl::expected<Positions, ClientError>& result) {
    timers.cancel(timer);
    if (done) std::exchange(done, {})(result);
  }
  void fail(TimerService& timers, const ClientError& error) {
    finish(timers, tl::unexpected<ClientError>(error));
  }
};

struct GroupOffsets::CommitCall {
  Positions positions;
  TimePoint until;
  Committed done;
  unsigned failures = 0;
  TimerService::Id timer = 0;

  void finish(TimerService& timers, std::optional<ClientError> result) {
    timers.cancel(timer);
    if (done) std::exchange(done, {})(std::move(result));
  }
  void fail(TimerService& timers, const ClientError& error) { finish(timers, error); }
};

GroupOffsets::GroupOffsets(Env& env, Network& network, Coordinator& coordinator,
                           std::function<MemberIdentity()> who)
    : env_(env), network_(network), coordinator_(coordinator), who_(std::move(who)) {}

template <class Call>
void GroupOffsets::watch(const std::shared_ptr<Call>& call) {
  if (call->until <= env_.clock.now()) return;
  call->timer = env_.timers.after(call->until - env_.clock.now(), [this, call] {
    call->fail(env_.timers, {"TIMED_OUT", true, "the coordinator did not answer in time"});
  });
}

template <class Call, class Attempt>
void GroupOffsets::again_or_fail(const std::shared_ptr<Call>& call, const ClientError& error,
                                 Attempt attempt) {
  const ExponentialBackoff backoff{env_.config.retry_backoff, env_.config.retry_backoff_max};
  const Nanos pause = backoff.pause(++call->failures, env_.rng);
  const bool again = worth_a_retry(error, who_().by_epoch);
  if (!again || env_.clock.now() + pause >= call->until) return call->fail(env_.timers, error);
  env_.timers.after(pause, [this, call, attempt] {
    if (stopped_) return call->fail(env_.timers, kClosed);
    if (call->done) attempt(call);
  });
}

void GroupOffsets::fetch(const std::vector<TopicPartition>& partitions, TimePoint until,
                         Fetched done) {
  if (partitions.empty()) return done(Positions());
  const auto call = std::make_shared<FetchCall>(FetchCall{partitions, until, std::move(done)});
  watch(call);
  try_fetch(call);
}

void GroupOffsets::try_fetch(const std::shared_ptr<FetchCall>& call) {
  const auto again = [this](const std::shared_ptr<FetchCall>& it) { try_fetch(it); };
  if (!coordinator_.node()) return again_or_fail(call, kNoCoordinator, again);
  const MemberIdentity who = who_();
  Request request = make_request<OffsetFetchRequest, OffsetFetchResponse>(
      fetch_request(env_.config, who, call->partitions), kNewestOffsetFetch,
      env_.config.request_timeout,
      [this, call, again](const Result<OffsetFetchResponse>& response) {
        if (stopped_) return call->fail(env_.timers, kClosed);
        if (!response) return again_or_fail(call, client_error(response.error()), again);
        Positions committed;
        std::int16_t error = top_error(*response);
        if (error == 0) error = read_offsets(response->topics, committed);
        if (error == 0 && !response->groups.empty()) {
          error = read_offsets(response->groups.front().topics, committed);
        }
        coordinator_.lost_by(error);
        if (error != 0) return again_or_fail(call, client_error(error), again);
        call->finish(env_.timers, committed);
      });
  if (who.by_epoch) request.min_version = kEpochsFrom;
  network_.send(*coordinator_.node(), std::move(request));
}

void GroupOffsets::commit(Positions positions, TimePoint until, Committed done) {
  if (positions.empty()) return done(std::nullopt);
  const auto call =
      std::make_shared<CommitCall>(CommitCall{std::move(positions), until, std::move(done)});
  watch(call);
  try_commit(call);
}

void GroupOffsets::try_commit(const std::shared_ptr<CommitCall>& call) {
  const auto again = [this](const std::shared_ptr<CommitCall>& it) { try_commit(it); };
  if (!coordinator_.node()) return again_or_fail(call, kNoCoordinator, again);
  const MemberIdentity who = who_();
  Request request = make_request<OffsetCommitRequest, OffsetCommitResponse>(
      commit_request(env_.config, who, call->positions), kNewestOffsetCommit,
      env_.config.request_timeout,
      [this, call, again](const Result<OffsetCommitResponse>& response) {
        if (stopped_) return call->fail(env_.timers, kClosed);
        if (!response) return again_or_fail(call, client_error(response.error()), again);
        const std::int16_t error = first_error(*response);
        coordinator_.lost_by(error);
        if (error != 0) return again_or_fail(call, client_error(error), again);
        call->finish(env_.timers, std::nullopt);
      });
  if (who.by_epoch && who.epoch >= 0) request.min_version = kEpochsFrom;
  network_.send(*coordinator_.node(), std::move(request));
}

}  // namespace ktrial::client
