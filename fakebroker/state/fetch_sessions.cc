// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/state/fetch_sessions.h"

#include <algorithm>

namespace ktrial::fakebroker {

using protocol::KafkaError;

FetchSession::Entry* FetchSession::find(const FetchTarget& target) {
  const auto found = std::find_if(entries.begin(), entries.end(), [&](const Entry& entry) {
    return entry.target.same_partition(target);
  });
  return found == entries.end() ? nullptr : &*found;
}

void FetchSession::move_to_end(const std::vector<FetchTarget>& served) {
  if (served.empty() || entries.size() == 1) return;
  std::stable_partition(entries.begin(), entries.end(), [&](const Entry& entry) {
    return std::none_of(served.begin(), served.end(), [&](const FetchTarget& target) {
      return target.same_partition(entry.target);
    });
  });
}

FetchSessions::Opened FetchSessions::open(Request request, TimePoint now) {
  if (request.epoch == 0 || request.epoch == -1) {
    sessions_.erase(request.session_id);
    if (request.epoch == 0) return create(std::move(request), now);
    return {KafkaError::kNone, nullptr, true, std::move(request.targets)};
  }
  return resume(std::move(request), now);
}

FetchSessions::Opened FetchSessions::create(Request request, TimePoint now) {
  Opened opened{KafkaError::kNone, nullptr, true, std::move(request.targets)};
  if (!make_room(now)) return opened;
  auto session = std::make_shared<FetchSession>();
  last_id_ = last_id_ == INT32_MAX ? 1 : last_id_ + 1;
  session->id = last_id_;
  session->uses_topic_ids = request.uses_topic_ids;
  session->last_used = now;
  for (const FetchTarget& target : opened.targets) {
    if (session->find(target) == nullptr) session->entries.push_back({.target = target});
  }
  sessions_[session->id] = session;
  opened.session = std::move(session);
  return opened;
}

FetchSessions::Opened FetchSessions::resume(Request request, TimePoint now) {
  const auto found = sessions_.find(request.session_id);
  if (found == sessions_.end()) return {KafkaError::kFetchSessionIdNotFound, nullptr, true, {}};
  const std::shared_ptr<FetchSession> session = found->second;
  if (session->next_epoch != request.epoch)
    return {KafkaError::kInvalidFetchSessionEpoch, nullptr, true, {}};
  if (session->uses_topic_ids != request.uses_topic_ids)
    return {KafkaError::kFetchSessionTopicIdError, nullptr, true, {}};
  session->next_epoch = request.epoch == INT32_MAX ? 1 : request.epoch + 1;
  session->last_used = now;
  for (FetchTarget& target : request.targets) {
    if (FetchSession::Entry* const known = session->find(target)) {
      known->target = std::move(target);
    } else {
      session->entries.push_back({.target = std::move(target)});
    }
  }
  std::erase_if(session->entries, [&](const FetchSession::Entry& entry) {
    return std::any_of(request.forgotten.begin(), request.forgotten.end(),
                       [&](const FetchTarget& gone) { return gone.same_partition(entry.target); });
  });
  if (session->entries.empty()) {
    sessions_.erase(found);
    return {KafkaError::kNone, nullptr, true, {}};
  }
  Opened opened{KafkaError::kNone, session, false, {}};
  for (const FetchSession::Entry& entry : session->entries) opened.targets.push_back(entry.target);
  return opened;
}

bool FetchSessions::make_room(TimePoint now) {
  if (sessions_.size() < kSlots) return true;
  const auto oldest = std::min_element(
      sessions_.begin(), sessions_.end(),
      [](const auto& a, const auto& b) { return a.second->last_used < b.second->last_used; });
  if (now - oldest->second->last_used < kEvictAfter) return false;
  sessions_.erase(oldest);
  return true;
}

}  // namespace ktrial::fakebroker
