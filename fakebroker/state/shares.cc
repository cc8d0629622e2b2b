// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/state/shares.h"

#include "fakebroker/state/fetch_waiters.h"
#include "fakebroker/state/groups.h"

namespace ktrial::fakebroker {

Shares::Found Shares::find(const std::string& group, const ShareTarget& target) {
  Found found;
  const Topic* const topic = topics_.find(target.topic_id);
  if (topic != nullptr) found.partition = topic->partition(target.partition);
  if (Group* const known = groups_.find(group)) found.group = known->share.get();
  if (found.partition != nullptr && found.group != nullptr) {
    found.shared =
        found.group->partition(target.topic_id, target.partition, found.partition->leader_epoch);
  }
  return found;
}

void Shares::changed(const ShareTarget& target) {
  const Topic* const topic = topics_.find(target.topic_id);
  const Partition* const partition =
      topic == nullptr ? nullptr : topic->partition(target.partition);
  if (partition != nullptr) waiters_.touch(partition->serial);
}

void Shares::close_session(int broker, const std::string& group, const std::string& member) {
  if (const auto session = sessions(broker).close(group, member)) release(*session);
}

void Shares::connection_closed(std::uint64_t connection) {
  for (auto& [broker, sessions] : sessions_) {
    for (const auto& session : sessions.drop_connection(connection)) release(*session);
  }
}

void Shares::release(const ShareSession& session) {
  for (const auto& [target, entry] : session.entries) {
    const Found found = find(session.group, target);
    if (found.shared == nullptr || !found.shared->is_open()) continue;
    found.shared->release(session.member, found.group->settings());
    waiters_.touch(found.partition->serial);
  }
}

void Shares::forget_lost_topics() {
  for (const auto& [id, group] : groups_.all()) {
    if (!group.share) continue;
    for (const auto& [topic, partitions] : group.share->initialized()) {
      if (topics_.find(topic) == nullptr) group.share->forget(topic);
    }
  }
}

}  // namespace ktrial::fakebroker
