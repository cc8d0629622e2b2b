// SPDX-License-Identifier: Apache-2.0
#include "clients/reference/accumulator.h"

#include "protocol/murmur2.h"

#include <algorithm>

namespace ktrial::client {
namespace {

std::optional<protocol::ByteView> bytes_of(const std::optional<std::string>& text) {
  if (!text) return std::nullopt;
  return protocol::ByteView(reinterpret_cast<const std::uint8_t*>(text->data()), text->size());
}

}  // namespace

void Accumulator::append(const OutRecord& record, std::int32_t partition, TimePoint now,
                         std::int64_t wall_ms, DeliveryCallback callback) {
  std::vector<protocol::HeaderView> headers;
  for (const auto& [name, value] : record.headers) {
    headers.push_back({name, protocol::ByteView(reinterpret_cast<const std::uint8_t*>(value.data()),
                                                value.size())});
  }
  const auto key = bytes_of(record.key);
  const auto value = bytes_of(record.value);
  const TopicPartition at{record.topic, partition};
  auto& queue = queues_[at];
  if (!queue.empty() && !queue.back().full) {
    Batch& last = queue.back();
    last.full = last.builder.size_with(wall_ms, key, value, headers) > config_.batch_size;
  }
  if (queue.empty() || queue.back().full) {
    protocol::BatchOptions options;
    options.codec = config_.codec;
    queue.push_back(
        Batch{.at = at, .builder = protocol::RecordBatchBuilder(options), .created = now});
  }
  Batch& batch = queue.back();
  batch.builder.append(wall_ms, key, value, headers);
  batch.callbacks.push_back(std::move(callback));
  batch.full = batch.full || batch.builder.size() >= config_.batch_size;
}

bool Accumulator::due(const std::deque<Batch>& queue, TimePoint now, bool flushing) const {
  if (queue.empty()) return false;
  const Batch& first = queue.front();
  if (first.in_flight || first.retry_at > now) return false;
  return first.full || first.attempts > 0 || flushing || queue.size() > 1 ||
         first.created + config_.linger <= now;
}

TimePoint Accumulator::next_event(TimePoint now) const {
  TimePoint next = TimePoint::max();
  const auto consider = [&](TimePoint at) {
    if (at > now) next = std::min(next, at);
  };
  for (const auto& [at, queue] : queues_) {
    if (queue.empty() || queue.front().in_flight) continue;
    const Batch& first = queue.front();
    consider(first.created + config_.delivery_timeout);
    consider(first.retry_at);
    consider(first.created + config_.linger);
  }
  return next;
}

std::int32_t Partitioner::choose(const OutRecord& record, std::int32_t partitions) {
  if (record.partition) return *record.partition;
  if (record.key) return protocol::keyed_partition(*bytes_of(record.key), partitions);
  const auto found = sticky_.find(record.topic);
  if (found != sticky_.end() && found->second < partitions) return found->second;
  const auto drawn = static_cast<std::int32_t>(rng_.below(static_cast<std::uint64_t>(partitions)));
  sticky_[record.topic] = drawn;
  return drawn;
}

}  // namespace ktrial::client
