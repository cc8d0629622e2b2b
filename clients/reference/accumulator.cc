// SPDX-License-Identifier: Apache-2.0
#include "clients/reference/accumulator.h"

#include <algorithm>
#include <string>
#include <utility>

namespace ktrial::client {
namespace {

std::optional<protocol::ByteView> bytes_of(const std::optional<std::string>& text) {
  if (!text) return std::nullopt;
  return protocol::ByteView(reinterpret_cast<const std::uint8_t*>(text->data()), text->size());
}

const BatchPtr* first_unsent(const BatchQueue& queue) {
  const auto found =
      std::ranges::find_if(queue, [](const BatchPtr& batch) { return !batch->in_flight; });
  return found == queue.end() ? nullptr : &*found;
}

}  // namespace

std::size_t record_size(const OutRecord& record) {
  constexpr std::size_t kLength = 5;  // the longest varint of 32 bits
  constexpr std::size_t kFixed = 4 * kLength + 10 + 1 + kLength;
  std::size_t size = kFixed;
  for (const auto* field : {&record.key, &record.value}) size += *field ? (*field)->size() : 0;
  for (const auto& [name, value] : record.headers) size += name.size() + value.size() + 2 * kLength;
  return size;
}

void Accumulator::append(const OutRecord& record, std::int32_t partition, TimePoint now,
                         std::int64_t wall_ms, DeliveryCallback callback, std::size_t memory) {
  std::vector<protocol::HeaderView> headers;
  for (const auto& [name, value] : record.headers) {
    headers.push_back({name, protocol::ByteView(reinterpret_cast<const std::uint8_t*>(value.data()),
                                                value.size())});
  }
  const auto key = bytes_of(record.key);
  const auto value = bytes_of(record.value);
  const TopicPartition at{record.topic, partition};
  BatchQueue& queue = queues_[at];
  if (!queue.empty() && !queue.back()->full) {
    Batch& last = *queue.back();
    last.full = last.builder.size_with(wall_ms, key, value, headers) > config_.batch_size;
  }
  if (queue.empty() || queue.back()->full) {
    protocol::BatchOptions options;
    options.codec = config_.codec;
    options.transactional = config_.transactional_id.has_value();
    queue.push_back(std::make_shared<Batch>(
        Batch{.at = at, .builder = protocol::RecordBatchBuilder(options), .created = now}));
  }
  Batch& batch = *queue.back();
  batch.builder.append(wall_ms, key, value, headers);
  batch.callbacks.push_back(std::move(callback));
  batch.memory += memory;
  batch.full = batch.full || batch.builder.size() >= config_.batch_size;
}

BatchPtr Accumulator::due(const BatchQueue& queue, TimePoint now, bool flushing) const {
  const BatchPtr* const first = first_unsent(queue);
  if (first == nullptr) return nullptr;
  const Batch& batch = **first;
  if (batch.retry_at > now) return nullptr;
  const bool due = batch.full || batch.attempts > 0 || flushing || *first != queue.back() ||
                   batch.created + config_.linger <= now;
  return due ? *first : nullptr;
}

TimePoint Accumulator::next_event(TimePoint now) const {
  TimePoint next = TimePoint::max();
  const auto consider = [&](TimePoint at) {
    if (at > now) next = std::min(next, at);
  };
  for (const auto& [at, queue] : queues_) {
    consider(queue.front()->created + config_.delivery_timeout);
    const BatchPtr* const first = first_unsent(queue);
    if (first == nullptr) continue;
    consider((*first)->retry_at);
    consider((*first)->created + config_.linger);
  }
  return next;
}

std::vector<BatchPtr> Accumulator::take_expired(TimePoint now) {
  std::vector<BatchPtr> expired;
  for (auto& [at, queue] : queues_) {
    while (!queue.empty() && queue.front()->created + config_.delivery_timeout <= now) {
      expired.push_back(std::move(queue.front()));
      queue.pop_front();
    }
  }
  std::erase_if(queues_, [](const auto& entry) { return entry.second.empty(); });
  return expired;
}

std::vector<BatchPtr> Accumulator::take_unsent() {
  std::vector<BatchPtr> unsent;
  for (auto& [at, queue] : queues_) {
    const auto rest = std::ranges::stable_partition(
        queue, [](const BatchPtr& batch) { return batch->in_flight; });
    unsent.insert(unsent.end(), rest.begin(), rest.end());
    queue.erase(rest.begin(), rest.end());
  }
  std::erase_if(queues_, [](const auto& entry) { return entry.second.empty(); });
  return unsent;
}

std::vector<BatchPtr> Accumulator::take_all() {
  std::vector<BatchPtr> all;
  for (const auto& [at, queue] : std::exchange(queues_, {}))
    all.insert(all.end(), queue.begin(), queue.end());
  return all;
}

BatchPtr Accumulator::first(const TopicPartition& at) const {
  const auto queue = queues_.find(at);
  return queue == queues_.end() ? nullptr : queue->second.front();
}

bool Accumulator::take(const BatchPtr& batch) {
  const auto queue = queues_.find(batch->at);
  if (queue == queues_.end()) return false;
  const auto found = std::ranges::find(queue->second, batch);
  if (found == queue->second.end()) return false;
  queue->second.erase(found);
  if (queue->second.empty()) queues_.erase(queue);
  return true;
}

}  // namespace ktrial::client
