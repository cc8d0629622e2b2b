// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/state/share_sessions.h"

#include <limits>

namespace ktrial::fakebroker {

using protocol::KafkaError;

namespace {

std::int32_t after(std::int32_t epoch) {
  return epoch == std::numeric_limits<std::int32_t>::max() ? 1 : epoch + 1;
}

}  // namespace

ShareSessions::Opened ShareSessions::open(Request request) {
  const auto key = std::pair(request.group, request.member);
  const auto found = sessions_.find(key);
  if (request.epoch == kOpen) {
    if (request.acknowledges) return {KafkaError::kInvalidRequest};
    if (found != sessions_.end()) sessions_.erase(found);
    if (sessions_.size() >= kMost) return {KafkaError::kShareSessionLimitReached};
    auto session = std::make_shared<ShareSession>();
    session->group = std::move(request.group);
    session->member = std::move(request.member);
    session->connection = request.connection;
    session->entries = std::move(request.targets);
    sessions_[key] = session;
    return {KafkaError::kNone, std::move(session)};
  }
  if (found == sessions_.end()) return {KafkaError::kShareSessionNotFound};
  if (request.epoch == kClose) return {};
  const std::shared_ptr<ShareSession> session = found->second;
  if (session->epoch != request.epoch) return {KafkaError::kInvalidShareSessionEpoch};
  for (auto& [target, entry] : request.targets)
    session->entries.try_emplace(target, ShareSession::Entry{entry.known, true});
  for (const ShareTarget& gone : request.forgotten) session->entries.erase(gone);
  session->epoch = after(session->epoch);
  return {KafkaError::kNone, session, false};
}

KafkaError ShareSessions::resume(const std::string& group, const std::string& member,
                                 std::int32_t epoch) {
  if (epoch == kOpen) return KafkaError::kInvalidShareSessionEpoch;
  const auto found = sessions_.find({group, member});
  if (found == sessions_.end()) return KafkaError::kShareSessionNotFound;
  if (epoch == kClose) return KafkaError::kNone;
  if (found->second->epoch != epoch) return KafkaError::kInvalidShareSessionEpoch;
  found->second->epoch = after(epoch);
  return KafkaError::kNone;
}

std::shared_ptr<ShareSession> ShareSessions::find(const std::string& group,
                                                  const std::string& member) const {
  const auto found = sessions_.find({group, member});
  return found == sessions_.end() ? nullptr : found->second;
}

std::shared_ptr<ShareSession> ShareSessions::close(const std::string& group,
                                                   const std::string& member) {
  auto node = sessions_.extract({group, member});
  return node.empty() ? nullptr : std::move(node.mapped());
}

std::vector<std::shared_ptr<ShareSession>> ShareSessions::drop_connection(
    std::uint64_t connection) {
  std::vector<std::shared_ptr<ShareSession>> dropped;
  std::erase_if(sessions_, [&](const auto& entry) {
    if (entry.second->connection != connection) return false;
    dropped.push_back(entry.second);
    return true;
  });
  return dropped;
}

}  // namespace ktrial::fakebroker
