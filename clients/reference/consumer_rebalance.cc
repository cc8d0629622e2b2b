// SPDX-License-Identifier: Apache-2.0
// ConsumerCore: what the group gives and takes, and what it is told of positions.
#include "clients/reference/consumer_core.h"

#include <algorithm>
#include <utility>

namespace ktrial::client {

void ConsumerCore::tell(RebalanceKind kind, const std::vector<TopicPartition>& partitions,
                        Done done) {
  if (!listener_) return done();
  listener_(kind, partitions, std::move(done));
}

// Works while the application waits in poll() or close(): then it is done with every record that it
// was given, and can be told.
void ConsumerCore::when_polled(Work work) {
  work_.push_back(std::move(work));
  run_work();
}

void ConsumerCore::run_work() {
  if (working_ || work_.empty() || (!poller_ && !closing_)) return;
  working_ = true;
  const Work work = std::move(work_.front());
  work_.pop_front();
  work([this] {
    working_ = false;
    run_work();
  });
}

// The application may seek when it hears of it; only then are committed offsets asked for.
void ConsumerCore::take_assignment(const std::vector<TopicPartition>& added, Done done) {
  when_polled([this, added, done = std::move(done)](const Done& next) {
    for (const TopicPartition& at : added) {
      AssignedPartition& partition = assigned_[at];
      partition = {.looking_up = true, .seeks = seeks_ += kManySeeks};
    }
    tell(RebalanceKind::kAssigned, added, [this, added, done, next] {
      for (const TopicPartition& at : added) {
        const auto found = assigned_.find(at);
        if (found == assigned_.end() || !found->second.looking_up) continue;
        found->second.looking_up = false;
        found->second.wants_committed = true;
      }
      next();
      done();
      progress();
    });
  });
}

void ConsumerCore::drop_assignment(const std::vector<TopicPartition>& gone, bool lost, Done done) {
  for (const TopicPartition& at : gone) {
    const auto found = assigned_.find(at);
    if (found != assigned_.end()) found->second.leaving = true;
  }
  when_polled([this, gone, lost, done = std::move(done)](const Done& next) {
    const auto drop = [this, gone, lost, done, next] {
      tell(lost ? RebalanceKind::kLost : RebalanceKind::kRevoked, gone, [this, gone, done, next] {
        for (const TopicPartition& at : gone) assigned_.erase(at);
        next();
        done();
        progress();
      });
    };
    if (lost || closing_ || !env_.config.auto_commit) return drop();
    group_->offsets().commit(positions(), env_.clock.now(), [drop](const auto&) { drop(); });
  });
}

void ConsumerCore::group_failed(const ClientError& error, bool for_good) {
  if (for_good) {
    fatal_ = error;
  } else {
    note(error);
  }
  progress();
}

Positions ConsumerCore::positions() const {
  Positions known;
  for (const auto& [at, partition] : assigned_) {
    if (partition.consumed) known[at] = *partition.consumed;
  }
  return known;
}

Positions ConsumerCore::processed() const {
  Positions known;
  for (const auto& [at, partition] : assigned_) {
    if (partition.processed && !partition.leaving) known[at] = *partition.processed;
  }
  return known;
}

void ConsumerCore::commit(std::optional<Positions> offsets, Nanos timeout, Committed done) {
  if (!group_) return done(ClientError{"INVALID_GROUP_ID", false, "no group.id"});
  if (closing_ && !on_closed_) return done(ClientError{"CLOSED", false, "the consumer is closed"});
  if (fatal_) return done(fatal_);
  begin();
  group_->offsets().commit(offsets ? std::move(*offsets) : positions(), env_.clock.now() + timeout,
                           std::move(done));
}

void ConsumerCore::committed(const Partitions& partitions, Nanos timeout, Offsets done) {
  if (!group_) return done(tl::unexpected<ClientError>({"INVALID_GROUP_ID", false, "no group.id"}));
  begin();
  group_->offsets().fetch({partitions.begin(), partitions.end()}, env_.clock.now() + timeout,
                          std::move(done));
}

void ConsumerCore::auto_commit_later() {
  commit_timer_ = env_.timers.after(env_.config.auto_commit_interval, [this] {
    auto_commit_later();
    group_->offsets().commit(processed(), env_.clock.now(), [](const auto&) {});
  });
}

// Commit, tell the application, leave, end the fetch sessions; close() comes at the latest when
// its time is up.
void ConsumerCore::leave_and_close() {
  const auto end = [this] { end_fetch_sessions([this] { close_sockets(); }); };
  if (!group_) return end();
  const auto leave = [this, end] { group_->leave(end); };
  const auto tell_application = [this, leave] {
    std::vector<TopicPartition> gone;
    for (const auto& [at, partition] : assigned_) {
      if (subscribed_ && !partition.leaving) gone.push_back(at);
    }
    gone.empty() ? leave() : tell(RebalanceKind::kRevoked, gone, leave);
  };
  const bool commits = env_.config.auto_commit && !env_.config.mutated(Mutant::kNoCommitOnClose);
  if (!commits || fatal_) return tell_application();
  if (env_.config.mutated(Mutant::kLeaveBeforeCommit)) {
    return group_->leave([this, end] {
      group_->offsets().commit(positions(), env_.clock.now(), [end](const auto&) { end(); });
    });
  }
  group_->offsets().commit(positions(), env_.clock.now(),
                           [tell_application](const auto&) { tell_application(); });
}

}  // namespace ktrial::client
