// SPDX-License-Identifier: Apache-2.0
#include "clients/reference/fetch_session.h"

#include "protocol/errors.h"

#include <algorithm>
#include <utility>

namespace ktrial::client {

using protocol::FetchRequest;
using protocol::FetchResponse;
using protocol::KafkaError;

namespace {

constexpr std::int32_t kLastRequest = -1;

void add(FetchRequest& request, const TopicPartition& at, const FetchSession::Want& want) {
  auto& topics = request.topics;
  if (topics.empty() || topics.back().topic != at.topic) {
    auto& topic = topics.emplace_back();
    topic.topic = at.topic;
    topic.topic_id = want.topic_id;
  }
  auto& partition = topics.back().partitions.emplace_back();
  partition.partition = at.partition;
  partition.current_leader_epoch = want.leader_epoch;
  partition.fetch_offset = want.offset;
  partition.partition_max_bytes = want.max_bytes;
}

void forget(FetchRequest& request, const TopicPartition& at, const protocol::Uuid& id) {
  auto& topics = request.forgotten_topics_data;
  if (topics.empty() || topics.back().topic != at.topic || topics.back().topic_id != id) {
    auto& topic = topics.emplace_back();
    topic.topic = at.topic;
    topic.topic_id = id;
  }
  topics.back().partitions.push_back(at.partition);
}

}  // namespace

void FetchSession::fill(const Wants& wanted, FetchRequest& request) {
  const bool by_id = std::ranges::none_of(
      wanted, [](const auto& entry) { return entry.second.topic_id.is_zero(); });
  // A session is by names or by ids: the other kind is a new one.
  if (std::exchange(by_id_, by_id) != by_id) epoch_ = 0;
  request.session_id = id_;
  request.session_epoch = epoch_;
  epoch_ == 0 ? fill_all(wanted, request) : fill_changes(wanted, request);
  known_ = wanted;
}

void FetchSession::fill_all(const Wants& wanted, FetchRequest& request) {
  for (const auto& [at, want] : wanted) add(request, at, want);
}

void FetchSession::fill_changes(const Wants& wanted, FetchRequest& request) {
  for (const auto& [at, want] : wanted) {
    const auto known = known_.find(at);
    if (known == known_.end() || known->second != want) add(request, at, want);
  }
  for (const auto& [at, known] : known_) {
    const auto still = wanted.find(at);
    const bool gone = still == wanted.end() || still->second.topic_id != known.topic_id;
    if (gone) forget(request, at, known.topic_id);
  }
}

bool FetchSession::answered(const FetchResponse& response) {
  const auto error = static_cast<KafkaError>(response.error_code);
  if (error == KafkaError::kFetchSessionIdNotFound) id_ = 0;
  if (error != KafkaError::kNone) {
    epoch_ = 0;
    return false;
  }
  // Without a session, or when the broker has ended it, the next request is a full one.
  if (epoch_ == 0) id_ = response.session_id;
  if (response.session_id == 0 || response.session_id != id_) {
    id_ = 0;
    epoch_ = 0;
    return true;
  }
  epoch_ = epoch_ == INT32_MAX ? 1 : epoch_ + 1;
  return true;
}

std::optional<std::string> FetchSession::name_of(
    const protocol::fetch_response::FetchableTopicResponse& topic) const {
  if (!topic.topic.empty()) return topic.topic;
  for (const auto& [at, want] : known_) {
    if (want.topic_id == topic.topic_id) return at.topic;
  }
  return std::nullopt;
}

std::optional<FetchRequest> FetchSession::farewell() const {
  if (id_ == 0) return std::nullopt;
  FetchRequest request;
  request.session_id = id_;
  request.session_epoch = kLastRequest;
  return request;
}

}  // namespace ktrial::client
