// SPDX-License-Identifier: Apache-2.0
// ConsumerCore: where to read from.
#include "clients/reference/consumer_core.h"

#include <memory>
#include <utility>

namespace ktrial::client {

namespace {

std::string text_of(const TopicPartition& at) {
  return at.topic + "-" + std::to_string(at.partition);
}

}  // namespace

void ConsumerCore::seek(const TopicPartition& at, std::int64_t offset) {
  const auto found = assigned_.find(at);
  if (found == assigned_.end()) return;
  found->second.move_to(offset);
  progress();
}

void ConsumerCore::seek_to(const Partitions& partitions, std::int64_t timestamp) {
  for (auto& [at, partition] : assigned_) {
    if (partitions.empty() || partitions.contains(at)) partition.look_up(timestamp);
  }
  progress();
}

void ConsumerCore::set_paused(const Partitions& partitions, bool paused) {
  for (const TopicPartition& at : partitions) {
    const auto found = assigned_.find(at);
    if (found != assigned_.end()) found->second.paused = paused;
  }
  progress();
}

ConsumerCore::Partitions ConsumerCore::assignment() const {
  Partitions all;
  for (const auto& [at, partition] : assigned_) all.insert(at);
  return all;
}

ConsumerCore::Partitions ConsumerCore::paused() const {
  Partitions some;
  for (const auto& [at, partition] : assigned_) {
    if (partition.paused) some.insert(at);
  }
  return some;
}

void ConsumerCore::position(const TopicPartition& at, Nanos timeout, Offset done) {
  if (!assigned_.contains(at)) {
    return done(
        tl::unexpected<ClientError>({"INVALID_STATE", false, text_of(at) + " is not assigned"}));
  }
  begin();
  const std::uint64_t id = ++last_call_;
  PositionCall& call = position_calls_[id];
  call.at = at;
  call.done = std::move(done);
  call.timer = env_.timers.after(timeout, [this, id] {
    auto overdue = position_calls_.extract(id);
    if (overdue.empty()) return;
    overdue.mapped().done(tl::unexpected<ClientError>({"TIMED_OUT", true, "no position yet"}));
  });
  progress();
}

void ConsumerCore::answer_position_calls() {
  std::vector<std::pair<PositionCall, tl::expected<std::int64_t, ClientError>>> answers;
  for (auto it = position_calls_.begin(); it != position_calls_.end();) {
    const auto found = assigned_.find(it->second.at);
    const bool gone = found == assigned_.end();
    if (!gone && !found->second.consumed && !found->second.error) {
      ++it;
      continue;
    }
    tl::expected<std::int64_t, ClientError> answer =
        tl::unexpected<ClientError>({"INVALID_STATE", false, "no longer assigned"});
    if (!gone && found->second.error) answer = tl::unexpected<ClientError>(*found->second.error);
    if (!gone && found->second.consumed) answer = *found->second.consumed;
    env_.timers.cancel(it->second.timer);
    answers.emplace_back(std::move(it->second), std::move(answer));
    it = position_calls_.erase(it);
  }
  for (auto& [call, answer] : answers) call.done(std::move(answer));
}

void ConsumerCore::look_up_positions() {
  std::vector<TopicPartition> from_group;
  OffsetLookup::Timestamps from_leaders;
  const auto ask_leader = [&](const TopicPartition& at, std::int64_t timestamp) {
    if (!metadata_.leader(at.topic, at.partition)) return metadata_.request_update();
    from_leaders[at] = timestamp;
  };
  for (auto& [at, partition] : assigned_) {
    if (partition.placed() || partition.looking_up || partition.error || !due(partition)) continue;
    if (partition.wants_committed && !partition.reset_to) {
      from_group.push_back(at);
    } else if (partition.reset_to) {
      ask_leader(at, *partition.reset_to);
    } else if (env_.config.offset_reset == OffsetReset::kNone) {
      partition.error = ClientError{"NO_OFFSET_FOR_PARTITION", false,
                                    text_of(at) + " has no position and auto.offset.reset=none"};
    } else {
      ask_leader(at, env_.config.offset_reset == OffsetReset::kEarliest ? kEarliestTimestamp
                                                                        : kLatestTimestamp);
    }
  }
  for (const TopicPartition& at : from_group) assigned_.at(at).looking_up = true;
  for (const auto& [at, timestamp] : from_leaders) assigned_.at(at).looking_up = true;
  if (!from_group.empty()) look_up_committed(from_group);
  if (!from_leaders.empty()) look_up_offsets(from_leaders);
}

void ConsumerCore::look_up_committed(const std::vector<TopicPartition>& partitions) {
  Asked asked;
  for (const TopicPartition& at : partitions) asked[at] = assigned_.at(at).seeks;
  group_->offsets().fetch(partitions, env_.clock.now(),
                          [this, asked](const tl::expected<Positions, ClientError>& found) {
                            if (closing_) return;
                            if (!found && !found.error().retriable &&
                                found.error().code != "STALE_MEMBER_EPOCH" &&
                                found.error().code != "UNKNOWN_MEMBER_ID") {
                              note(found.error());
                            }
                            for (const auto& [at, seeks] : asked) {
                              const auto it = assigned_.find(at);
                              if (it == assigned_.end() || it->second.seeks != seeks) continue;
                              AssignedPartition& partition = it->second;
                              partition.looking_up = false;
                              if (!found) {
                                put_off(partition);
                                continue;
                              }
                              const auto committed = found->find(at);
                              partition.wants_committed = false;
                              if (committed != found->end()) partition.move_to(committed->second);
                            }
                            progress();
                          });
}

void ConsumerCore::look_up_offsets(const OffsetLookup::Timestamps& wanted) {
  Asked asked;
  for (const auto& [at, timestamp] : wanted) asked[at] = assigned_.at(at).seeks;
  lookup_.find(wanted, [this, asked](const OffsetLookup::Found& found) {
    if (closing_) return;
    for (const auto& [at, seeks] : asked) {
      const auto it = assigned_.find(at);
      if (it == assigned_.end() || it->second.seeks != seeks) continue;
      it->second.looking_up = false;
      const auto& offset = found.at(at);
      if (offset) {
        it->second.found_at(*offset);
        continue;
      }
      if (!offset.error().retriable) note(offset.error());
      put_off(it->second);
    }
    progress();
  });
}

void ConsumerCore::offsets_at(const Partitions& partitions, std::int64_t timestamp, Nanos timeout,
                              Offsets done) {
  std::set<std::string> topics = topics_;
  OffsetLookup::Timestamps wanted;
  for (const TopicPartition& at : partitions) {
    topics.insert(at.topic);
    wanted[at] = timestamp;
  }
  begin();
  metadata_.use_topics(topics);
  retry_offsets(wanted, env_.clock.now() + timeout, std::move(done));
}

void ConsumerCore::retry_offsets(const OffsetLookup::Timestamps& wanted, TimePoint until,
                                 Offsets done) {
  lookup_.find(wanted, [this, wanted, until, done](const OffsetLookup::Found& found) {
    Positions offsets;
    std::optional<ClientError> error;
    for (const auto& [at, offset] : found) {
      if (offset) {
        offsets[at] = *offset;
      } else if (!error || error->retriable) {
        error = offset.error();
      }
    }
    if (!error) return done(std::move(offsets));
    const Nanos pause = env_.config.retry_backoff;
    if (closing_ || !error->retriable || env_.clock.now() + pause > until) {
      return done(tl::unexpected<ClientError>(*error));
    }
    env_.timers.after(pause, [this, wanted, until, done] { retry_offsets(wanted, until, done); });
  });
}

}  // namespace ktrial::client
