// SPDX-License-Identifier: Apache-2.0
// What members say of the records they acquired. A broker takes it only from the one who has the
// lock, and all of a request's batches for a partition or none.
#include "fakebroker/state/share_partition.h"

#include <algorithm>

namespace ktrial::fakebroker {
namespace {

using protocol::KafkaError;

ShareFault wrong_state(std::string why) {
  return {KafkaError::kInvalidRecordState, std::move(why)};
}
ShareFault invalid(std::string why) { return {KafkaError::kInvalidRequest, std::move(why)}; }

bool failed(const ShareFault& fault) { return fault.error != KafkaError::kNone; }

}  // namespace

ShareFault SharePartition::acknowledge(const std::string& member,
                                       std::span<const ShareAcknowledgement> batches,
                                       const ShareSettings& settings, TimePoint now) {
  std::vector<Change> changes;
  for (const ShareAcknowledgement& batch : batches) {
    ShareFault fault = acknowledge(member, batch, settings, now, changes);
    if (!failed(fault)) continue;
    undo(changes);
    return fault;
  }
  if (changes.empty()) return {};
  write();
  advance();
  return {};
}

ShareFault SharePartition::acknowledge(const std::string& member, const ShareAcknowledgement& batch,
                                       const ShareSettings& settings, TimePoint now,
                                       std::vector<Change>& changes) {
  if (batch.last < start_) return {};  // done with, whatever they say
  auto from = batch_of(batch.first);
  if (from == batches_.end() && batch.first < start_) from = batch_of(start_);
  if (from == batches_.end()) {
    return wrong_state(
        "Batch record not found. The request batch offsets are not found in the cache.");
  }
  const auto end = batches_.upper_bound(batch.last);
  const std::int64_t last = std::prev(end)->second.last;
  if (last < batch.first)
    return invalid("Batch record not found. The first offset in request is past acquired records.");
  if (last < batch.last)
    return invalid("Batch record not found. The last offset in request is past acquired records.");
  for (; from != end; ++from) {
    if (from->second.last < start_) continue;
    ShareFault fault = acknowledge(member, batch, from->second, settings, now, changes);
    if (failed(fault)) return fault;
  }
  return {};
}

ShareFault SharePartition::acknowledge(const std::string& member, const ShareAcknowledgement& batch,
                                       InFlightBatch& in_flight, const ShareSettings& settings,
                                       TimePoint now, std::vector<Change>& changes) {
  const bool moved = in_flight.first < start_;
  if (!in_flight.per_offset) {
    Delivery& whole = in_flight.deliveries.front();
    if (whole.state != DeliveryState::kAcquired) {
      return wrong_state(
          "The batch cannot be acknowledged. The batch is not in the acquired state.");
    }
    if (whole.member != member) return wrong_state("Member is not the owner of batch record");
    if (in_flight.within(batch.first, batch.last) && batch.types.size() == 1 && !moved) {
      return turn(in_flight.first, in_flight.last, whole, batch.types.front(), settings, now,
                  changes);
    }
    in_flight.split();
  }
  const std::int64_t to = std::min(batch.last, in_flight.last);
  for (std::int64_t offset = std::max({batch.first, in_flight.first, start_}); offset <= to;
       ++offset) {
    Delivery& delivery = in_flight.at(offset);
    if (delivery.state != DeliveryState::kAcquired)
      return wrong_state("The offset cannot be acknowledged. The offset is not acquired.");
    if (delivery.member != member) return wrong_state("Member is not the owner of offset");
    const std::int8_t type = batch.types.size() == 1
                                 ? batch.types.front()
                                 : batch.types[static_cast<std::size_t>(offset - batch.first)];
    ShareFault fault = turn(offset, offset, delivery, type, settings, now, changes);
    if (failed(fault)) return fault;
  }
  return {};
}

ShareFault SharePartition::turn(std::int64_t first, std::int64_t last, Delivery& delivery,
                                std::int8_t type, const ShareSettings& settings, TimePoint now,
                                std::vector<Change>& changes) {
  if (type == kRenew) {
    if (!settings.renew_enabled)
      return wrong_state("Renewing acquisition locks is not enabled for the group.");
    delivery.lock_until = now + settings.record_lock;
    return {};
  }
  changes.push_back({&delivery, delivery, counted(first, last)});
  if (type == kRelease) {
    set_free(first, last, delivery, settings);
  } else {
    finish(first, last, delivery,
           type == kAccept ? DeliveryState::kAcknowledged : DeliveryState::kArchived);
  }
  return {};
}

void SharePartition::undo(std::vector<Change>& changes) {
  for (auto change = changes.rbegin(); change != changes.rend(); ++change) {
    if (change->delivery->done()) done_ -= change->offsets;
    *change->delivery = std::move(change->before);
  }
}

}  // namespace ktrial::fakebroker
